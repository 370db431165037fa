import { type Logger, type LoggerOptions, pino } from 'pino'
import { lineForPeople } from './line-for-people.ts'

/** Whether somebody watches the log as it is written. */
export const isWatched = (): boolean => process.stdout.isTTY === true

/** The log, on standard output: JSON lines for programs, or lines for people on a terminal. */
export function createLog(options: LoggerOptions): Logger {
  if (!isWatched()) return pino(options)
  const isColoured = process.env.NO_COLOR === undefined || process.env.NO_COLOR === ''
  return pino(options, {
    write: (line: string) => void process.stdout.write(lineForPeople(line, isColoured)),
  })
}

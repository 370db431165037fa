import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'

/** How many bytes of lines wait if the log's disk is full. Further lines are lost. */
const WAITING_MAX_BYTES = 1024 * 1024

/** Returns whether the log is written to a terminal. */
export const isWatched = (): boolean => process.stdout.isTTY === true

/** Creates the log, on standard output: JSON lines for programs, or lines for people on a terminal. */
export function createLog(options: LoggerOptions): Logger {
  if (!isWatched()) return pino(options, standardOutput())
  const isColoured = process.env.NO_COLOR === undefined || process.env.NO_COLOR === ''
  return pino(options, {
    write: (line: string) => void process.stdout.write(lineForPeople(line, isColoured)),
  })
}

/**
 * Standard output, which may be a file on a full disk. By default, pino would then throw, and retry without end when
 * the process ends.
 */
function standardOutput(): DestinationStream {
  const output = pino.destination({ dest: process.stdout.fd, sync: true, maxLength: WAITING_MAX_BYTES })
  return output.on('error', () => {})
}

interface Line {
  level: number
  time: number
  msg?: string
  reqId?: string
  err?: { stack?: string; message?: string }
}

/** The lowest number of each level, its name and its colour. */
const LEVELS = [
  { from: 50, word: 'error', colour: 31 },
  { from: 40, word: 'warning', colour: 33 },
] as const

const DIM = 2

/** Turns one of the log's JSON lines into one for people: time, event, and data. */
export function lineForPeople(json: string, isColoured: boolean): string {
  const { level, time, msg = '', reqId, err, ...about } = JSON.parse(json) as Line & Record<string, unknown>
  const paint = (text: string, colour: number) => (isColoured ? `\x1b[${colour}m${text}\x1b[0m` : text)
  const loud = LEVELS.find(({ from }) => level >= from)
  const facts = Object.entries({ ...about, ...(reqId !== undefined && { request: reqId }) })
    .filter(([name]) => name !== 'pid' && name !== 'hostname')
    .map(([name, value]) => `${name}=${printable(typeof value === 'string' ? value : JSON.stringify(value))}`)
  const words = [
    paint(new Date(time).toTimeString().slice(0, 8), DIM),
    ...(loud ? [paint(loud.word, loud.colour)] : []),
    printable(msg),
    ...(facts.length > 0 ? [paint(facts.join(' '), DIM)] : []),
  ]
  const stack =
    err &&
    `\n${(err.stack ?? err.message ?? '')
      .split('\n')
      .map(each => `    ${printable(each)}`)
      .join('\n')}`
  return `${words.join('  ')}${stack ?? ''}\n`
}

/** Lines quote strangers, and a terminal interprets control characters. */
const printable = (text: string) =>
  text.replace(/[\p{Cc}\p{Cf}]/gu, sign => `\\u{${sign.codePointAt(0)?.toString(16)}}`)

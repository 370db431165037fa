import { parseArgs } from 'node:util'
import { type GroundId, isGround } from '../decisions/grounds.ts'
import { plainText } from '../reading/plain-text.ts'
import { NAMELESS } from './moderate.ts'

/** In characters: it is kept with the decision and shown on one line. */
const REASON_MAX_LENGTH = 500

/** A bad command line: printed with the usage, exit code 2. */
export class UsageError extends Error {}

export type Options = ReturnType<typeof readArgs>['values']

/** Reads the words and options of a command line. @throws UsageError */
export function readArgs(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        reason: { type: 'string' },
        limit: { type: 'string' },
        unplaced: { type: 'boolean' },
        lost: { type: 'boolean' },
        as: { type: 'string' },
        ground: { type: 'string' },
        head: { type: 'string' },
        all: { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/** @throws UsageError where an option is given that the command does not have */
export function allowOnly(command: string, given: Options, options: (keyof Options)[]): void {
  const other = (Object.keys(given) as (keyof Options)[]).find(option => !options.includes(option))
  if (other) throw new UsageError(`${command} takes no --${other}`)
}

/** The reason, which is kept with the decision. @throws UsageError without one */
export function readReason(command: string, given = ''): string {
  const reason = plainText(given, REASON_MAX_LENGTH)
  if (!reason) throw new UsageError(`${command} needs --reason, which is kept with the decision`)
  return reason
}

/** Who decides. @throws UsageError if it is no name */
export function readName(name = NAMELESS): string {
  if (/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,39}$/u.test(name)) return name
  throw new UsageError('--as must be a name of at most 40 letters, digits, spaces, dots, dashes')
}

/** @throws UsageError if there is no such ground */
export function groundFrom(id: string | undefined): { ground?: GroundId; reason?: string } {
  if (id === undefined) return {}
  if (id === 'rules/content') return { ground: id }
  if (isGround(id) && id.startsWith('law/')) return { ground: id, reason: 'illegal' }
  throw new UsageError('--ground must be rules/content, law/illegal-content or law/notice')
}

/** @throws UsageError if it is not the number of a report or finding */
export function readNumber(command: string, given = ''): number {
  if (/^[1-9]\d{0,14}$/.test(given)) return Number(given)
  throw new UsageError(`${command} needs the number of a ${command === 'settle' ? 'report' : 'finding'}`)
}

export function readLimit(limit = '50'): number {
  const count = /^\d{1,6}$/.test(limit) ? Number(limit) : 0
  if (count < 1) throw new UsageError('--limit must be a whole number from 1 to 999999')
  return count
}

import { BOARDS, DESTINATION_MAX_LENGTH } from '@placard/contract/plain'
import { usageError } from './error.ts'
import type { SubmissionStore } from './submissions/store.ts'

const CATEGORY_MAX_LENGTH = 100

/** The longest delay that a timer supports. A longer one would fire at once. */
const LONGEST_MS = 2 ** 31 - 1

/** Returns the fields of what should be an object. Throws `invalid_option`. */
export function fieldsOf(name: string, value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw wrong(name, 'an object')
  return value as Record<string, unknown>
}

/** Returns a time in whole milliseconds, or `otherwise` if it is not given. Throws `invalid_option`. */
export function milliseconds(name: string, value: unknown, shortest: number, otherwise: number): number {
  if (value === undefined) return otherwise
  if (Number.isInteger(value) && Number(value) >= shortest && Number(value) <= LONGEST_MS) return Number(value)
  throw wrong(name, `a whole number of milliseconds from ${shortest} to ${LONGEST_MS}`)
}

/** Returns a text that is not empty, or undefined if it is not given. Throws `invalid_option`. */
export function optionalText(name: string, value: unknown): string | undefined {
  if (value === undefined || (typeof value === 'string' && value !== '')) return value
  throw wrong(name, 'a non-empty string')
}

/** Returns a function, or undefined if it is not given. Throws `invalid_option`. */
export function optionalFunction<F>(name: string, value: F | undefined): F | undefined {
  if (value === undefined || typeof value === 'function') return value
  throw wrong(name, 'a function')
}

/** Returns a store, or undefined if it is not given. Throws `invalid_option`. */
export const optionalStore = (name: string, value: unknown): SubmissionStore | undefined =>
  value === undefined ? value : neededStore(name, value)

/** Returns a store. Throws `invalid_option`. */
export function neededStore(name: string, value: unknown): SubmissionStore {
  if (isStore(value)) return value
  throw wrong(name, 'a store, such as fileStore() returns')
}

function isStore(value: unknown): value is SubmissionStore {
  try {
    const store = value as Record<string, unknown>
    return typeof store.name === 'string' && ['append', 'read', 'sync'].every(act => typeof store[act] === 'function')
  } catch {
    return false
  }
}

/** Returns a signal, or undefined if it is not given. Throws `invalid_option`. */
export function optionalSignal(name: string, value: unknown): AbortSignal | undefined {
  if (value === undefined || value instanceof AbortSignal) return value
  throw wrong(name, 'the signal of an AbortController')
}

/** Throws `invalid_destination` if no service can accept the value. */
export function checkDestination(value: unknown): asserts value is string {
  if (typeof value === 'string' && value !== '' && [...value].length <= DESTINATION_MAX_LENGTH) return
  throw usageError(
    'invalid_destination',
    `The destination must be a string of 1 to ${DESTINATION_MAX_LENGTH} characters.`,
    'Give the website’s address as a browser shows it.',
    'destination',
  )
}

/** Throws `unknown_category` if no service can accept the value. */
export function checkCategory(value: unknown): asserts value is string {
  if (typeof value === 'string' && value !== '' && value.length <= CATEGORY_MAX_LENGTH) return
  throw usageError(
    'unknown_category',
    `The category must be a string of 1 to ${CATEGORY_MAX_LENGTH} characters.`,
    'Choose one that capabilities lists.',
    'category',
  )
}

/** Throws `invalid_board` and `invalid_target_bid`. */
export function checkBid(board: unknown, targetBid: unknown): void {
  if (!BOARDS.some(one => one === board)) {
    throw usageError('invalid_board', 'There is no such board.', `Choose one of these: ${BOARDS.join(', ')}.`, 'board')
  }
  if (!Number.isSafeInteger(targetBid)) {
    throw usageError(
      'invalid_target_bid',
      'The target must be a whole number of US dollars.',
      'Give the total you want on the board, not the increment.',
      'targetBid',
    )
  }
}

const wrong = (name: string, needed: string) =>
  usageError('invalid_option', `${name} must be ${needed}.`, 'Nothing was sent. Fix that, and try again.', name)

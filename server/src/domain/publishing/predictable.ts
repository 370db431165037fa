import { EXAMPLES, IDEMPOTENCY_HEADER } from '@placard/contract'

/**
 * What documents show, because models copy it: our own example, well-known UUIDs, and the hashes of nothing and of
 * "test". Without hyphens, in lower case.
 */
const SHOWN = new Set([
  EXAMPLES.publish.headers[IDEMPOTENCY_HEADER].replaceAll('-', ''),
  '550e8400e29b41d4a716446655440000',
  '123e4567e89b42d3a456426614174000',
  'f47ac10b58cc4372a5670e02b2c3d479',
  '9b1deb4d3b7d4bad9bdd2b0d7b3dcb6d',
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
])

/**
 * Returns whether hex digits were made up or copied instead of drawn at random: one byte repeated, an ascending or
 * repeated pattern, or an example of a document.
 *
 * A secret of 32 random bytes is called predictable with a probability below 2^-90, and a random UUID below 2^-60: the
 * pattern repeats with a period of at most 16 bytes (2^-127), half of the steps between neighbouring bytes are equal
 * (2^-91), or, in a UUID, 24 of the 31 steps between its digits (2^-70) or 11 of the 15 between its bytes are (2^-61).
 */
export function isPredictable(text: string): boolean {
  const digits = text.replaceAll('-', '').toLowerCase()
  if (SHOWN.has(digits)) return true
  const nibbles = [...digits].map(digit => Number.parseInt(digit, 16))
  const bytes = nibbles.flatMap((high, place) => (place % 2 ? [] : high * 16 + (nibbles[place + 1] ?? 0)))
  if (text.includes('-')) return mostEqualSteps(nibbles, 16) >= 24 || mostEqualSteps(bytes, 256) >= 11
  return hasPeriod(nibbles) || mostEqualSteps(bytes, 256) >= bytes.length / 2
}

/** Whether digits repeat from some digit of the first half on. */
const hasPeriod = (digits: readonly number[]): boolean =>
  Array.from({ length: digits.length / 2 }, (_, place) => place + 1).some(period =>
    digits.every((digit, place) => place < period || digit === digits[place - period]),
  )

/** How many steps from one value to the next are the most frequent step. */
function mostEqualSteps(values: readonly number[], modulus: number): number {
  const steps = values.slice(1).map((value, place) => (value - (values[place] ?? 0) + modulus) % modulus)
  const alike = [...Map.groupBy(steps, step => step).values()]
  return Math.max(...alike.map(each => each.length))
}

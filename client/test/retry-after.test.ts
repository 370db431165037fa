import { expect, test } from 'vitest'
import { retryAfterSeconds } from '../src/service/retry-after.ts'

const NOON = Date.UTC(2026, 8, 6, 12)
const read = (retryAfter: string, date?: string) =>
  retryAfterSeconds(new Headers({ 'retry-after': retryAfter, ...(date ? { date } : {}) }), NOON)

test('seconds are taken as they are', () => {
  expect(read('0')).toBe(0)
  expect(read(' 120 ')).toBe(120)
})

test('a date counts from the reply’s own date, else from now', () => {
  expect(read('Sun, 06 Sep 2026 12:01:30 GMT')).toBe(90)
  expect(read('Sun, 06 Sep 2026 12:01:30 GMT', 'Sun, 06 Sep 2026 12:01:00 GMT')).toBe(30)
  expect(read('Sun, 06 Sep 2026 11:00:00 GMT')).toBe(0)
})

test('an absurd wait stays a number that a date can hold', () => {
  expect(read('9'.repeat(400))).toBe(366 * 24 * 60 * 60)
})

test.each(['', '-1', '1.5', '2026-09-07', 'soon', 'Sun, soon GMT'])('%j is not understood', text => {
  expect(read(text)).toBeUndefined()
})

test('an absent header gives nothing', () => {
  expect(retryAfterSeconds(new Headers())).toBeUndefined()
})

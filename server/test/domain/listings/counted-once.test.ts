import { expect, test } from 'vitest'
import { CountedOnce } from '../../../src/domain/listings/traffic.ts'

const NOON = Date.UTC(2026, 10, 21, 12)
const HOUR_MS = 60 * 60 * 1000

test('nothing is counted twice before the next full hour, which starts from scratch', () => {
  const once = new CountedOnce()
  expect([NOON, NOON, NOON + HOUR_MS - 1].map(now => once.isFirst('a', now))).toEqual([true, false, false])
  expect([NOON + HOUR_MS, NOON + HOUR_MS].map(now => once.isFirst('a', now))).toEqual([true, false])
  expect(once.isFirst('b', NOON + HOUR_MS)).toBe(true)
})

test('a hundred thousand are remembered, and the oldest is forgotten first', () => {
  const once = new CountedOnce()
  for (let nth = 0; nth < 100_000; nth++) once.isFirst(`${nth}`, NOON)
  expect(once.isFirst('0', NOON)).toBe(false)
  expect(once.isFirst('one more', NOON)).toBe(true)
  expect(once.isFirst('99999', NOON)).toBe(false)
  expect(once.isFirst('0', NOON)).toBe(true)
})

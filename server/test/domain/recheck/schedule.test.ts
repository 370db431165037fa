import { expect, it } from 'vitest'
import { waitBetweenRechecks } from '../../../src/domain/recheck/schedule.ts'
import { daysMs } from '../../../src/platform/lib/time.ts'
import { NOON } from '../../support/service.ts'

const OLD = { id: 0, publishedAt: NOON - daysMs(30), expiresAt: NOON + daysMs(30), visits: 0 }
const days = (listing: Partial<typeof OLD> | { expiresAt: null }) =>
  waitBetweenRechecks({ ...OLD, ...listing }, 0, NOON) / daysMs(0.9)

it('young and paid pages are looked at every day, popular ones every third, others once a week', () => {
  expect(days({ publishedAt: NOON - daysMs(13) })).toBe(1)
  expect(days({ expiresAt: null })).toBe(1)
  expect(days({ visits: 50 })).toBeCloseTo(3)
  expect(days({ visits: 49 })).toBeCloseTo(7)
})

it('waits differ by at most a tenth, and are always the same for a listing', () => {
  const waits = Array.from({ length: 1000 }, (_, id) => waitBetweenRechecks({ ...OLD, id }, 0, NOON))
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(daysMs(6.3))
  expect(Math.max(...waits)).toBeLessThanOrEqual(daysMs(7.7))
  expect(new Set(waits).size).toBeGreaterThan(100)
  expect(waitBetweenRechecks({ ...OLD, id: 7 }, 0, NOON)).toBe(waits[7])
})

it('what found something to tell is looked at again soon', () => {
  expect([1, 2, 3].map(tries => waitBetweenRechecks(OLD, tries, NOON))).toEqual(
    [1, 6, 24].map(hours => daysMs(hours / 24)),
  )
  expect(waitBetweenRechecks(OLD, 4, NOON)).toBe(waitBetweenRechecks(OLD, 0, NOON))
})

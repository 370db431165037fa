import { expect, it } from 'vitest'
import { CheckQuotas } from '../../src/publishing/check-quotas.ts'
import { NOON } from '../support/service.ts'

const LIMITS = { checksPerDayPerIp: 1, checksPerDayPerHost: 1 }
/** A client and a website of its own. */
const nth = (n: number) => ({ clientHash: `client${n}`, hostname: `site-${n}.com` })

it('the quotas of checks remember 100,000 clients and websites, and forget the first of the day first', () => {
  const quotas = new CheckQuotas(LIMITS)
  for (let n = 0; n < 50_000; n++) quotas.take(nth(n), NOON)
  expect(quotas.left(nth(0), NOON)).toEqual({ checksPerDayPerIp: 0, checksPerDayPerHost: 0 })
  quotas.take(nth(50_000), NOON)
  expect(quotas.left(nth(0), NOON)).toEqual(LIMITS)
  expect(quotas.left(nth(1), NOON)).toEqual({ checksPerDayPerIp: 0, checksPerDayPerHost: 0 })
})

it('the quotas of checks count nothing for a refused one, and start anew at midnight', () => {
  const quotas = new CheckQuotas(LIMITS)
  quotas.take(nth(1), NOON)
  const sameSite = { ...nth(2), hostname: nth(1).hostname }
  expect(() => quotas.take(sameSite, NOON)).toThrow('This website has been checked')
  expect(quotas.left(nth(2), NOON)).toEqual(LIMITS)
  expect(() => quotas.take({ ...nth(3), clientHash: nth(1).clientHash }, NOON)).toThrow('This address')
  expect(quotas.left(nth(3), NOON)).toEqual(LIMITS)
  const midnight = NOON + 12 * 60 * 60 * 1000
  expect(() => quotas.take(nth(1), midnight - 1)).toThrow()
  quotas.take(nth(1), midnight)
})

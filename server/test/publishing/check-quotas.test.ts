import { expect, it } from 'vitest'
import { Allowances } from '../../src/allowances/allowances.ts'
import { CheckQuotas } from '../../src/publishing/check-quotas.ts'
import { NOON } from '../support/service.ts'

const LIMITS = { checksPerDayPerIp: 1, checksPerDayPerHost: 1 }
/** A client and a website of its own. */
const nth = (n: number) => ({ clientHash: `client${n}`, hostname: `site-${n}.com` })

it('the quotas of checks count nothing for a refused one, and start anew at midnight', async () => {
  const quotas = new CheckQuotas(new Allowances(), LIMITS)
  await quotas.take(nth(1), NOON)
  const sameSite = { ...nth(2), hostname: nth(1).hostname }
  await expect(quotas.take(sameSite, NOON)).rejects.toThrow('This website has been checked')
  expect(await quotas.left(nth(2), NOON)).toEqual(LIMITS)
  await expect(quotas.take({ ...nth(3), clientHash: nth(1).clientHash }, NOON)).rejects.toThrow(
    'This address',
  )
  expect(await quotas.left(nth(3), NOON)).toEqual(LIMITS)
  const midnight = NOON + 12 * 60 * 60 * 1000
  await expect(quotas.take(nth(1), midnight - 1)).rejects.toThrow()
  await quotas.take(nth(1), midnight)
})

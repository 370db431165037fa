import { expect, it } from 'vitest'
import { CheckQuotas } from '../../../src/domain/publishing/quotas.ts'
import { Allowances } from '../../../src/platform/http/rate-limits/counter.ts'
import { NOON } from '../../support/service.ts'

const LIMITS = { checksPerDayPerIp: 1, checksPerDayPerHost: 1 }
/** A client and a website of its own. */
const nth = (n: number) => ({
  clientHash: `client${n}`,
  networkHash: `network${n}`,
  hostname: `site-${n}.com`,
})

it('the quotas of checks count nothing for a refused one, and are reset at midnight', async () => {
  const quotas = new CheckQuotas(new Allowances(), LIMITS)
  await quotas.take(nth(1), NOON)
  const sameSite = { ...nth(2), hostname: nth(1).hostname }
  await expect(quotas.take(sameSite, NOON)).rejects.toThrow('This website has reached its daily limit of checks')
  expect(await quotas.left(nth(2), NOON)).toEqual(LIMITS)
  await expect(quotas.take({ ...nth(3), clientHash: nth(1).clientHash }, NOON)).rejects.toThrow('This address')
  expect(await quotas.left(nth(3), NOON)).toEqual(LIMITS)
  const midnight = NOON + 12 * 60 * 60 * 1000
  await expect(quotas.take(nth(1), midnight - 1)).rejects.toThrow()
  await quotas.take(nth(1), midnight)
})

it('the last check of a website is kept for a network that has not checked it yet', async () => {
  const quotas = new CheckQuotas(new Allowances(), { checksPerDayPerIp: 10, checksPerDayPerHost: 3 })
  const rival = { clientHash: 'rival', networkHash: 'rivals', hostname: 'acme.com' }
  const owner = { clientHash: 'owner', networkHash: 'owners', hostname: 'acme.com' }
  const refusal = 'This website has reached its daily limit of checks'
  await quotas.take(rival, NOON)
  await quotas.take({ ...rival, clientHash: 'beside' }, NOON)
  expect(await quotas.left(rival, NOON)).toMatchObject({ checksPerDayPerHost: 0 })
  for (const clientHash of ['another', 'a third']) {
    await expect(quotas.take({ ...rival, clientHash }, NOON)).rejects.toThrow(refusal)
  }
  expect(await quotas.left(owner, NOON)).toMatchObject({ checksPerDayPerHost: 1 })
  await quotas.take(owner, NOON)
  await expect(quotas.take(owner, NOON)).rejects.toThrow(refusal)
  const third = { ...owner, networkHash: 'thirds' }
  await expect(quotas.take(third, NOON)).rejects.toThrow(refusal)
})

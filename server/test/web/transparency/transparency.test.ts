import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { MonthOfDecisions } from '../../../src/domain/decisions/counts.ts'
import { endListing } from '../../../src/domain/moderation/end-dates.ts'
import { hideListing, restoreListing } from '../../../src/domain/moderation/moderate.ts'
import { settleReport } from '../../../src/domain/moderation/settle-reports.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { daysMs } from '../../../src/platform/lib/time.ts'
import { allLogged } from '../../support/all-logged.ts'
import { SQLITE_FIRST } from '../../support/engines.ts'
import { htmlFaults } from '../../support/page-faults.ts'
import { newCredentials, publish, publishBody, startTestService, type TestService } from '../../support/service.ts'
import { sendHtml } from '../../support/sites.ts'
import { openPrivatePage } from '../manage/owner.ts'
import { openIn } from '../own/provers.ts'
import { newVisitor } from '../visitor.ts'

describe.each(SQLITE_FIRST)('the transparency page on %s', engine => {
  let service: TestService
  let store: Store
  const month = '2026-11'

  beforeAll(async () => {
    service = await startTestService({ engine })
    store = await service.database.openStore()
  })
  afterAll(() => service.stop())

  const get = async (path: string) => {
    const response = await fetch(`${service.url}${path}`)
    return { headers: response.headers, text: await response.text() }
  }
  const months = async (): Promise<MonthOfDecisions[]> => JSON.parse((await get('/transparency.json')).text).months

  it('is there before anything was decided', async () => {
    expect(await months()).toEqual([])
    const { text } = await get('/transparency')
    expect(text).toContain('No decisions yet.')
    expect(await htmlFaults(text)).toEqual([])
    expect((await get('/transparency.csv')).text).toBe('month,what,reason,count\r\n')
  })

  /** Proves a website on its private page, and shows its withdrawn listing again. */
  async function showAgain(host: string, privateLink: string): Promise<void> {
    const owner = newVisitor(service)
    const page = await openIn(service, owner, privateLink)
    await owner.post(`${page}/token`, {})
    const token = /plc_\w{40}/.exec((await owner.get(page)).html)?.[0]
    service.sites.set(host, (_request, response) =>
      sendHtml(response, `<head><meta name="placard-challenge" content="${token}"><title>Shop</title></head><p>Hello`),
    )
    expect((await owner.post(`${page}/prove`, {})).location).toContain('done=prove')
    expect((await owner.post(`${page}/reopen`, {})).location).toContain('done=reopen')
  }

  it('counts what was decided, from the record itself, and says nothing of anybody', async () => {
    const by = { actor: 'operator:anna' } as const
    service.sites.set('gone.com', (_request, response) => response.writeHead(404).end())
    const slugs: string[] = []
    let withdraws = ''
    for (const host of ['one.com', 'two.com', 'three.com', 'gone.com']) {
      const { body } = await publish(service, newCredentials(), publishBody(`http://${host}/`))
      slugs.push(body.productUrl?.split('/').at(-1) ?? '')
      if (host === 'two.com') withdraws = body.ownership.privateRecoveryUrl ?? ''
    }
    const [one = '', , three = ''] = slugs
    // Reported two days before anybody looked at it.
    service.clock.now -= daysMs(2)
    await newVisitor(service).post(`/product/${one}/report`, {
      reason: 'adult',
      details: 'See Anna.',
      contact: '',
    })
    service.clock.now += daysMs(2)
    await hideListing(store, one, 'It is.', service.clock.now, by)
    const { id } = await store.db.selectFrom('report').select('id').executeTakeFirstOrThrow()
    await settleReport(store, id, 'Hidden.', service.clock.now, by.actor)
    await hideListing(store, three, 'By mistake.', service.clock.now, by)
    await restoreListing(store, three, 'By mistake.', service.clock.now, by)
    await (await openPrivatePage(withdraws)).act('withdraw', { confirm: 'yes' })
    await showAgain('two.com', withdraws)
    await endListing(store, three, 'For Anna.', service.clock.now, by)
    await allLogged(store)
    // Until then, the answer from before is kept.
    service.clock.now += 300_000

    expect(await months()).toEqual([
      {
        month,
        accepted: 3,
        refused: { not_found: 1 },
        hidden: { policy: 2 },
        withdrawn: 1,
        endedEarly: 1,
        restored: 1,
        reports: { adult: 1 },
        reportsSettled: 1,
        appeals: 0,
        appealsUpheld: 0,
        appealsReversed: 0,
        secondsToDecideAppeal: null,
        secondsToSettle: { median: 172_800, p95: 172_800 },
      },
    ])
    const { text, headers } = await get('/transparency')
    expect(headers.get('cache-control')).toMatch(/^public, max-age=\d+/)
    expect(text).toContain('2 days, 2 days')
    expect(await htmlFaults(text)).toEqual([])
    const csv = (await get('/transparency.csv')).text
    expect(csv).toContain(`${month},refused,not_found,1\r\n${month},hidden,policy,2\r\n`)
    for (const reply of [text, csv, (await get('/transparency.json')).text]) {
      expect(reply).not.toMatch(/anna|one\.com|See Anna/i)
    }
  })
})

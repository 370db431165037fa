import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appealDecision } from '../../../src/domain/moderation/appeals/routes.ts'
import { addReport, findReport } from '../../../src/domain/moderation/reports.ts'
import { reopenSettled, settleReportsOf } from '../../../src/domain/moderation/settle-reports.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { SQLITE_FIRST } from '../../support/engines.ts'
import { FIXED_KEYS } from '../../support/keys.ts'
import { listingRow } from '../../support/listing-row.ts'
import { operateHere } from '../../support/operate.ts'
import { htmlFaults } from '../../support/page-faults.ts'
import { newCredentials, publish, publishBody, startTestService, type TestService } from '../../support/service.ts'
import { sendHtml } from '../../support/sites.ts'
import { openPrivatePage } from '../../web/manage/owner.ts'
import { newVisitor } from '../../web/visitor.ts'

/** A store that writes down the kind of each statement that its transactions run. */
function countStatements(store: Store, statements: string[]): Store {
  return {
    ...store,
    transact: work =>
      store.transact(trx => {
        const counted = trx.withPlugin({
          transformQuery: ({ node }) => {
            statements.push(node.kind)
            return node
          },
          transformResult: async ({ result }) => result,
        })
        const executeQuery: Store['executeQuery'] = query => {
          statements.push(query.query.kind)
          return trx.executeQuery(query)
        }
        return work(Object.assign(counted, { engine: trx.engine, executeQuery }))
      }),
  }
}

describe.each(SQLITE_FIRST)('a report on %s', engine => {
  let service: TestService
  let store: Store
  let path: string
  let slug: string

  beforeAll(async () => {
    // Requests are told apart by the address that a proxy on this machine gives.
    service = await startTestService({ engine, env: { TRUSTED_PROXIES: '127.0.0.1' } })
    store = await service.database.openStore()
    const { body } = await publish(service, newCredentials(), publishBody('http://reported.com/'))
    path = new URL(body.productUrl).pathname
    slug = path.split('/').at(-1) ?? ''
  })
  afterAll(() => service.stop())

  let clients = 0
  /** Sends the form of the page as a browser does, from a new address each time. */
  const send = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    newVisitor(service).post(`${path}/report`, fields, {
      'x-forwarded-for': `203.0.113.${++clients}`,
      ...headers,
    })
  const stored = () =>
    store.db.selectFrom('report').select(['reason', 'details', 'contact']).orderBy('id', 'desc').execute()
  const placard = (...args: string[]) => operateHere(service.database.env, ...args)

  it('is sent without scripts, thanked for, and kept as plain text', async () => {
    expect((await newVisitor(service).get(path)).html).toContain(`<form method="post" action="${path}/report">`)
    const sent = await send({
      reason: 'misleading',
      details: 'It is \u001b[31mnot\u0000 what\r\nit \u202esays. 😀',
      contact: ' me@mail.com ',
      homepage: '',
    })
    expect([sent.status, sent.location]).toEqual([
      303,
      expect.stringMatching(new RegExp(`^${path}/reported\\?report=[\\w-]{22}$`)),
    ])
    expect(await stored()).toEqual([
      { reason: 'misleading', details: 'It is [31mnot\ufffd what it says. 😀', contact: 'me@mail.com' },
    ])
    const thanks = await newVisitor(service).get(`${path}/reported`)
    expect([thanks.status, await htmlFaults(thanks.html)]).toEqual([200, []])
    expect(thanks.html).toContain('Thank you</h1>')
    expect(thanks.headers.get('x-robots-tag')).toBe('noindex')
  })

  it.each([
    [{}, 'Choose what’s wrong.'],
    [{ reason: 'constructor' }, 'Choose what’s wrong.'],
    [{ reason: 'other', details: ' \n' }, 'Tell us briefly what’s wrong.'],
    [{ reason: 'other', details: '\u200b\u2060' }, 'Tell us briefly what’s wrong.'],
    [{ reason: 'adult', details: 'd'.repeat(1001) }, 'at most 1,000 characters'],
    [{ reason: 'adult', contact: 'c'.repeat(201) }, 'at most 200 characters'],
  ])('that is refused shows everything that was written again: %#', async (fields, message) => {
    const before = await stored()
    const { status, html } = await send({ details: 'my <b>words</b>', contact: '"me"', ...fields })
    expect([status, await htmlFaults(html)]).toEqual([400, []])
    expect(html).toContain('<details class="report" id="report" open>')
    expect(html).toContain(message)
    expect(html).toContain('details' in fields ? `>${fields.details}</textarea>` : 'my &lt;b>words&lt;/b>')
    expect(html).toContain('contact' in fields ? fields.contact : '&quot;me&quot;')
    expect(await stored()).toEqual(before)
    expect((await newVisitor(service).get(`${path}/report`)).location).toBe(`${path}#report`)
  })

  it('may be as long as the form says, in any script', async () => {
    const details = '語'.repeat(1000)
    expect((await send({ reason: 'copyright', details })).status).toBe(303)
    expect((await stored())[0]).toMatchObject({ details })
  })

  it('is refused from other websites, from programs that fill in everything, and too often from one address', async () => {
    const before = await stored()
    const report = { reason: 'malicious' }
    expect((await send(report, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await send({ ...report, homepage: 'https://buy.com' })).status).toBe(303)
    expect(await stored()).toEqual(before)
    const statuses: number[] = []
    // Refused reports do not count.
    for (const fields of [{}, {}, report, report, {}, report, report, report, report, {}]) {
      const { status } = await send(fields, { 'x-forwarded-for': '203.0.113.250' })
      statuses.push(status)
    }
    expect(statuses).toEqual([400, 400, 303, 303, 400, 303, 303, 303, 429, 400])
    // Nothing typed is lost.
    const written = { ...report, details: 'It sends its visitors to a false bank.' }
    const refused = await send(written, { 'x-forwarded-for': '203.0.113.250' })
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect(refused.html).toContain('Send this one again in 10 minutes.')
    expect(refused.html).toContain(written.details)
  })

  it('that is sent twice is one, answered alike', async () => {
    const { body } = await publish(service, newCredentials(), publishBody('http://sent-twice.com/'))
    const page = new URL(body.productUrl).pathname
    const from = (address: string, fields: Record<string, string> = {}, of = page) =>
      newVisitor(service).post(
        `${of}/report`,
        { reason: 'misleading', details: 'It sells\r\nno bread.', contact: 'me@mail.com', ...fields },
        { 'x-forwarded-for': address },
      )
    const count = async () => (await stored()).length
    const before = await count()
    const [first, second] = await Promise.all([from('198.18.1.1'), from('198.18.1.1')])
    const reloaded = await from('198.18.1.1')
    expect(await count()).toBe(before + 1)
    const answerOf = ({ status, location, headers }: typeof first) => [
      ...[status, location, headers.get('placard-decision')],
    ]
    expect(first.status).toBe(303)
    expect([answerOf(second), answerOf(reloaded)]).toEqual([answerOf(first), answerOf(first)])
    const outcome = `/reports/${first.location?.split('report=')[1]}`
    expect((await newVisitor(service).get(outcome)).status).toBe(200)

    // What differs is another report.
    const others = [
      await from('198.18.1.1', { details: 'It sells no cake.' }),
      await from('198.18.1.1', { reason: 'scam' }),
      await from('198.18.2.1'),
      await from('198.18.2.1', {}, path),
      await from('198.18.2.1', { contact: '' }),
    ]
    expect(await count()).toBe(before + 6)
    expect(new Set([first, ...others].map(({ location }) => location)).size).toBe(6)
    // A report without words could be a neighbour's, whose link is private.
    const wordless = { details: '', contact: '' }
    const neighbours = [await from('198.18.3.1', wordless), await from('198.18.3.2', wordless)]
    expect(new Set(neighbours.map(({ location }) => location)).size).toBe(2)
    expect(await count()).toBe(before + 8)
    service.clock.now += 10 * 60 * 1000
    expect((await from('198.18.1.2')).location).toMatch(/report=/)
    expect(await count()).toBe(before + 9)
    service.clock.now -= 10 * 60 * 1000

    // A report that an earlier version stored has a link that nobody knows any more.
    await store.db.updateTable('report').set({ keyHash: null }).where('details', '=', 'It sells no bread.').execute()
    const added = await from('198.18.1.3')
    expect((await newVisitor(service).get(`/reports/${added.location?.split('report=')[1]}`)).status).toBe(200)
  })

  it('comes from one network at most fifty times in a day, whatever it is about', async () => {
    const slugs = Array.from({ length: 6 }, (_, nth) => `buried-${nth}`)
    await store.transact(trx =>
      trx
        .insertInto('listing')
        .values(slugs.map(each => listingRow({ slug: each, expiresAt: null })))
        .execute(),
    )
    const from = (address: string, nth: number) =>
      newVisitor(service).post(
        `/product/${slugs[nth % slugs.length]}/report`,
        { reason: 'scam', details: `It is number ${nth}.` },
        { 'x-forwarded-for': address },
      )
    const addressOf = (nth: number) => `2a02:8109:9a50:${nth + 100}::1`
    const sent = await Promise.all(Array.from({ length: 52 }, (_, nth) => from(addressOf(nth), nth)))
    expect(sent.filter(({ status }) => status === 303)).toHaveLength(50)
    const refused = await from(addressOf(99), 99)
    expect([refused.status, refused.html.includes('too many reports. Send this one again in 24 hours.')]).toEqual([
      429,
      true,
    ])
    expect((await from('2a02:8109:9a51::1', 99)).status).toBe(303)
  })

  it('waits with at most nine others of its network, wherever in it they come from, until they are settled', async () => {
    const { body } = await publish(service, newCredentials(), publishBody('http://flooded.com/'))
    const flooded = new URL(body.productUrl).pathname
    const { id } = await store.db
      .selectFrom('listing')
      .select('id')
      .where('slug', '=', flooded.split('/').at(-1) ?? '')
      .executeTakeFirstOrThrow()
    const from = (address: string) =>
      newVisitor(service).post(
        `${flooded}/report`,
        { reason: 'malicious', details: `It sends its visitors to a false bank. ${address}` },
        { 'x-forwarded-for': address },
      )
    const both = [(nth: number) => `198.51.100.${nth}`, (nth: number) => `2a02:8109:9a40:${nth}00::1`]
    for (const addressOf of both) {
      // All at once: none may be counted without the others.
      const sent = await Promise.all(Array.from({ length: 13 }, (_, nth) => from(addressOf(nth + 1))))
      expect(sent.map(({ status }) => status).sort()).toEqual([...Array(10).fill(303), ...Array(3).fill(429)])
    }
    const refused = await from('198.51.100.200')
    expect([refused.status, await htmlFaults(refused.html)]).toEqual([429, []])
    expect(refused.html).toContain('10 open reports about this listing from your network')
    expect(refused.html).toContain('It sends its visitors to a false bank.')
    expect((await from('203.0.112.1')).status).toBe(303)

    const open = () =>
      store.db.selectFrom('report').select(['networkHash', 'settledAt']).where('listingId', '=', id).execute()
    expect(new Set((await open()).map(({ networkHash }) => networkHash)).size).toBe(3)
    const by = { settlement: 'It is fine.', now: service.clock.now, actor: 'operator:Ada' } as const
    const reports = await store.transact(trx => settleReportsOf(trx, { listingId: id, lastReport: 1_000_000 }, by))
    expect(reports).toHaveLength(21)
    // What is settled no longer says where it came from.
    expect(new Set((await open()).map(({ networkHash }) => networkHash))).toEqual(new Set([null]))
    expect((await from('198.51.100.201')).status).toBe(303)
  })

  it('is settled with a hundred others in one statement, and opened again in a few', async () => {
    const { body } = await publish(service, newCredentials(), publishBody('http://buried.com/'))
    const { id: listingId } = await store.db
      .selectFrom('listing')
      .select('id')
      .where('slug', '=', new URL(body.productUrl).pathname.split('/').at(-1) ?? '')
      .executeTakeFirstOrThrow()
    const report = { reason: 'misleading', details: '', contact: '' } as const
    const keys: string[] = []
    for (let nth = 0; nth < 105; nth++) {
      keys.push(
        (await addReport({ store, serviceKeys: FIXED_KEYS }, listingId, report, `network ${nth}`, 1))?.key ?? '',
      )
    }
    const statements: string[] = []
    const counting = countStatements(store, statements)
    const by = { settlement: 'It is fine.', now: 2, actor: 'operator:Ada' } as const
    const settled = await counting.transact(trx => settleReportsOf(trx, { listingId, lastReport: 1_000_000 }, by))
    expect(settled).toHaveLength(105)
    expect(statements.filter(kind => kind === 'UpdateQueryNode')).toHaveLength(1)
    expect(statements.length).toBeLessThan(10)
    const first = await findReport(store.db, keys[0] ?? '')
    const last = await findReport(store.db, keys.at(-1) ?? '')
    expect([first?.settledBy, last?.settledBy]).toEqual([expect.any(String), expect.any(String)])
    expect(first?.settledBy).not.toBe(last?.settledBy)

    statements.length = 0
    // One was contested meanwhile, and stays settled.
    await appealDecision(store, first?.settledBy ?? '', 'Look again.', 'reporter', 3)
    expect(await reopenSettled(counting, settled, 'By mistake', 3, 'operator:Ada')).toBe(104)
    expect(statements.length).toBeLessThan(10)
    expect(await findReport(store.db, keys[0] ?? '')).toMatchObject({ settledBy: first?.settledBy })
    expect(await findReport(store.db, keys.at(-1) ?? '')).toMatchObject({ settledBy: null })
    expect(await store.transact(trx => settleReportsOf(trx, { listingId, lastReport: 1_000_000 }, by))).toHaveLength(
      104,
    )
  })

  it.each([
    ['as it is', (link: string) => link],
    ['escaped', encodeURIComponent],
    ['with invisible characters in it', (link: string) => link.replace('owner=', 'own\u200ber\u2060=')],
    ['behind more than can be sent', (link: string) => `${'d'.repeat(1001)} ${link}`],
  ])('with a private link, %s, is neither kept nor shown, and says to leave it out', async (_, write) => {
    const before = await stored()
    const claimId = '00000000-0000-4000-8000-000000000000'
    const key = 'K'.repeat(43)
    const text = `Mine: ${write(`https://placard.example/manage/${claimId}#owner=${key}`)}`
    for (const field of ['details', 'contact']) {
      const { status, html } = await send({ reason: 'unwanted', details: 'my words', [field]: text })
      expect([status, await htmlFaults(html)]).toEqual([400, []])
      expect(html).toMatch(new RegExp(`id="report-${field}-fault">Remove the private link`))
      expect(html).not.toContain(key)
      expect(html).not.toContain(claimId)
      expect(html.includes('my words')).toBe(field === 'contact')
    }
    expect(await stored()).toEqual(before)
  })

  it('is shown to the operator until it is settled with what was done', async () => {
    await store.db.deleteFrom('report').execute()
    await send({ reason: 'malicious', details: 'It asks for\nmy password.', contact: 'me@mail.com' })
    await send({ reason: 'unwanted' })
    const rows = await store.db.selectFrom('report').select('id').orderBy('id').execute()
    const [first, second] = rows.map(row => row.id)
    expect(await placard('reports')).toEqual({
      code: 0,
      output:
        `${first}  2026-11-21 12:00  ${slug}  malicious\n    It asks for my password.\n    contact: me@mail.com\n` +
        `${second}  2026-11-21 12:00  ${slug}  unwanted\n`,
    })
    const [limited, missing] = await Promise.all([
      placard('reports', '--limit', '1'),
      placard('settle', '999999', '--reason', 'why'),
    ])
    expect(limited.output).not.toContain('unwanted')
    expect(missing).toEqual({
      code: 1,
      output: 'placard: there is no report 999999; "reports" shows the open ones\n',
    })

    expect(await placard('settle', String(first), '--reason', 'hid\nit')).toEqual({
      code: 0,
      output: `Report ${first} about ${slug} is settled.\n`,
    })
    const [again, open] = await Promise.all([placard('settle', String(first), '--reason', 'again'), placard('reports')])
    expect(again.output).toBe(`Report ${first} about ${slug} was already settled: hid it\n`)
    expect(open.output).toBe(`${second}  2026-11-21 12:00  ${slug}  unwanted\n`)
    const settled = await store.db
      .selectFrom('decision')
      .select(['actor', 'reason', 'facts', 'reportId'])
      .where('kind', '=', 'settle')
      .where('reportId', 'in', [first ?? 0, second ?? 0])
      .execute()
    expect(settled).toEqual([
      {
        actor: 'operator:operator',
        reason: 'listing_kept',
        reportId: first,
        facts: JSON.stringify({ explanation: 'hid it' }),
      },
    ])
  })

  it('comes from the service too, if a refreshed page fails review: one until it is settled', async () => {
    await store.db.deleteFrom('report').execute()
    const host = 'turned-bad.com'
    const { body } = await publish(service, newCredentials(), publishBody(`http://${host}/`))
    service.sites.set(host, (_request, response) =>
      sendHtml(response, '<!doctype html><title>This domain is for sale</title><p>Buy this domain now.</p>'),
    )
    const owner = await openPrivatePage(body.ownership.privateRecoveryUrl ?? '')
    for (let time = 0; time < 2; time++) expect((await owner.act('refresh')).status).toBe(422)
    const { output } = await placard('reports')
    const id = Number(/^\d+/.exec(output)?.[0])
    const its = body.productUrl.split('/').at(-1)
    expect(output).toBe(`${id}  2026-11-21 12:00  ${its}  failed_review\n    parked_domain\n`)
    await placard('settle', String(id), '--reason', 'looked at it')
    await owner.act('refresh')
    expect((await placard('reports')).output).toContain(`  ${its}  failed_review\n`)
    expect((await send({ reason: 'failed_review' })).status).toBe(400)
  })

  it('about a listing that is down or does not exist is refused', async () => {
    expect((await newVisitor(service).post('/product/none/report', { reason: 'adult' })).status).toBe(404)
    await store.db.updateTable('listing').set({ hiddenAt: 1 }).where('slug', '=', slug).execute()
    const { status, html } = await send({ reason: 'adult' })
    expect([status, html.includes('Welcome')]).toEqual([410, false])
    expect((await newVisitor(service).get(`${path}/reported`)).status).toBe(200)
  })
})

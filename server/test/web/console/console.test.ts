import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hidingDecision, recordDecision } from '../../../src/domain/decisions/record.ts'
import { appealDecision } from '../../../src/domain/moderation/appeals/routes.ts'
import { makeConsoleLink, SESSION_LIFETIME_MS } from '../../../src/domain/moderation/console/sessions.ts'
import { raiseFindings } from '../../../src/domain/moderation/findings.ts'
import { hideListing } from '../../../src/domain/moderation/moderate.ts'
import { SQLITE_FIRST } from '../../support/engines.ts'
import { operateHere } from '../../support/operate.ts'
import { htmlFaults } from '../../support/page-faults.ts'
import { PUBLIC } from '../../support/service.ts'
import { type Pages, startPages } from '../page-app.ts'
import { newVisitor } from '../visitor.ts'
import { fieldsOf } from './operating.ts'
import { buttonOf, enter, idOf, linkFor, reported, undoId } from './operators.ts'

describe.each(SQLITE_FIRST)('the console on %s', engine => {
  let pages: Pages

  beforeAll(async () => {
    pages = await startPages({ engine })
  })
  afterAll(() => pages.close())
  beforeEach(() => {
    // The command uses the real time, so the service does too.
    pages.time.now = Date.now()
  })

  const statusOf = async (path: string) => (await pages.get(path)).status
  const settledBy = async (listingId: number) =>
    pages.store.db
      .selectFrom('decision')
      .select(['actor', 'reason', 'kind'])
      .where('listingId', '=', listingId)
      .where('kind', 'in', ['hide', 'restore', 'settle', 'outcome'])
      .orderBy('at')
      .orderBy('id')
      .execute()

  describe('entering', () => {
    it('takes one press of the button behind a link that the command prints, and GET uses nothing up', async () => {
      const { code, output } = await operateHere({ ...pages.database.env, BASE_URL: pages.url }, 'console-link', 'Ada')
      expect(code).toBe(0)
      const path = output.split('\n')[0]?.replace(pages.url, '') ?? ''
      expect(output).toMatch(/once, for Ada, until /)
      const visitor = newVisitor(pages)
      for (let time = 0; time < 3; time++) expect((await visitor.get(path)).html).toContain('Sign in</button>')
      expect((await visitor.post(path, {})).location).toBe('/console')
      const { html, headers } = await visitor.get('/console')
      expect(html).toContain('Ada')
      expect(await htmlFaults(html)).toEqual([])
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('x-robots-tag')).toBe('noindex')
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(visitor.cookies.get('placard_console')?.flags).toEqual(
        ['HttpOnly', `Max-Age=${SESSION_LIFETIME_MS / 1000}`, 'Path=/console', 'SameSite=Strict'].sort(),
      )
      const again = await newVisitor(pages).post(path, {})
      expect([again.status, again.html.includes('console-link NAME')]).toEqual([403, true])
    })

    it('without a name, is as "operator"', async () => {
      const { output } = await operateHere({ ...pages.database.env, BASE_URL: pages.url }, 'console-link', '--json')
      const printed = JSON.parse(output) as { link: string; name: string; endsAt: number }
      expect(printed.name).toBe('operator')
      expect(printed.link).toMatch(new RegExp(`^${pages.url}/console/enter/[\\w-]{43}$`))
    })

    it('opens one session of two presses at once', async () => {
      const path = await linkFor(pages, 'Ada')
      const statuses = await Promise.all([1, 2].map(async () => (await newVisitor(pages).post(path, {})).status))
      expect(statuses.sort()).toEqual([303, 403])
    })

    it('keeps only hashes', async () => {
      const token = await makeConsoleLink(pages.store, 'Ada', pages.time.now)
      const visitor = await enter(pages, 'Ada')
      const cookie = visitor.cookies.get('placard_console')?.value ?? 'none'
      const rows = [
        await pages.store.db.selectFrom('console_link').selectAll().execute(),
        await pages.store.db.selectFrom('console_session').selectAll().execute(),
      ]
      expect(JSON.stringify(rows)).not.toContain(token)
      expect(JSON.stringify(rows)).not.toContain(cookie)
    })

    it('ends ten minutes after the link was made', async () => {
      const path = await linkFor(pages, 'Ada')
      pages.time.now += 10 * 60 * 1000
      expect((await newVisitor(pages).post(path, {})).status).toBe(403)
    })

    it('is refused from another origin, and after too many wrong links', async () => {
      const path = await linkFor(pages, 'Ada')
      for (const site of ['cross-site', 'same-site', 'none']) {
        expect((await newVisitor(pages).post(path, {}, { 'sec-fetch-site': site })).status).toBe(403)
      }
      const limited = await startPages({ engine })
      const wrong = `/console/enter/${'A'.repeat(43)}`
      const statuses = new Set<number>()
      for (let time = 0; time < 45; time++) statuses.add((await newVisitor(limited).post(wrong, {})).status)
      expect([...statuses]).toEqual([403, 429])
      await limited.close()
    })
  })

  describe('a session', () => {
    it('is over after twelve hours, when left, and when the command ends it', async () => {
      const [late, left, ended, other] = await Promise.all(
        ['Late', 'Left', 'Ended', 'Other'].map(name => enter(pages, name)),
      )
      if (!late || !left || !ended || !other) throw new Error('nobody entered')
      const link = await linkFor(pages, 'Ended')
      expect((await left.post('/console/end', {})).html).toContain('You are signed out')
      const { output } = await operateHere(pages.database.env, 'console-end', 'Ended')
      expect(output).toBe('Ended for Ended: 1 session, 1 unused link.\n')
      expect(await operateHere(pages.database.env, 'console-end', 'Endde')).toMatchObject({
        code: 1,
        output: 'placard: there is no console user Endde; "console-users" lists them\n',
      })
      expect((await newVisitor(pages).post(link, {})).status).toBe(403)
      for (const visitor of [left, ended]) {
        const page = await visitor.get('/console')
        expect([page.status, page.html.includes('console-link NAME')]).toEqual([403, true])
      }
      expect((await other.get('/console')).status).toBe(200)
      pages.time.now += SESSION_LIFETIME_MS
      expect((await late.get('/console')).status).toBe(403)
      expect((await late.get('/console/counts')).status).toBe(403)
    })

    it('does nothing from another origin, and shows nothing there', async () => {
      const { slug, publicPath } = await pages.addListing()
      await reported(pages, slug)
      const ada = await enter(pages, 'Ada')
      const hide = buttonOf(await ada.get('/console'), 'hide', await idOf(pages.store, slug))
      for (const site of ['cross-site', 'same-site', 'none']) {
        expect((await ada.post('/console/act', { hide }, { 'sec-fetch-site': site })).status).toBe(403)
      }
      expect((await ada.get('/console', { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
      const nobody = newVisitor(pages)
      expect((await nobody.post('/console/act', { hide })).status).toBe(403)
      for (const path of ['/console', '/console/listings', '/console/log', `/console/listing/${slug}`]) {
        const page = await nobody.get(path)
        expect([page.status, page.html.includes('console-link NAME')]).toEqual([403, true])
        expect(page.html).not.toContain('Sunrise Bakery')
      }
      expect(await statusOf(publicPath)).toBe(200)
    })
  })

  describe('a case', () => {
    it('is hidden in one press, under the name of who did it, with its reports, and all of it undone in one', async () => {
      const { slug, publicPath } = await pages.addListing()
      const id = await idOf(pages.store, slug)
      const [key = ''] = await reported(pages, slug, 3, 'malicious')
      const ada = await enter(pages, 'Ada')
      await ada.post('/console/act', { hide: buttonOf(await ada.get('/console'), 'hide', id) })
      expect(await statusOf(publicPath)).toBe(410)
      const settled = { actor: 'operator:Ada', kind: 'settle', reason: 'listing_hidden' }
      expect(await settledBy(id)).toEqual([
        { actor: 'operator:Ada', kind: 'hide', reason: 'malicious' },
        ...[settled, settled, settled],
      ])
      expect((await pages.get(`/reports/${key}`)).status).toBe(200)

      const done = await ada.get('/console')
      expect(done.html).toContain(', 3 reports settled.')
      const undo = { id: undoId(done) ?? 'none' }
      expect((await ada.post('/console/undo', undo)).location).toBe('/console')
      expect(await statusOf(publicPath)).toBe(200)
      const open = await ada.get('/console')
      expect(open.html).toContain(', 3 reports open again.')
      expect(buttonOf(open, 'keep', id)).toBeTruthy()
      expect(await (await pages.get(`/reports/${key}`)).text()).toContain('Your report is not reviewed yet')
      await ada.post('/console/undo', undo)
      expect((await ada.get('/console')).html).toContain('can no longer be undone')
      pages.time.now += 60_000
      expect((await ada.get('/console')).html).not.toContain('can no longer be undone')

      await ada.post('/console/act', { keep: buttonOf(open, 'keep', id) })
      expect(await (await pages.get(`/reports/${key}`)).text()).toContain('The listing stays up')
      const log = (await ada.get('/console/log')).html
      // Each of the three has its own decision.
      expect(log.match(/<strong>3 reports settled<\/strong> by <bdi>Ada<\/bdi>/g)).toHaveLength(2)
      expect(log.match(/<strong>3 reports opened again<\/strong> by <bdi>Ada<\/bdi>/g)).toHaveLength(1)
      expect(log).not.toMatch(/Report settled|Opened again/)
      const history = (await ada.get(`/console/listing/${slug}`)).html.split('id="history"')[1]
      expect(history?.match(/<strong>[^<]*/g)?.slice(0, 5)).toEqual(
        ['3 reports settled', '3 reports opened again', 'Restored', '3 reports settled', 'Hidden'].map(
          what => `<strong>${what}`,
        ),
      )
      expect(log).toContain('<p class="soft">The listing is hidden.</p>')
      expect(log).not.toMatch(/listing[ _]hidden|listing[ _]kept|>settle</)
      const proof = await operateHere(pages.database.env, 'audit', 'verify')
      expect(proof.output).toContain('log whole')
      // Visitors cannot crowd out what operators decided.
      await reported(pages, slug, 50)
      expect((await ada.get('/console/log')).html).toContain('<strong>3 reports settled</strong> by <bdi>Ada</bdi>')
      const crowded = (await ada.get(`/console/listing/${slug}`)).html.split('id="history"')[1]
      expect(crowded?.match(/<strong>[^<]*<.strong> by <bdi>[^<]*/g)?.slice(0, 2)).toEqual([
        '<strong>50 reports that day</strong> by <bdi>visitors',
        '<strong>3 reports settled</strong> by <bdi>Ada',
      ])
      expect(crowded).toContain('<strong>Hidden</strong> by <bdi>Ada</bdi>')
      await ada.post('/console/act', { keep: buttonOf(await ada.get('/console'), 'keep', id) })
    })

    it('is left up by several at once, and only what was seen is settled', async () => {
      const slugs = [(await pages.addListing()).slug, (await pages.addListing()).slug]
      const ids = await Promise.all(slugs.map(slug => idOf(pages.store, slug)))
      for (const slug of slugs) await reported(pages, slug, 2)
      const ada = await enter(pages, 'Ada')
      const page = await ada.get('/console?select=all')
      expect(page.html.match(/type="checkbox"[^>]* checked/g)?.length).toBeGreaterThan(1)
      await reported(pages, slugs[0] ?? '', 1)
      const form = new URLSearchParams([...ids.map(id => ['case', buttonOf(page, 'keep', id)]), ['several', 'keep']])
      await ada.post('/console/act', form as never)
      expect((await ada.get('/console')).html).toContain(', 4 reports settled.')
      const open = await pages.store.db
        .selectFrom('report')
        .select(['listingId'])
        .where('settledAt', 'is', null)
        .where('listingId', 'in', ids)
        .execute()
      expect(open.map(({ listingId }) => Number(listingId))).toEqual([ids[0]])
    })

    it('is decided once by two operators, and the second sees what the first did', async () => {
      const { slug, publicPath } = await pages.addListing()
      const id = await idOf(pages.store, slug)
      await reported(pages, slug, 2)
      const [ada, bo] = [await enter(pages, 'Ada'), await enter(pages, 'Bo')]
      const seen = await bo.get('/console')
      await ada.post('/console/act', { keep: buttonOf(await ada.get('/console'), 'keep', id) })
      await bo.post('/console/act', { hide: buttonOf(seen, 'hide', id) })
      const told = (await bo.get('/console')).html
      expect(told).toMatch(/is unchanged: <bdi>Ada<\/bdi> left it up/)
      expect(undoId({ html: told } as never)).toBeUndefined()
      expect(await statusOf(publicPath)).toBe(200)
      expect((await settledBy(id)).map(({ kind, actor }) => [kind, actor])).toEqual([
        ['settle', 'operator:Ada'],
        ['settle', 'operator:Ada'],
      ])
    })

    it('is hidden once when two operators press at the same time', async () => {
      const { slug } = await pages.addListing()
      const id = await idOf(pages.store, slug)
      await reported(pages, slug, 5)
      const operators = await Promise.all(['Ada', 'Bo', 'Cy'].map(name => enter(pages, name)))
      const hide = buttonOf(await (operators[0] as (typeof operators)[number]).get('/console'), 'hide', id)
      await Promise.all(operators.map(operator => operator.post('/console/act', { hide })))
      const kinds = (await settledBy(id)).map(({ kind }) => kind)
      expect(kinds.filter(kind => kind === 'hide')).toHaveLength(1)
      expect(kinds.filter(kind => kind === 'settle')).toHaveLength(5)
    })

    it('is restored from its page with words of the operator’s own, which its history shows', async () => {
      const { slug, publicPath } = await pages.addListing({ title: '<b>Hostile</b> & co' })
      const id = await idOf(pages.store, slug)
      const ada = await enter(pages, 'Ada')
      const path = `/console/listing/${slug}`
      const hidden = await ada.post('/console/act', {
        slug,
        hide: buttonOf(await ada.get(path), 'hide', id),
        explanation: 'Section 86 <i>forbids</i> it',
        ground: 'law/illegal-content',
      })
      expect(hidden.location).toBe(path)
      const page = await ada.get(path)
      expect(page.html).toContain('Section 86 &lt;i>forbids&lt;/i> it')
      expect(page.html).not.toContain('<b>Hostile')
      expect(await htmlFaults(page.html)).toEqual([])
      const { ground } = await pages.store.db
        .selectFrom('decision')
        .select('ground')
        .where('listingId', '=', id)
        .where('kind', '=', 'hide')
        .executeTakeFirstOrThrow()
      expect(ground).toBe('law/illegal-content@1')
      await ada.post('/console/act', { slug, restore: buttonOf(page, 'restore', id) })
      expect(await statusOf(publicPath)).toBe(200)
    })

    it('that has ended gets a new term', async () => {
      const ended = { publishedAt: pages.time.now - 2000, expiresAt: pages.time.now - 1000 }
      const { slug, publicPath } = await pages.addListing(ended)
      expect(await statusOf(publicPath)).toBe(410)
      const ada = await enter(pages, 'Ada')
      const page = await ada.get(`/console/listing/${slug}`)
      await ada.post('/console/act', {
        slug,
        restore: buttonOf(page, 'restore', await idOf(pages.store, slug)),
      })
      expect(await statusOf(publicPath)).toBe(200)
    })

    it('with a finding is settled under the operator’s name, and open again once that is undone', async () => {
      const { slug } = await pages.addListing()
      const id = await idOf(pages.store, slug)
      const evidence = { to: 'new-owner.net', title: '<i>Casino</i>' }
      const seen = { since: pages.time.now, now: pages.time.now }
      await pages.store.transact(trx => raiseFindings(trx, id, [{ kind: 'moved', evidence }], seen))
      const ada = await enter(pages, 'Ada')
      const page = await ada.get('/console?waiting=findings')
      expect(page.html).toContain('&lt;i>Casino&lt;/i>')
      const stored = () =>
        pages.store.db
          .selectFrom('finding')
          .select(['settledBy', 'settlement'])
          .where('listingId', '=', id)
          .executeTakeFirst()
      const acted = await ada.post('/console/act', { waiting: 'findings', keep: buttonOf(page, 'keep', id) })
      expect(acted.location).toBe('/console?waiting=findings')
      expect(await stored()).toEqual({ settledBy: 'Ada', settlement: 'Reviewed and left unchanged' })
      const { html } = await ada.get('/console?waiting=findings')
      const form = /<form[^>]*action="\/console\/undo"[\s\S]*?<\/form>/.exec(html)?.[0] ?? ''
      const fields = Object.fromEntries(
        [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
      )
      expect((await ada.post('/console/undo', fields)).location).toBe('/console?waiting=findings')
      expect(await stored()).toEqual({ settledBy: null, settlement: null })
    })

    it('of a kind that none is left of is told from a queue that is empty', async () => {
      const { slug } = await pages.addListing()
      await reported(pages, slug, 2)
      const ada = await enter(pages, 'Ada')
      const { html } = await ada.get('/console?waiting=appeals')
      expect(html).toContain('<h1>Nothing pending here</h1>')
      expect(html).toMatch(/<p class="lead">[^<]*\d reports?[^<]* in all\. <a href="\/console">Show all<\/a><\/p>/)
      const all = (await ada.get('/console')).html
      expect(all).not.toContain('Nothing pending')
      // The heading counts what the menu and the filters count.
      const [, inMenu] = /data-count="queue">([\d,]+)</.exec(all) ?? []
      expect(all).toContain(`<h1>${inMenu} pending</h1>`)
    })

    it('with an appeal is decided by another operator, once, with words', async () => {
      const { slug, publicPath } = await pages.addListing()
      const [ada, bo] = [await enter(pages, 'Ada'), await enter(pages, 'Bo')]
      // Whoever has decided something is an operator.
      await hideListing(pages.store, (await pages.addListing()).slug, 'Because', pages.time.now, {
        actor: 'operator:Bo',
      })
      const path = `/console/listing/${slug}`
      const hide = buttonOf(await ada.get(path), 'hide', await idOf(pages.store, slug))
      await ada.post('/console/act', { slug, hide })
      expect((await ada.get(path)).html).toContain('Hidden. Listed ')
      const id = (await hidingDecision(pages.store.db, slug)) ?? ''
      await appealDecision(pages.store, id, 'It is <u>fine</u>.', 'owner', pages.time.now)
      expect((await bo.get('/console?waiting=appeals')).html).toContain('It is &lt;u>fine&lt;/u>.')
      const decide = { id, slug, result: 'reversed', explanation: 'It is fine indeed' }
      await ada.post('/console/appeal', decide)
      expect((await ada.get(path)).html).toContain('another operator must decide the appeal')
      await bo.post('/console/appeal', { ...decide, explanation: ' ' })
      expect((await bo.get(path)).html).toContain('Nothing was decided')
      expect(await statusOf(publicPath)).toBe(410)
      // Decided in the queue, it leads back there.
      const queue = '/console?waiting=appeals'
      const form = {
        ...fieldsOf(await bo.get(queue), '/console/appeal'),
        result: 'reversed',
        explanation: 'It is fine',
      }
      expect((await bo.post('/console/appeal', form)).location).toBe(queue)
      expect((await bo.get(queue)).html).toContain(
        'The appeal about www.sunrise-bakery.com is granted: the decision is reversed.',
      )
      expect(await statusOf(publicPath)).toBe(200)
      await bo.post('/console/appeal', { ...decide, result: 'upheld' })
      expect((await bo.get(path)).html).toContain(
        'The appeal about www.sunrise-bakery.com was already granted: the decision is reversed. Nothing was changed.',
      )
    })
  })

  it('shows some of many appeals against refusals, and says how many follow', async () => {
    const at = pages.time.now
    await pages.store.transact(async trx => {
      for (let nth = 0; nth < 25; nth++) {
        const refusal = { requestId: randomUUID(), actor: 'automatic', at } as const
        const about = await recordDecision(trx, {
          ...refusal,
          kind: 'refuse',
          ground: 'rules/review',
          reason: 'policy',
          facts: {},
        })
        const facts = { statement: `Appeal ${nth}` }
        await recordDecision(trx, {
          ...refusal,
          kind: 'appeal',
          about,
          ground: 'rules/appeals',
          reason: 'contested',
          facts,
        })
      }
    })
    const { html } = await (await enter(pages, 'Ada')).get('/console?waiting=appeals')
    expect(html.match(/Appeal against: Refused/g)).toHaveLength(20)
    expect(html).toContain('5 more follow as they are decided')
    expect(html).toContain('<h1>25 pending</h1>')
  })

  it('shows a report for each reason, however many there are for another', async () => {
    const { slug } = await pages.addListing()
    await reported(pages, slug, 1, 'malicious')
    await reported(pages, slug, 5, 'misleading')
    const ada = await enter(pages, 'Ada')
    for (const path of ['/console', '/console?reason=malicious']) {
      const { html } = await ada.get(path)
      expect(html).toContain('6 reports for 2 reasons, mostly: It says something untrue')
      expect(html).toMatch(new RegExp(`Report 1 about ${slug}</p><p class="host">It is dangerous`))
    }
  })

  it('takes a full explanation in any script, and any query', async () => {
    const { slug, publicPath } = await pages.addListing()
    const ada = await enter(pages, 'Ada')
    const path = `/console/listing/${slug}`
    const hide = buttonOf(await ada.get(path), 'hide', await idOf(pages.store, slug))
    expect((await ada.post('/console/act', { slug, hide, explanation: '面'.repeat(500) })).status).toBe(303)
    expect(await statusOf(publicPath)).toBe(410)
    expect((await ada.get('/console/listings?q=%00')).html).toContain(
      'There is no such listing. Enter its whole address',
    )
  })

  it('prints what the commands do as JSON, too', async () => {
    const { slug } = await pages.addListing()
    await reported(pages, slug)
    const json = async (...args: string[]) => {
      const { output } = await operateHere(pages.database.env, ...args, '--json')
      return output
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as Record<string, unknown>)
    }
    const [report] = (await json('reports')).filter(each => each.slug === slug)
    expect(report).toMatchObject({ reason: 'misleading', slug })
    expect(await json('hide', slug, '--reason', 'Because')).toMatchObject([
      { slug, status: 'unavailable', hiddenReason: 'Because', changed: true },
    ])
    const settled = [{ id: report?.id, slug, settlement: 'Done', changed: true }]
    expect(await json('settle', String(report?.id), '--reason', 'Done')).toEqual(settled)
    expect(await json('restore', slug, '--reason', 'Fine')).toMatchObject([{ status: 'published' }])
    expect((await json('list'))[0]).toMatchObject({ slug, status: 'published' })
  })
})

it('gives a cookie that no neighbour can set where the service has an https address, and takes it back', async () => {
  const secure = await startPages({ env: PUBLIC })
  const visitor = await enter(secure, 'Ada')
  expect([...visitor.cookies].map(([name, { flags }]) => [name, flags])).toEqual([
    [
      '__Host-placard_console',
      ['HttpOnly', `Max-Age=${SESSION_LIFETIME_MS / 1000}`, 'Path=/', 'SameSite=Strict', 'Secure'],
    ],
  ])
  expect((await visitor.get('/console')).html).toContain('Ada')
  const { value = '' } = visitor.cookies.get('__Host-placard_console') ?? {}
  const planted = await secure.get('/console', { cookie: `placard_console=${value}` })
  expect(planted.status).not.toBe(200)
  expect((await visitor.post('/console/end', {})).status).toBe(200)
  expect(visitor.cookies.get('__Host-placard_console')).toMatchObject({ value: '' })
  await secure.close()
})

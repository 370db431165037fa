import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hidingDecision } from '../../../src/domain/decisions/record.ts'
import { findListing } from '../../../src/domain/listings/listing.ts'
import { appealDecision } from '../../../src/domain/moderation/appeals/routes.ts'
import type { ConsoleSession } from '../../../src/domain/moderation/console/sessions.ts'
import { rememberAct, undo } from '../../../src/domain/moderation/console/undo.ts'
import { raiseFindings } from '../../../src/domain/moderation/findings.ts'
import { withdrawListing } from '../../../src/domain/moderation/moderate.ts'
import { addReport, reportFailedReview } from '../../../src/domain/moderation/reports.ts'
import { createLedgerQueue, type Store } from '../../../src/platform/db/store.ts'
import { block } from '../../../src/web/console/blocks.tsx'
import { actOnCases } from '../../../src/web/console/queue-page.tsx'
import { SQLITE_FIRST } from '../../support/engines.ts'
import { FIXED_KEYS } from '../../support/keys.ts'
import { untilWaiting } from '../../support/locks.ts'
import { operateHere } from '../../support/operate.ts'
import { type Pages, startPages } from '../page-app.ts'
import type { Visitor } from '../visitor.ts'
import { fieldsOf } from './operating.ts'
import { buttonOf, enter, idOf, reported, undoId } from './operators.ts'

describe.each(SQLITE_FIRST)('acts of hostile and careless moderators on %s', engine => {
  let pages: Pages
  beforeAll(async () => {
    pages = await startPages({ engine })
  })
  afterAll(() => pages.close())
  beforeEach(() => {
    pages.time.now = Date.now()
  })

  const decisionsOn = (listingId: number) =>
    pages.store.db
      .selectFrom('decision')
      .select(['kind', 'ground', 'reason', 'actor', 'facts'])
      .where('listingId', '=', listingId)
      .where('kind', '<>', 'report')
      .orderBy('at')
      .orderBy('id')
      .execute()
  const explanationIn = (facts: string | null | undefined) => JSON.parse(facts ?? '{}').explanation
  const openReports = async (listingId: number) =>
    (
      await pages.store.db
        .selectFrom('report')
        .select('id')
        .where('listingId', '=', listingId)
        .where('settledAt', 'is', null)
        .execute()
    ).length

  /** Has the database take no decision on a listing. @returns what ends that */
  async function refuseDecisionsOn(listingId: number, kinds = '%'): Promise<() => Promise<unknown>> {
    const run = (text: string) => sql.raw(text).execute(pages.store.db)
    const when = 'before insert on decision'
    if (engine === 'sqlite') {
      await run(
        `create trigger busy ${when} when new."listingId" = ${listingId} and new.kind like '${kinds}' begin select raise(abort, 'busy'); end`,
      )
      return () => run('drop trigger busy')
    }
    await run(`create or replace function busy() returns trigger language plpgsql
      as 'begin raise exception using errcode = ''lock_not_available''; end'`)
    const which = `new."listingId" = ${listingId} and new.kind like '${kinds}'`
    await run(`create trigger busy ${when} for each row when (${which}) execute function busy()`)
    return () => run('drop trigger busy on decision')
  }

  /** A listing, and its page in the console. */
  async function listed(fields: Parameters<Pages['addListing']>[0] = {}) {
    const { slug, publicPath } = await pages.addListing(fields)
    const [id, path] = [await idOf(pages.store, slug), `/console/listing/${slug}`]
    const row = async () => (await findListing(pages.store.db, slug)) ?? expect.fail(`${slug} is gone`)
    const act = async (person: Visitor, act: 'hide' | 'keep' | 'restore', fields = {}) =>
      person.post('/console/act', { slug, [act]: buttonOf(await person.get(path), act, id), ...fields })
    const undo = async (person: Visitor) =>
      person.post('/console/undo', { id: undoId(await person.get(path)) ?? 'none' })
    return { slug, id, path, publicPath, row, act, undo }
  }

  it('undo a new term: the listing has ended again, and was never taken down', async () => {
    const [publishedAt, expiresAt] = [pages.time.now - 2000, pages.time.now - 1000]
    const { id, row, act, undo, publicPath } = await listed({ publishedAt, expiresAt })
    const ada = await enter(pages, 'Ada')
    await act(ada, 'restore')
    expect((await pages.get(publicPath)).status).toBe(200)
    await undo(ada)
    expect(await row()).toMatchObject({ hiddenAt: null, expiresAt })
    expect((await pages.get(publicPath)).status).toBe(410)
    expect((await decisionsOn(id)).map(({ kind, reason }) => [kind, reason])).toEqual([
      ['restore', 'restored'],
      ['term', 'undone'],
    ])
  })

  it('undo a restoring: the listing is down for the reason it was, by whom it was', async () => {
    const { id, row, act, undo } = await listed()
    const ada = await enter(pages, 'Ada')
    await act(ada, 'hide', { explanation: 'Section 86', ground: 'law/illegal-content' })
    await act(ada, 'restore')
    await undo(ada)
    expect(await row()).toMatchObject({ hiddenReason: 'Section 86', hiddenBy: 'operator' })
    const [first, , again] = await decisionsOn(id)
    expect(again).toMatchObject({ kind: 'hide', ground: first?.ground, reason: 'illegal', actor: 'operator:Ada' })
    expect(explanationIn(again?.facts)).toBe('Section 86')

    const other = await listed()
    await withdrawListing(pages.store, await other.row(), pages.time.now)
    await other.act(ada, 'restore')
    await other.undo(ada)
    expect(await other.row()).toMatchObject({ hiddenBy: 'owner', hiddenReason: 'Withdrawn by its owner' })
    const { output } = await operateHere(pages.database.env, 'audit', 'verify')
    expect(output).toContain('log whole')
  })

  it('undo a restoring while an appeal is open: who grants it then shows the listing', async () => {
    const { slug, row, act, undo } = await listed()
    const [ada, bo] = [await enter(pages, 'Ada'), await enter(pages, 'Bo')]
    await act(ada, 'hide')
    const id = (await hidingDecision(pages.store.db, slug)) ?? ''
    await appealDecision(pages.store, id, 'It is allowed.', 'owner', pages.time.now)
    for (let times = 1; times <= 2; times++) {
      await act(ada, 'restore')
      await undo(ada)
    }
    expect((await row()).hiddenAt).not.toBeNull()
    await bo.post('/console/appeal', { id, slug, result: 'reversed', explanation: 'So it is' })
    expect((await row()).hiddenAt).toBeNull()

    // A later one of its own stands.
    const other = await listed()
    await other.act(ada, 'hide')
    const first = (await hidingDecision(pages.store.db, other.slug)) ?? ''
    await appealDecision(pages.store, first, 'It is allowed.', 'owner', pages.time.now)
    await other.act(ada, 'restore')
    await other.act(ada, 'hide', { explanation: 'For a better reason' })
    await bo.post('/console/appeal', { id: first, result: 'reversed', explanation: 'So it is' })
    expect((await other.row()).hiddenAt).not.toBeNull()
  })

  it('undo nothing of another, and nothing twice', async () => {
    const { act, path, row } = await listed()
    const [ada, bo] = [await enter(pages, 'Ada'), await enter(pages, 'Bo')]
    await act(ada, 'hide')
    const id = undoId(await ada.get(path)) ?? 'none'
    await bo.post('/console/undo', { id })
    expect((await bo.get(path)).html).toContain('That can no longer be undone.')
    expect((await row()).hiddenAt).not.toBeNull()
    await act(bo, 'restore')
    await act(bo, 'hide', { explanation: 'For a better reason' })
    await ada.post('/console/undo', { id })
    expect((await ada.get(path)).html).toMatch(/is unchanged:[^.]*<bdi>Bo<\/bdi> hid it/)
    expect(await row()).toMatchObject({ hiddenReason: 'For a better reason' })
  })

  it('keep the undo of what they did if its form is sent twice', async () => {
    const { id, path, row, undo } = await listed()
    const ada = await enter(pages, 'Ada')
    const hide = buttonOf(await ada.get(path), 'hide', id)
    await ada.post('/console/act', { hide })
    await ada.post('/console/act', { hide })
    expect((await ada.get(path)).html).toContain('Hidden: ')
    await undo(ada)
    expect((await row()).hiddenAt).toBeNull()
  })

  it('undo again what the database did not take, and what was done before that', async () => {
    const [one, other] = [await listed(), await listed()]
    const [ada, bo] = [await enter(pages, 'Ada'), await enter(pages, 'Bo')]
    const both = [one, other].map(async ({ path, id }) => ['case', buttonOf(await ada.get(path), 'hide', id)])
    const form = new URLSearchParams([...(await Promise.all(both)), ['several', 'hide']])
    // The reply is the queue, and not the page of a failed form, which would forget what was hidden.
    const accept = await refuseDecisionsOn(other.id)
    expect((await ada.post('/console/act', form as never)).status).toBe(303)
    const { html } = await ada.get('/console')
    expect(html).toContain('The site could not do the rest. Try again.')
    expect(html).toContain('Hidden: <a')
    await accept()
    const [id, acceptOne] = [undoId(await ada.get('/console')) ?? 'none', await refuseDecisionsOn(one.id)]
    expect((await ada.post('/console/undo', { id })).status).toBe(503)
    await acceptOne()
    expect((await one.row()).hiddenAt).not.toBeNull()
    expect(undoId(await bo.get('/console'))).toBeUndefined()
    await ada.post('/console/undo', { id })
    expect((await ada.get('/console')).html).toContain('Undone: <a')
    expect((await one.row()).hiddenAt).toBeNull()
  })

  it('hide nothing of which the database does not take the reports, and all of it once it does', async () => {
    const { slug, id, path, row, undo } = await listed()
    await reported(pages, slug, 2)
    const ada = await enter(pages, 'Ada')
    const form = { slug, hide: buttonOf(await ada.get(path), 'hide', id) }
    const accept = await refuseDecisionsOn(id, 'settle')
    expect((await ada.post('/console/act', form)).status).toBe(503)
    await accept()
    expect([(await row()).hiddenAt, await openReports(id)]).toEqual([null, 2])
    await ada.post('/console/act', form)
    expect([(await row()).hiddenAt, await openReports(id)]).toEqual([expect.any(Number), 0])
    await undo(ada)
    expect([(await row()).hiddenAt, await openReports(id)]).toEqual([null, 2])
  })

  it('undo the rest of what the database did not take', async () => {
    const { slug, id, path, act, row, undo } = await listed()
    await reported(pages, slug)
    const ada = await enter(pages, 'Ada')
    await act(ada, 'hide')
    const accept = await refuseDecisionsOn(id, 'outcome')
    const undone = undoId(await ada.get(path)) ?? 'none'
    expect((await ada.post('/console/undo', { id: undone })).status).toBe(503)
    expect((await row()).hiddenAt).toBeNull()
    await accept()
    await undo(ada)
    expect((await ada.get(path)).html).toContain(', 1 report open again.')
    const open = await pages.store.db.selectFrom('report').select('settledAt').where('listingId', '=', id).execute()
    expect(open).toEqual([{ settledAt: null }])
  })

  /** The store of a process that dies when it begins one transaction more than this. */
  function dyingAfter(transactionsMax: number): { dying: Store; died: Promise<void> } {
    const { promise: died, resolve } = Promise.withResolvers<void>()
    let transactions = 0
    const dying: Store = {
      ...pages.store,
      // Each process has its own: this one never leaves it.
      ledgerQueue: createLedgerQueue(1),
      transact(work) {
        if (++transactions <= transactionsMax) return pages.store.transact(work)
        resolve()
        return new Promise(() => {})
      },
    }
    return { dying, died }
  }

  it('undo what was done when a process died in the middle of a decision on several', async () => {
    const [one, other] = [await listed(), await listed()]
    const ada = await enter(pages, 'Ada')
    const form = {
      several: 'hide',
      case: [buttonOf(await ada.get(one.path), 'hide', one.id), buttonOf(await ada.get(other.path), 'hide', other.id)],
    }
    const sessions = pages.store.db.selectFrom('console_session').selectAll().where('lastAct', 'is', null)
    const { hash, name, endsAt, lastAct } = await sessions.orderBy('endsAt', 'desc').executeTakeFirstOrThrow()
    const session: ConsoleSession = { hash, name, endsAt, lastAct, role: 'admin' }
    const { dying, died } = dyingAfter(2)
    void actOnCases({ store: dying, clock: Date.now } as never, { view: { session }, request: {} } as never, form)
    await died
    expect([(await one.row()).hiddenAt !== null, (await other.row()).hiddenAt]).toEqual([true, null])
    await ada.post('/console/undo', { id: undoId(await ada.get('/console')) ?? 'none' })
    expect((await one.row()).hiddenAt).toBeNull()
  })

  it('undo the block of a host when a process died before it hid the listings', async () => {
    const { id, path, row } = await listed()
    const ada = await enter(pages, 'Ada')
    const [value] = buttonOf(await ada.get(path), 'hide', id).split(' ')
    const form = { host: 'died.com', explanation: 'Spam', hide: 'yes', cases: value ?? '' }
    const sessions = pages.store.db.selectFrom('console_session').selectAll().where('lastAct', 'is', null)
    const { hash, name, endsAt, lastAct } = await sessions.orderBy('endsAt', 'desc').executeTakeFirstOrThrow()
    const session: ConsoleSession = { hash, name, endsAt, lastAct, role: 'admin' }
    const { dying, died } = dyingAfter(2)
    const deps = { store: dying, clock: Date.now, links: { hostname: 'site.example' } }
    void block(deps as never, { view: { session }, request: {} } as never, form)
    await died
    const blocks = () => pages.store.db.selectFrom('blocked_host').select('host').where('endedAt', 'is', null).execute()
    expect([await blocks(), (await row()).hiddenAt]).toEqual([[{ host: 'died.com' }], null])
    await ada.post('/console/undo', { id: undoId(await ada.get('/console')) ?? 'none' })
    expect(await blocks()).toEqual([])
  })

  it('undo the rest after a process died while it undid a decision on several', async () => {
    const both = [await listed(), await listed()]
    const ada = await enter(pages, 'Ada')
    const cases = []
    for (const { id, path } of both) cases.push(buttonOf(await ada.get(path), 'hide', id))
    const form = new URLSearchParams([...cases.map(value => ['case', value]), ['several', 'hide']])
    await ada.post('/console/act', form as never)
    const hidden = async () =>
      (await Promise.all(both.map(({ row }) => row()))).map(({ hiddenAt }) => hiddenAt !== null)
    expect(await hidden()).toEqual([true, true])
    const sessions = pages.store.db
      .selectFrom('console_session')
      .selectAll()
      .where('lastAct', 'like', `%${both[0]?.slug}%`)
    const { hash, name, endsAt, lastAct } = await sessions.executeTakeFirstOrThrow()
    const session: ConsoleSession = { hash, name, endsAt, lastAct, role: 'admin' }
    const { dying, died } = dyingAfter(2)
    void undo(dying, session, undoId(await ada.get('/console')), Date.now())
    await died
    expect((await hidden()).toSorted()).toEqual([false, true])
    await ada.post('/console/undo', { id: undoId(await ada.get('/console')) ?? 'none' })
    expect(await hidden()).toEqual([false, false])
  })

  it('keep what they did in another tab while the database did not take an undo', async () => {
    const { slug, path, act } = await listed()
    const ada = await enter(pages, 'Ada')
    await act(ada, 'hide')
    const sessions = pages.store.db.selectFrom('console_session').selectAll().where('lastAct', 'like', `%${slug}%`)
    const { hash, name, endsAt, lastAct } = await sessions.executeTakeFirstOrThrow()
    const session: ConsoleSession = { hash, name, endsAt, lastAct, role: 'admin' }
    const words = 'Done in another tab.'
    let transactions = 0
    const busy: Store = {
      ...pages.store,
      async transact(work) {
        // The second one restores the listing.
        if (++transactions !== 2) return pages.store.transact(work)
        await rememberAct(pages.store, session, { did: 'say', at: Date.now(), acted: [], words })
        throw new Error('busy')
      },
    }
    const id = undoId(await ada.get(path))
    await expect(undo(busy, session, id, Date.now())).rejects.toThrow('busy')
    expect((await ada.get('/console')).html).toContain(words)
  })

  it('undo the last act after they pressed the button of an earlier one in another tab', async () => {
    const [one, other] = [await listed(), await listed()]
    const ada = await enter(pages, 'Ada')
    await one.act(ada, 'hide')
    const id = undoId(await ada.get(one.path)) ?? 'none'
    await other.act(ada, 'hide')
    await ada.post('/console/undo', { id })
    expect((await ada.get('/console')).html).toContain('That can no longer be undone.')
    await other.undo(ada)
    expect((await other.row()).hiddenAt).toBeNull()
    expect((await one.row()).hiddenAt).not.toBeNull()
  })

  it('undo the last act after they pressed a button that changed nothing, or came too late', async () => {
    const [one, other] = [await listed(), await listed()]
    const [ada, bo] = [await enter(pages, 'Ada'), await enter(pages, 'Bo')]
    const late = buttonOf(await ada.get(other.path), 'hide', other.id)
    await one.act(ada, 'hide')
    await other.act(bo, 'hide')
    await ada.post('/console/act', { several: 'hide' })
    const shown = (await ada.get('/console')).html
    expect(shown).toMatch(/Nothing changed. Select at least one listing.<\/p><p>Hidden: /)
    await ada.post('/console/act', { hide: late })
    expect((await ada.get('/console')).html).toMatch(/<p>Hidden: [^<]*<a[\s\S]*is unchanged: <bdi>Bo<\/bdi> hid it/)
    await one.undo(ada)
    expect([(await one.row()).hiddenAt, (await other.row()).hiddenAt]).toEqual([null, expect.any(Number)])
  })

  it('hide what no one reported, and no recheck found: its owner reads of neither', async () => {
    const { id, act, row } = await listed()
    const refreshed = await listed()
    const ada = await enter(pages, 'Ada')
    await pages.store.transact(trx => reportFailedReview(trx, refreshed.id, 'policy', pages.time.now))
    await refreshed.act(ada, 'hide')
    expect((await refreshed.row()).hiddenReason).toBe('Its page no longer passes review')
    const seen = { since: pages.time.now, now: pages.time.now }
    await pages.store.transact(trx => raiseFindings(trx, id, [{ kind: 'contested', evidence: {} }], seen))
    await act(ada, 'hide')
    expect((await row()).hiddenReason).toBe('Two people proved that the website is theirs')
  })

  it('read the history in the order of what was done, also after the clock was set back', async () => {
    const { path, act } = await listed()
    const ada = await enter(pages, 'Ada')
    await act(ada, 'hide')
    pages.time.now -= 3_600_000
    await act(ada, 'restore')
    const [, history] = (await ada.get(path)).html.split('id="history"')
    expect(history?.match(/<strong>[^<]*/g)).toEqual(['<strong>Restored', '<strong>Hidden'])
  })

  it('get back what they wrote if their session ended, and return to the page by signing in', async () => {
    const { slug, path, id, row } = await listed()
    const ada = await enter(pages, 'Ada')
    const hide = buttonOf(await ada.get(path), 'hide', id)
    await ada.post('/console/end', {})
    const refused = await ada.post('/console/act', { slug, hide, explanation: 'It sells </textarea> bread' })
    expect(refused.status).toBe(403)
    expect(refused.html).toContain('Your session has ended, so nothing changed.')
    expect(refused.html).toMatch(/<textarea[^>]*>\s*It sells &lt;\/textarea> bread/)
    expect((await row()).hiddenAt).toBeNull()
    for (const page of [refused, await ada.get(path)]) {
      expect(fieldsOf(page, '/console/enter')).toMatchObject({ slug })
    }
    const payments = await ada.get('/console/payments?page=2')
    expect(fieldsOf(payments, '/console/enter')).toMatchObject({ from: 'payments' })
    const filter = { waiting: 'reports', reason: 'malicious' }
    const queue = await ada.get(`/console?${new URLSearchParams(filter)}`)
    expect(fieldsOf(queue, '/console/enter')).toMatchObject(filter)
    expect(fieldsOf(await ada.post('/console/act', { ...filter, hide }), '/console/enter')).toMatchObject(filter)
    // Nothing was written, so nothing is shown.
    expect((await ada.post('/console/undo', { id: 'none' })).html).not.toContain('<textarea')
  })

  it('read in the console that there is no such listing', async () => {
    const ada = await enter(pages, 'Ada')
    const missing = await ada.get('/console/listing/none')
    expect(missing.status).toBe(404)
    expect(missing.html).toContain('<h1>No such listing</h1>')
    expect(missing.html).toContain('href="/console/payments"')
  })

  it('record only what was seen: reports that come while they read change no reason', async () => {
    const { id, slug, path } = await listed()
    await reported(pages, slug)
    const ada = await enter(pages, 'Ada')
    const hide = buttonOf(await ada.get(path), 'hide', id)
    await reported(pages, slug, 9, 'malicious')
    const found = { since: pages.time.now, now: pages.time.now }
    await pages.store.transact(trx => raiseFindings(trx, id, [{ kind: 'moved', evidence: {} }], found))
    await ada.post('/console/act', { slug, hide })
    const [hidden] = await decisionsOn(id)
    expect(hidden).toMatchObject({ kind: 'hide', reason: 'policy' })
    expect(explanationIn(hidden?.facts)).toBe(
      'Reported, and confirmed: It says something untrue, or pretends to be someone else',
    )
    expect(await openReports(id)).toBe(9)
  })

  it('decide one case at the same time in different ways: each report is settled once, and both are on record', async () => {
    const { id, slug, path, row } = await listed()
    await reported(pages, slug, 3)
    const [ada, bo] = [await enter(pages, 'Ada'), await enter(pages, 'Bo')]
    const page = await ada.get(path)
    await Promise.all([
      ada.post('/console/act', { slug, hide: buttonOf(page, 'hide', id) }),
      bo.post('/console/act', { slug, keep: buttonOf(page, 'keep', id) }),
    ])
    const decided = await decisionsOn(id)
    expect(decided.filter(({ kind }) => kind === 'settle')).toHaveLength(3)
    const isHidden = (await row()).hiddenAt !== null
    expect(decided.filter(({ kind }) => kind === 'hide')).toHaveLength(isHidden ? 1 : 0)
    expect(await openReports(id)).toBe(0)
  })

  it('act on many with forged values: only real listings change, and twenty at most', async () => {
    const real = await listed()
    const ada = await enter(pages, 'Ada')
    const seen = buttonOf(await ada.get(real.path), 'hide', real.id)
    const forged = [
      ...['', '.', '...', '-1.0.0.', '1e3.0.0.', '0.0.0.', '999999999999999.0.0.', `${real.id}.0.0.${'0'.repeat(36)}`],
      ...[`${real.id}.0.0.x' or 1=1`, `${real.id}.-1.-1.`, seen],
    ]
    const form = new URLSearchParams([...forged.map(value => ['case', value]), ['several', 'hide']])
    expect((await ada.post('/console/act', form as never)).location).toBe('/console')
    expect((await ada.get('/console')).html).toContain('Hidden: <a')
    expect((await decisionsOn(real.id)).filter(({ kind }) => kind === 'hide')).toHaveLength(1)
    for (const several of ['delete', 'constructor', '__proto__']) {
      expect((await ada.post('/console/act', { case: seen, several })).location).toBe('/console')
    }
  })

  it('read the longest hostile texts, which stay texts', async () => {
    const script = '</p><script>alert(1)</script><img src=x onerror=alert(1)>\u202e'
    const { id, slug, path } = await listed({
      title: '<script>alert(1)</script>',
      description: `${script}${'w'.repeat(200)}`,
    })
    const details = `${script}${'面'.repeat(900)}`
    const report = { reason: 'other', details, contact: `${script}${'c'.repeat(150)}` } as const
    await addReport({ store: pages.store, serviceKeys: FIXED_KEYS }, id, report, 'a network', pages.time.now)
    const evidence = { title: script, to: `${'t'.repeat(500)}.net`, context: [script, 'z'.repeat(900)] }
    const found = { since: pages.time.now, now: pages.time.now }
    await pages.store.transact(trx => raiseFindings(trx, id, [{ kind: 'moved', evidence }], found))
    const ada = await enter(pages, 'Ada')
    for (const at of [path, '/console', '/console/log', `/console/listings?q=${encodeURIComponent(slug)}`]) {
      const { html } = await ada.get(at)
      expect(html).not.toMatch(/<script>alert|<img src=x/)
    }
    await ada.post('/console/act', { slug, keep: buttonOf(await ada.get(path), 'keep', id), explanation: details })
    expect((await ada.get('/console')).html).not.toMatch(/<script>alert|<img src=x/)
  })
})

const AT_ONCE = 'of two moderators who leave up and %s one case at the same time, one decides'
it.each(['hide', 'end'])(AT_ONCE, { tags: ['postgres'] }, async act => {
  const pages = await startPages({ engine: 'postgres' })
  pages.time.now = Date.now()
  const { slug, publicPath } = await pages.addListing()
  const [id, path] = [await idOf(pages.store, slug), `/console/listing/${slug}`]
  await reported(pages, slug, 3)
  const [ada, bo] = [await enter(pages, 'Ada'), await enter(pages, 'Bo')]
  const shown = await ada.get(path)
  const acts: Promise<unknown>[] = []
  await pages.store.transact(async trx => {
    await trx.selectFrom('report').select('id').where('listingId', '=', id).forUpdate().execute()
    acts.push(bo.post('/console/act', { slug, keep: buttonOf(shown, 'keep', id) }))
    await untilWaiting(pages.store)
    const end = { ...fieldsOf(shown, '/console/term'), explanation: 'Over', to: 'end' }
    const hide = { slug, hide: buttonOf(shown, 'hide', id) }
    acts.push(act === 'end' ? ada.post('/console/term', end) : ada.post('/console/act', hide))
    await untilWaiting(pages.store, 2)
  })
  await Promise.all(acts)
  const decisions = await pages.store.db
    .selectFrom('decision')
    .select(['kind', 'reason', 'actor'])
    .where('listingId', '=', id)
    .where('kind', '<>', 'report')
    .execute()
  expect(new Set(decisions.map(({ kind, reason, actor }) => `${kind} ${reason} ${actor}`))).toEqual(
    new Set(['settle listing_kept operator:Bo']),
  )
  expect((await pages.get(publicPath)).status).toBe(200)
  expect((await bo.get(path)).html).toMatch(/Left as it is:.*, 3 reports settled\./)
  expect((await ada.get(path)).html).toContain('is unchanged: <bdi>Bo</bdi>')
  await pages.close()
})

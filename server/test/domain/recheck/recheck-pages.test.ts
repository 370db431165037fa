// @module-tag slow
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { hideListing, restoreListing } from '../../../src/domain/moderation/moderate.ts'
import { leaseRecheck, notRecheckedSince } from '../../../src/domain/recheck/schedule.ts'
import { dueRechecks } from '../../../src/ops/jobs/recheck-listings.ts'
import { daysMs } from '../../../src/platform/lib/time.ts'
import { NXDOMAIN, startDnsServer } from '../../support/dns-server.ts'
import { migratedDatabase, SQLITE_FIRST } from '../../support/engines.ts'
import { listingRow } from '../../support/listing-row.ts'
import { untilWaiting } from '../../support/locks.ts'
import { operateHere } from '../../support/operate.ts'
import { planOf } from '../../support/plan.ts'
import {
  NOON,
  newCredentials,
  publish,
  publishBody,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { goodPage, sendHtml } from '../../support/sites.ts'

describe.each(SQLITE_FIRST)('rechecks of listed pages on %s', engine => {
  const services: TestService[] = []
  afterEach(async () => {
    // The first one owns the database and the sites.
    for (const service of services.splice(0).reverse()) await service.stop()
  })

  async function start(rechecksPerHour: number) {
    const [first] = services
    const shared = first && { database: first.database, sites: first.sites }
    const service = await startTestService({ engine, env: { LOOKS_PER_HOUR: `${rechecksPerHour}` }, ...shared })
    if (first) Object.defineProperty(service.clock, 'now', { get: () => first.clock.now })
    services.push(service)
    return service
  }
  const list = (service: TestService, host: string) =>
    publish(service, newCredentials(), publishBody(`http://${host}/`))
  const HOSTS = ['one.com', 'two.com', 'three.com', 'four.com', 'five.com']
  const visits = ({ sites }: TestService) => HOSTS.map(host => sites.visits(host))

  it('are no more in an hour than the setting, and none is made twice by two instances', async () => {
    const service = await start(2)
    await start(2)
    for (const host of HOSTS) await list(service, host)
    const looked = () => visits(service).filter(count => count === 3).length
    service.clock.now += daysMs(2)
    await expect.poll(looked).toBe(2)
    service.clock.now += 59 * 60_000
    const store = await service.database.openStore()
    expect(await dueRechecks(store, service.clock.now, 2)).toEqual([])
    service.clock.now += 60_001
    await expect.poll(looked).toBe(4)
    expect(Math.max(...visits(service))).toBe(3)
  })

  it('go on after the clock was set back', async () => {
    const service = await start(2)
    for (const host of HOSTS) await list(service, host)
    const looked = () => visits(service).filter(count => count === 3).length
    service.clock.now += daysMs(2)
    await expect.poll(looked).toBe(2)
    service.clock.now -= daysMs(1)
    await expect.poll(looked).toBe(4)
    const store = await service.database.openStore()
    expect(await dueRechecks(store, service.clock.now, 2)).toEqual([])
  })

  it('are not made without any in an hour', async () => {
    const service = await start(0)
    await list(service, 'one.com')
    service.clock.now += daysMs(30)
    const store = await service.database.openStore()
    expect(await dueRechecks(store, service.clock.now, 0)).toEqual([])
    expect(visits(service)[0]).toBe(1)
  })

  it('never connect to a name that has become a private address, report it later, and hide nothing', async () => {
    const service = await start(0)
    await list(service, 'one.com')
    const { address, close } = await startDnsServer(({ name, type }) => ({
      records: type === 'A' ? [{ name, type, ttl: 1, data: '10.0.0.7' }] : [],
    }))
    const env = { ...service.database.env, DNS_SERVERS: address }
    for (let tries = 1; tries <= 4; tries++) {
      const { output } = await operateHere(env, 'review-again', 'one-com', '--json')
      expect(JSON.parse(output)).toMatchObject({
        verdict: 'gone',
        hidden: false,
        findings: [{ kind: 'gone', evidence: { why: 'not_public' } }],
      })
    }
    expect((await operateHere(env, 'findings')).output).toMatch(/one-com {2}gone: .*\n.*why="not_public"/)
    expect((await operateHere(env, 'settle-finding', '1', '--reason', 'Told them')).code).toBe(0)
    // The same trouble is not told twice.
    await operateHere(env, 'review-again', 'one-com')
    await close()
    expect(visits(service)[0]).toBe(1)
    expect((await operateHere(env, 'findings')).output).toBe('There are no open findings.\n')
    expect((await operateHere(env, 'settle-finding', '7', '--reason', 'x')).code).toBe(1)
  })

  it('keep what is listed while a check for robots is shown instead, to all or to browsers, and publish waits', async () => {
    const service = await start(0)
    const challenge =
      '<title>Just a moment...</title><h1>Welcome to one.com</h1><p>Checking your browser before accessing one.com.'
    service.sites.set('one.com', (_request, response) => sendHtml(response, challenge))
    const credentials = newCredentials()
    const refused = await publish(service, credentials, publishBody('http://one.com/'))
    expect(refused).toMatchObject({ status: 503, body: { code: 'review_unavailable', reason: 'site_unreachable' } })
    expect(refused.body.error).toMatch(/^The website shows a check for robots instead of its page\. Let its firewall /)
    service.sites.set('one.com', goodPage)
    expect((await publish(service, credentials, publishBody('http://one.com/'))).status).toBe(201)
    const env = { ...service.database.env, FETCH_CONNECT_TO: service.sites.connectTo }
    const look = async () => JSON.parse((await operateHere(env, 'review-again', 'one-com', '--json')).output)
    service.sites.set('one.com', (request, response) => {
      if (request.headers['user-agent']?.startsWith('Mozilla')) sendHtml(response, challenge)
      else goodPage(request, response)
    })
    expect(await look()).toMatchObject({ verdict: 'same', findings: [] })
    service.sites.set('one.com', (_request, response) => sendHtml(response, challenge))
    const why = 'a check for robots instead of its page'
    expect(await look()).toMatchObject({ verdict: 'gone', hidden: false, findings: [{ evidence: { why } }] })
    const store = await service.database.openStore()
    expect(await store.db.selectFrom('listing').select('title').execute()).toEqual([{ title: 'Welcome to one.com' }])
  })

  it('hide no page that visitors reach through a waiting room, a question, a check or a login elsewhere', async () => {
    const service = await start(0)
    await list(service, 'one.com')
    const env = { ...service.database.env, FETCH_CONNECT_TO: service.sites.connectTo }
    const gates = [
      ['acme.queue-it.net', 'a waiting room'],
      ['myprivacy.dpgmedia.nl', 'a question about cookies'],
      ['validate.perfdrive.com', 'a check for robots'],
      ['login.microsoftonline.com', 'a login'],
    ] as const
    for (const [host, what] of gates) {
      service.sites.set(host, (_request, response) => sendHtml(response, '<title>You are in line</title>Please wait'))
      service.sites.set('one.com', (_request, response) =>
        response.writeHead(302, { location: `http://${host}/` }).end(),
      )
      const { output } = await operateHere(env, 'review-again', 'one-com', '--json')
      const evidence = { why: `${what} instead of its page` }
      expect(JSON.parse(output)).toMatchObject({ verdict: 'gone', hidden: false, findings: [{ evidence }] })
    }
  })

  it('raise no settled finding again after the clock was set back during the trouble', async () => {
    const service = await start(0)
    await list(service, 'one.com')
    service.sites.set('one.com', (_request, response) => response.writeHead(404).end())
    const env = { ...service.database.env, FETCH_CONNECT_TO: service.sites.connectTo }
    const look = () => operateHere(env, 'review-again', 'one-com')
    await look()
    const store = await service.database.openStore()
    await store.db
      .updateTable('seen_page')
      .set({ troubledSince: Date.now() + daysMs(2) })
      .execute()
    for (let tries = 2; tries <= 4; tries++) await look()
    expect((await operateHere(env, 'settle-finding', '1', '--reason', 'Told them')).code).toBe(0)
    await look()
    expect((await operateHere(env, 'findings')).output).toBe('There are no open findings.\n')
    // What began after that is another trouble.
    await store.db.updateTable('seen_page').set({ troubledSince: Date.now() }).execute()
    await look()
    expect((await operateHere(env, 'findings')).output).toContain('one-com')
  })

  it('raise no finding again that stayed open while the page passed, and was settled once it failed again', async () => {
    const service = await start(0)
    const text = 'Sourdough loaves, seeded rolls and cinnamon buns from a wood oven, collected before breakfast.'
    const show = (label: string) =>
      service.sites.set('one.com', (_request, response) => sendHtml(response, `<title>Acme</title>${label}<p>${text}`))
    const env = { ...service.database.env, FETCH_CONNECT_TO: service.sites.connectTo }
    const look = async () => JSON.parse((await operateHere(env, 'review-again', 'one-com', '--json')).output)
    show('')
    await list(service, 'one.com')
    for (const label of ['<meta name="rating" content="adult">', '', '<meta name="rating" content="adult">']) {
      show(label)
      expect((await look()).findings).toHaveLength(label ? 1 : 0)
    }
    expect((await operateHere(env, 'settle-finding', '1', '--reason', 'A wrong label')).code).toBe(0)
    await look()
    expect((await operateHere(env, 'findings')).output).toBe('There are no open findings.\n')
  })

  it('hide no page for a comment that was edited after it had filled the page', async () => {
    const service = await start(0)
    const text = 'Sourdough loaves, seeded rolls and cinnamon buns from a wood oven, collected before breakfast.'
    const show = (comment: string) =>
      service.sites.set('one.com', (_request, response) =>
        sendHtml(response, `<html lang="en"><title>Acme</title><p>${text}<p>${comment}`),
      )
    const env = { ...service.database.env, FETCH_CONNECT_TO: service.sites.connectTo }
    const look = async () => JSON.parse((await operateHere(env, 'review-again', 'one-com', '--json')).output)
    show('')
    await list(service, 'one.com')
    const names = Array.from({ length: 60 }, (_, nth) => `comet${String.fromCharCode(97 + (nth % 26), 97 + nth / 26)}`)
    show(`${names.join(' ')}. `.repeat(9))
    expect((await look()).findings).toEqual([])
    show('Mine said verify your account with your recovery phrase, card number and cvv, and your email password')
    expect(await look()).toMatchObject({ hidden: false, findings: [{ kind: 'fails_review' }] })
  })

  it('hide a page that was taken over also while a reviewer can’t tell, and otherwise wait for it', async () => {
    const service = await start(0)
    for (const host of ['one.com', 'two.com', 'three.com']) await list(service, host)
    // The owner of a name can keep its servers from answering these resolvers.
    const { address, close } = await startDnsServer(() => ({ code: NXDOMAIN }))
    const env = {
      ...service.database.env,
      FETCH_CONNECT_TO: service.sites.connectTo,
      REVIEWERS: 'page-rules,dns-filter',
      DNS_FILTER: `${address},${address}`,
    }
    service.sites.set('plumbers.com', ({ url = '' }, response) => {
      if (!['/', '/go?to=boilers'].includes(url)) return response.writeHead(404).end()
      sendHtml(response, '<title>Northside Plumbing</title><p>Boilers serviced, radiators bled, taps mended.')
    })
    service.sites.set('one.com', (_request, response) =>
      response.writeHead(301, { location: 'http://plumbers.com/go?to=boilers' }).end(),
    )
    // As protection against bots does: browsers see the page as before.
    service.sites.set('three.com', (request, response) => {
      if (request.headers['user-agent']?.startsWith('Mozilla')) goodPage(request, response)
      else response.writeHead(301, { location: 'http://plumbers.com/' }).end()
    })
    const look = async (slug: string) => JSON.parse((await operateHere(env, 'review-again', slug, '--json')).output)
    expect(await look('one-com')).toMatchObject({ verdict: 'taken_over', hidden: true })
    expect(await look('two-com')).toMatchObject({ unsure: expect.stringContaining('neither resolver knows') })
    expect(await look('three-com')).toMatchObject({
      hidden: false,
      findings: [{ kind: 'taken_over' }, { kind: 'two_faces' }],
    })
    const store = await service.database.openStore()
    const listings = await store.db.selectFrom('listing').select(['slug', 'hiddenAt']).orderBy('id').execute()
    expect(listings).toMatchObject([
      { slug: 'one-com', hiddenAt: expect.any(Number) },
      { slug: 'two-com', hiddenAt: null },
      { slug: 'three-com', hiddenAt: null },
    ])
    await close()
  })

  it('of all listings are counted without those that another process has', async () => {
    const service = await start(0)
    await list(service, 'one.com')
    await list(service, 'two.com')
    const store = await service.database.openStore()
    const before = Date.now()
    service.sites.set('one.com', async (request, response) => {
      const [two] = await notRecheckedSince(store, { before, now: before, limit: 1 })
      if (two) await leaseRecheck(store, two, Date.now())
      goodPage(request, response)
    })
    const env = { ...service.database.env, FETCH_CONNECT_TO: service.sites.connectTo }
    expect((await operateHere(env, 'review-again', '--all')).output).toContain('rechecked 1 page\n')
  })

  it('of all pages stop after the current one, and continue with the others', async () => {
    const service = await start(0)
    for (const host of ['one.com', 'two.com']) await list(service, host)
    for (const host of ['one.com', 'two.com']) {
      service.sites.set(host, () => process.emit('SIGTERM', 'SIGTERM'))
    }
    const env = { ...service.database.env, FETCH_CONNECT_TO: service.sites.connectTo }
    const { output } = await operateHere(env, 'review-again', '--all', '--json')
    expect(output).toBe('placard: stopped after 1 page\n')
    expect(visits(service)).toEqual([2, 1, 0, 0, 0])
  })

  it('are found by an index among many listings', async () => {
    const database = await migratedDatabase(engine)
    const store = await database.openStore()
    await store.transact(async trx => {
      for (let start = 0; start < 5000; start += 500) {
        const rows = Array.from({ length: 500 }, (_, nth) => listingRow({ slug: `site-${start + nth}` }))
        const ids = await trx.insertInto('listing').values(rows).returning('id').execute()
        await trx
          .insertInto('seen_page')
          .values(ids.map(({ id }) => ({ listingId: id, snapshot: null, lookAt: NOON + id, troubledSince: null })))
          .execute()
      }
    })
    const [due] = await dueRechecks(store, NOON + 1000, 100)
    if (!due) throw new Error('one must be due')
    await sql`analyze`.execute(store.db)
    const { steps, mostRows } = await planOf(store, async watched => {
      await dueRechecks(watched, NOON + 1000, 100)
      await notRecheckedSince(watched, { before: NOON, now: NOON, limit: 16 })
    })
    expect(steps.filter(step => /\bscan (?:listing|seen_page)\b(?!.*index)|seq scan/i.test(step))).toEqual([])
    expect(mostRows).toBeLessThan(200)
    expect(await leaseRecheck(store, due, NOON + 1000)).toMatchObject({ listingId: due.listingId })
    expect(await leaseRecheck(store, due, NOON + 1000)).toBeUndefined()
    await database.remove()
  })
})

it('a listing that is restored while its recheck is put off is rechecked soon', { tags: ['postgres'] }, async () => {
  const service = await startTestService({ engine: 'postgres', env: { LOOKS_PER_HOUR: '0' } })
  // The command's own time.
  service.clock.now = Date.now()
  await publish(service, newCredentials(), publishBody('http://one.com/'))
  const store = await service.database.openStore()
  await hideListing(store, 'one-com', 'x', Date.now())
  await store.transact(trx =>
    trx
      .updateTable('seen_page')
      .set({ lookAt: Date.now() - 1 })
      .execute(),
  )
  const done: Promise<unknown>[] = []
  await store.transact(async trx => {
    await trx.selectFrom('seen_page').select('listingId').forUpdate().execute()
    done.push(operateHere(service.database.env, 'review-again', 'one-com'))
    await untilWaiting(store)
    done.push(restoreListing(store, 'one-com', 'x', Date.now()))
    await Promise.race([done[1], untilWaiting(store, 2)])
  })
  await Promise.all(done)
  const { lookAt } = await store.db.selectFrom('seen_page').select('lookAt').executeTakeFirstOrThrow()
  expect(lookAt).toBeLessThanOrEqual(Date.now())
  await service.stop()
})

// @module-tag programs
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Receipt } from '@placard/contract'
import { describe, expect, it } from 'vitest'
import { search } from '../../../src/domain/listings/search.ts'
import { vocabularyOf } from '../../../src/domain/search/vocabulary.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { ENGINES, migratedDatabase } from '../../support/engines.ts'
import { startProcess } from '../../support/process.ts'
import { type Credentials, newCredentials, publish, publishAtLast, publishBody } from '../../support/service.ts'
import { goodPage, sendHtml, startSites } from '../../support/sites.ts'
import { openPrivatePage } from '../../web/manage/owner.ts'
import { newVisitor } from '../../web/visitor.ts'

const ROUNDS = 2
const WIDE = {
  LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: '100000',
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: '100000',
  LIMIT_NEW_ATTEMPTS_PER_DAY_GLOBAL: '100000',
}

describe.each(ENGINES)('a killed service on %s', engine => {
  it('loses no answered receipt and leaves no half of a publication', async () => {
    const database = await migratedDatabase(engine)
    const sites = await startSites()
    const env = { ...database.env, ...WIDE, FETCH_CONNECT_TO: sites.connectTo, LOG_LEVEL: 'info' }
    const sent: { credentials: Credentials; destination: string }[] = []
    const answered = new Map<Credentials, Receipt>()

    for (let round = 0; round < ROUNDS; round++) {
      const service = await startProcess({ ...env, BASE_URL: 'http://127.0.0.1:1' })
      let running = true
      const workers = Array.from({ length: 4 }, async (_, worker) => {
        for (let index = 0; running && index < 500; index++) {
          const submission = {
            credentials: newCredentials(),
            destination: `http://kill-${round}-${worker}-${index}.com/`,
          }
          sent.push(submission)
          try {
            const { status, body } = await publish(service, submission.credentials, publishBody(submission.destination))
            if (status === 201) answered.set(submission.credentials, body)
          } catch {
            return // The connection died with the process: the outcome is unknown.
          }
        }
      })
      // Make sure that something was answered before it dies, even on a busy machine.
      const before = answered.size
      await expect.poll(() => answered.size, { interval: 5 }).toBeGreaterThan(before + 1)
      await new Promise(resolve => setTimeout(resolve, Math.random() * 250))
      await service.end('SIGKILL')
      running = false
      await Promise.all(workers)
    }
    expect(answered.size).toBeGreaterThan(ROUNDS)

    // Every listing has its claim and its settled attempt, and vice versa.
    const store = await database.openStore()
    const count = async (query: Promise<{ count: number }>) => (await query).count
    const listings = await count(
      store.db
        .selectFrom('listing')
        .select(s => s.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow(),
    )
    const claims = await count(
      store.db
        .selectFrom('claim')
        .select(s => s.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow(),
    )
    const published = await count(
      store.db
        .selectFrom('attempt')
        .innerJoin('claim', 'claim.requestId', 'attempt.requestId')
        .innerJoin('listing', 'listing.id', 'claim.listingId')
        .where('attempt.state', '=', 'published')
        .select(s => s.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow(),
    )
    expect([claims, published]).toEqual([listings, listings])
    // End the dead process's leases at once; normally they take half a minute.
    await searchFindsAll(store)
    // The leases of the dead process end: here at once, in life after half a minute.
    await store.db.updateTable('attempt').set({ leaseUntil: 0 }).where('state', '=', 'reviewing').execute()
    await store.close()

    const service = await startProcess({ ...env, BASE_URL: 'http://127.0.0.1:1' })
    const repeats = Array.from({ length: 4 }, async (_, worker) => {
      for (const { credentials, destination } of sent.filter((_, index) => index % 4 === worker)) {
        const receipt = answered.get(credentials)
        const again = await publish(service, credentials, publishBody(destination))
        if (receipt) expect([again.status, again.body]).toEqual([200, receipt])
        // A repeat finishes what the dead process had begun.
        else expect([200, 201]).toContain(again.status)
      }
    })
    await Promise.all(repeats)
    await service.end('SIGTERM')
    await sites.close()

    // No secret and no token appears in the log or in any file of the service.
    const tokens = [...answered.values()].map(each => each.ownership.privateRecoveryUrl?.split('#owner=')[1] ?? '')
    const files = readdirSync(database.dataDir).map(name => readFileSync(join(database.dataDir, name), 'latin1'))
    const everything = [service.output(), ...files].join('\n').toLowerCase()
    expect(everything.length).toBeGreaterThan(100)
    for (const token of tokens) expect(everything.includes(token.toLowerCase())).toBe(false)
    for (const { credentials } of sent) expect(everything.includes(credentials.secret)).toBe(false)
    await database.remove()
  })

  it('hands the lease of a dead process to the next repeat once it has run out', async () => {
    const database = await migratedDatabase(engine)
    const sites = await startSites()
    const env = { ...database.env, ...WIDE, FETCH_CONNECT_TO: sites.connectTo }
    sites.set('hanging.com', () => {})
    const credentials = newCredentials()
    const dying = await startProcess(env)
    const lost = publish(dying, credentials, publishBody('http://hanging.com')).catch(() => 'lost')
    await expect.poll(() => sites.visits('hanging.com')).toBe(1)
    await dying.end('SIGKILL')
    expect(await lost).toBe('lost')

    sites.set('hanging.com', goodPage)
    const store = await database.openStore()
    await store.db
      .updateTable('attempt')
      .set({ leaseUntil: Date.now() + 500 })
      .execute()
    await store.close()
    const service = await startProcess(env)
    const { status } = await publishAtLast(service, credentials, publishBody('http://hanging.com'))
    expect(status).toBe(201)
    expect(await service.end('SIGTERM')).toBe(0)
    await sites.close()
    await database.remove()
  })
})

/** Every listing is found, and every word of one is known. */
async function searchFindsAll(store: Store): Promise<void> {
  const listings = await store.db.selectFrom('listing').select(['slug', 'hostname', 'searchText']).execute()
  const words = await store.db.selectFrom('search_word').select('word').execute()
  const known = new Set(words.map(({ word }) => word))
  for (const { slug, hostname, searchText } of listings) {
    const { rows: found } = await search(store, { words: hostname, now: Date.now(), limit: 100 })
    expect(found.map(listing => listing.slug)).toContain(slug)
    expect(vocabularyOf(searchText).filter(word => !known.has(word))).toEqual([])
  }
}

it('a proof that a kill interrupts gives one new link when it is checked again', async () => {
  const [database, sites] = [await migratedDatabase('sqlite'), await startSites()]
  const env = { ...database.env, FETCH_CONNECT_TO: sites.connectTo, BASE_URL: 'http://127.0.0.1:1' }
  const first = await startProcess(env)
  const address = 'http://proven.com/'
  const { body } = await publishAtLast(first, newCredentials(), publishBody(address))
  const owner = newVisitor(first)
  const token = /plc_\w{40}/.exec((await owner.get(`/own?${new URLSearchParams({ address })}`)).html)?.[0]
  let afterProof = () => {}
  sites.set('proven.com', (_request, response) => {
    response.on('finish', () => afterProof())
    sendHtml(response, `<meta name="placard-challenge" content="${token}">`)
  })
  // The file is asked for before the page, so the second answer has the proof.
  let answers = 0
  afterProof = () => ++answers === 2 && first.child.kill('SIGKILL')
  // On a busy machine, the reply can be faster than the signal. The link must be the same either way.
  await owner.post('/own/check', { address }).catch(() => {})
  expect(await first.end('SIGKILL')).toBe('SIGKILL')
  afterProof = () => {}
  const second = await startProcess(env)
  try {
    const again = newVisitor(second)
    for (const [name, cookie] of owner.cookies) again.cookies.set(name, cookie)
    const { html } = await again.post('/own/check', { address })
    const link = /<pre[^>]*data-private-link[^>]*>([^<]+)</.exec(html)?.[1] ?? ''
    const opens = async (given: string) =>
      (await openPrivatePage(given.replace('http://127.0.0.1:1', second.url))).status === 204
    expect([await opens(link), await opens(body.ownership.privateRecoveryUrl ?? '')]).toEqual([true, false])
    const store = await database.openStore()
    const claimed = store.db.selectFrom('decision').selectAll().where('reason', '=', 'claimed')
    expect(await claimed.execute()).toHaveLength(1)
    await store.close()
  } finally {
    await second.end('SIGKILL')
    await Promise.all([sites.close(), database.remove()])
  }
})

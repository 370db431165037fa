import {
  type CategoryBoardPage,
  type DayBoardPage,
  DISPLAY_DAYS,
  type Listing,
  type ListingPage,
  type ListingsQuery,
  type SearchPage,
  type Tombstone,
} from '@placard/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addListing } from '../../../src/domain/listings/add-listing.ts'
import { listingPage } from '../../../src/domain/listings/api.ts'
import { lastUpdate, readNewest } from '../../../src/domain/listings/read-listings.ts'
import { endListing, extendListing } from '../../../src/domain/moderation/end-dates.ts'
import { hideListing, restoreListing, withdrawListing } from '../../../src/domain/moderation/moderate.ts'
import { changeCategory } from '../../../src/domain/ownership/change-listing.ts'
import { proveOwner } from '../../../src/domain/ownership/prove-owner.ts'
import { applyEvent } from '../../../src/domain/payments/apply-event.ts'
import { wantPicture } from '../../../src/domain/pictures/preview-image.ts'
import { NO_METADATA } from '../../../src/domain/review/page.ts'
import { duePictures, leasePicture, settlePicture } from '../../../src/ops/jobs/fetch-pictures.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { Links } from '../../../src/platform/http/links.ts'
import { Secret } from '../../../src/platform/lib/secret.ts'
import { DAY_MS, daysMs, MINUTE_MS } from '../../../src/platform/lib/time.ts'
import { SQLITE_FIRST } from '../../support/engines.ts'
import { clearLedger, eventOf, payFor } from '../../support/ledger.ts'
import { listingRow } from '../../support/listing-row.ts'
import { planOf } from '../../support/plan.ts'
import { NOON } from '../../support/service.ts'
import { type Pages, startPages } from '../../web/page-app.ts'

type Entry = Listing | Tombstone
const OPERATOR = { actor: 'operator:Ann' } as const

describe.each(SQLITE_FIRST)('listings as data on %s', engine => {
  let pages: Pages
  let store: Store

  beforeAll(async () => {
    pages = await startPages({ engine, jobsEveryMs: 0 })
    store = pages.store
  })
  afterAll(() => pages.close())
  beforeEach(async () => {
    pages.time.now = NOON
    await store.transact(trx => trx.deleteFrom('site_owner').execute())
    await clearLedger(store)
  })

  const get = (path: string, headers: Record<string, string> = {}) =>
    pages.get(`/api/v1${path}`, { accept: 'application/json', ...headers })
  async function read<T>(path: string): Promise<T> {
    const response = await get(path)
    expect(response.status).toBe(200)
    return response.json() as Promise<T>
  }
  const deps = () => {
    const links = new Links({ baseUrl: pages.url, supportUrl: undefined })
    return { store, links, clock: () => pages.time.now }
  }
  /** All changes since a time. Not over HTTP, where reads are limited. */
  async function readChanges(updatedSince: number): Promise<{ listings: Entry[]; since: number }> {
    const listings: Entry[] = []
    for (let cursor: string | null = null; ; ) {
      const query: ListingsQuery = {
        updatedSince: String(updatedSince),
        limit: '3',
        ...(cursor !== null && { cursor }),
      }
      const page: ListingPage = await listingPage(deps(), query, await lastUpdate(store), [])
      listings.push(...page.listings)
      cursor = page.nextCursor
      if (cursor === null) return { listings, since: page.updatedSince }
    }
  }
  /** All pages of a list, each with at most three listings. */
  async function readAll(query: Record<string, string> = {}): Promise<{ listings: Entry[]; asOf: number }> {
    const listings: Entry[] = []
    let cursor: string | null = null
    do {
      const parameters = new URLSearchParams({ limit: '3', ...query, ...(cursor !== null && { cursor }) })
      const page: ListingPage = await read(`/listings?${parameters}`)
      expect(page.listings.length).toBeLessThanOrEqual(3)
      listings.push(...page.listings)
      cursor = page.nextCursor
      if (cursor === null) return { listings, asOf: page.updatedSince }
    } while (listings.length < 1000)
    throw new Error('the list does not end')
  }
  async function add(...rows: Parameters<typeof listingRow>[0][]): Promise<void> {
    await store.transact(trx => trx.insertInto('listing').values(rows.map(listingRow)).execute())
  }
  const idOf = async (slug: string): Promise<number> =>
    (await store.db.selectFrom('listing').select('id').where('slug', '=', slug).executeTakeFirstOrThrow()).id
  const idsIn = ({ listings }: { listings: Entry[] }) => listings.map(({ id }) => id)
  const slugsIn = ({ listings }: { listings: Entry[] }) =>
    listings.map(each => (each.status === 'published' ? each.slug : each.status))
  const problem = async (path: string) => {
    const response = await get(path)
    return { status: response.status, ...((await response.json()) as { code: string; error: string; field?: string }) }
  }

  it('are read newest first, each once, also those without an end, and never what is hidden or expired', async () => {
    await add(
      ...[1, 2, 3, 4, 5, 6].map(day => ({ slug: `day-${day}`, publishedAt: NOON - day * DAY_MS })),
      { slug: 'paid', publishedAt: NOON - 90 * DAY_MS, expiresAt: null },
      { slug: 'hidden', hiddenAt: NOON },
      { slug: 'expired', publishedAt: NOON - 61 * DAY_MS },
    )
    const all = await readAll()
    expect(slugsIn(all)).toEqual(['day-1', 'day-2', 'day-3', 'day-4', 'day-5', 'day-6', 'paid'])
    expect(all.listings[0]).toEqual({
      id: await idOf('day-1'),
      status: 'published',
      slug: 'day-1',
      productUrl: `${pages.url}/product/day-1`,
      url: 'https://day-1.com/',
      host: 'day-1.com',
      title: 'Site day-1',
      description: '',
      category: 'Games',
      language: 'en',
      publishedAt: NOON - DAY_MS,
      expiresAt: NOON + 59 * DAY_MS,
      updatedAt: NOON - DAY_MS,
      ownerVerifiedSince: null,
    })
  })

  it('pass filters by category, language and owner, together, in every list', async () => {
    await add(
      { slug: 'one', category: 'Design', language: 'pt-BR' },
      { slug: 'two', category: 'Design', language: 'PT' },
      { slug: 'three', category: 'Design', language: 'pta' },
      { slug: 'four', category: 'Games', language: 'pt' },
    )
    const owner = { place: 'meta' as never, tokenHash: '00', provenAt: NOON, checkAt: NOON + DAY_MS }
    const proven = [await idOf('two'), await idOf('three')]
    await store.transact(trx =>
      trx
        .insertInto('site_owner')
        .values(proven.map(listingId => ({ listingId, ...owner, missingSince: null, missingTold: 0 })))
        .execute(),
    )
    const found = async (query: Record<string, string>) => slugsIn(await readAll(query)).toSorted()
    expect(await found({ category: 'Design' })).toEqual(['one', 'three', 'two'])
    expect(await found({ language: 'pt' })).toEqual(['four', 'one', 'two'])
    expect(await found({ verified: 'true' })).toEqual(['three', 'two'])
    expect(await found({ category: 'Design', language: 'pt', verified: 'true' })).toEqual(['two'])
    // A copy must learn that a listing left what it copies.
    expect(await found({ category: 'Design', language: 'pt', updatedSince: '0' })).toEqual([
      'filtered_out',
      'filtered_out',
      'one',
      'two',
    ])
  })

  it('are read on behind a page that found less than it wanted, because it looked at enough', async () => {
    const rows = Array.from({ length: 4500 }, (_, nth) => ({
      slug: `many-${nth}`,
      publishedAt: NOON - nth,
      language: [10, 2500, 4499].includes(nth) ? 'fi' : 'en',
    }))
    for (let from = 0; from < rows.length; from += 500) await add(...rows.slice(from, from + 500))
    const pagesRead: number[] = []
    const slugs: string[] = []
    let after: Awaited<ReturnType<typeof readNewest>>['next']
    do {
      const page = await readNewest(store, { language: 'fi', after, limit: 10, now: NOON })
      pagesRead.push(page.rows.length)
      slugs.push(...page.rows.map(({ slug }) => slug))
      after = page.next
    } while (after)
    expect(pagesRead).toEqual([1, 1, 1])
    expect(slugs).toEqual(['many-10', 'many-2500', 'many-4499'])
    const { steps, mostRows } = await planOf(store, watched =>
      readNewest(watched, { category: 'Games', language: 'sv', after: undefined, limit: 10, now: NOON }),
    )
    expect(steps.join('\n')).not.toMatch(/TEMP B-TREE|Seq Scan on listing\b/i)
    expect(mostRows).toBeLessThanOrEqual(2000)
  })

  it('refuse what they do not know, and say what to send', async () => {
    expect(await problem('/listings?colour=red')).toMatchObject({ status: 400, code: 'invalid_body', field: 'colour' })
    expect(await problem('/listings?limit=101')).toMatchObject({ status: 400, code: 'invalid_limit' })
    expect(await problem('/listings?category=Game')).toMatchObject({
      status: 400,
      code: 'unknown_category',
      error: expect.stringContaining('"Games"'),
    })
    expect(await problem('/listings?updatedSince=yesterday')).toMatchObject({ status: 400, field: 'updatedSince' })
    expect(await problem('/listings?verified=no')).toMatchObject({
      status: 400,
      field: 'verified',
      error: expect.stringContaining('verified must be one of: true.'),
    })
    for (const slug of ['one', 'two']) await pages.addListing({ slug, hostname: `${slug}.com` })
    const [mark] = /~\w+$/.exec((await read<ListingPage>('/listings?limit=1')).nextCursor ?? '') ?? ['']
    for (const cursor of ['', 'x', ...['', 'x', 'n1-2', 'n01-2-3', 'n1-2-3x', 'n1-2-1e3'].map(text => text + mark)]) {
      expect(await problem(`/listings?cursor=${cursor}`)).toMatchObject({ status: 400, code: 'invalid_cursor' })
    }
    expect(await problem(`/listings?cursor=u1-2-3${mark}`)).toMatchObject({
      error: expect.stringContaining('updatedSince'),
    })
    expect(await problem(`/listings?cursor=n1-2-3${mark}&updatedSince=1`)).toMatchObject({ code: 'invalid_cursor' })
    expect(await problem('/listings/none')).toMatchObject({ status: 404, code: 'not_found' })
    expect(await problem('/listings/%00')).toMatchObject({ status: 404 })
    expect(await problem('/search?q=a&page=2')).toMatchObject({ status: 400, field: 'page' })
    expect(await problem('/search')).toMatchObject({ status: 400, field: 'q' })
    expect((await problem('/search?q=')).error).toContain('q is empty. ')
    expect((await problem('/search?q=a&sort=paid')).error).toContain('sort must be one of: relevance, newest. ')
    const link = `${pages.url}/manage/5b0e2a86-4f0c-4c6e-9a43-2d7d1b1f6f0a#owner=${'A'.repeat(43)}`
    expect(await problem(`/search?q=${encodeURIComponent(link)}`)).toMatchObject({ status: 400, field: 'q' })
  })

  it('can be cached and revalidated, and read by pages of any origin', async () => {
    await add({ slug: 'kept' })
    pages.time.now = NOON + DAY_MS
    for (const [path, tag] of [
      ['/listings', 'listings'],
      ['/listings/kept', 'listing-kept'],
      ['/search?q=kept', 'search'],
    ]) {
      const first = await get(path ?? '')
      expect(first.headers.get('access-control-allow-origin')).toBe('*')
      expect(first.headers.get('cache-tag')?.split(',')).toContain(tag)
      const again = await get(path ?? '', { 'if-none-match': first.headers.get('etag') ?? '' })
      expect(again.status).toBe(304)
      if (tag !== 'search') expect(first.headers.get('last-modified')).toBe(new Date(NOON).toUTCString())
    }
    const { headers } = await get('/listings')
    const etag = headers.get('etag') ?? ''
    // What changed last is long ago, so the list stays the same while time passes.
    pages.time.now += 5 * MINUTE_MS
    expect((await get('/listings', { 'if-none-match': etag })).status).toBe(304)
    await hideListing(store, 'kept', 'Spam', pages.time.now, OPERATOR)
    expect((await get('/listings', { 'if-none-match': etag })).status).toBe(200)
  })

  it('leave a tombstone without a word of the website', async () => {
    await add({ slug: 'withdrawn' }, { slug: 'hidden' }, { slug: 'expired', publishedAt: NOON - 61 * DAY_MS })
    const listing = await store.db
      .selectFrom('listing')
      .selectAll()
      .where('slug', '=', 'withdrawn')
      .executeTakeFirstOrThrow()
    await withdrawListing(store, listing, NOON + 1)
    await hideListing(store, 'hidden', 'Spam', NOON + 2, OPERATOR)
    expect(await read('/listings/withdrawn')).toEqual({ id: listing.id, status: 'unavailable', since: NOON + 1 })
    expect(await read('/listings/hidden')).toEqual({
      id: await idOf('hidden'),
      status: 'unavailable',
      since: NOON + 2,
    })
    expect(await read('/listings/expired')).toEqual({
      id: await idOf('expired'),
      status: 'expired',
      since: NOON - DAY_MS,
    })
    const { listings } = await readAll({ updatedSince: String(NOON) })
    expect(listings.map(({ status }) => status)).toEqual(['unavailable', 'unavailable'])
  })

  it('have the time of every change that can be seen', async () => {
    await add({ slug: 'site', destinationKey: '2:site' })
    const id = await idOf('site')
    const updatedAt = async () => (await read<Listing>('/listings/site')).updatedAt
    const provers = { store, serviceKeys: keys(), onNewOwner: async () => {}, onWaiting: async () => {} }
    const proof = { token: 'plc_1', secret: new Secret(Buffer.alloc(32, 1)), place: 'meta' as never }
    const changes: [string, (now: number) => Promise<unknown>][] = [
      ['category', now => changeCategory(store, id, 'Design', now)],
      ['hidden', now => hideListing(store, 'site', 'Spam', now, OPERATOR)],
      ['restored', now => restoreListing(store, 'site', 'Not spam', now, OPERATOR)],
      ['extended', now => extendListing(store, 'site', 90, 'Why not', now, OPERATOR)],
      ['proven', now => proveOwner(provers as never, { id, url: 'https://site.com/' }, proof, undefined, now)],
      ['paid', now => payFor(store, 'site', 'pi_1', { amountCents: 2500, heardAt: now })],
      ['refunded', now => applyEvent(store, eventOf('refunded', 'pi_1', { amountCents: 2500 }), now)],
      ['ended', now => endListing(store, 'site', 'Enough', now, OPERATOR)],
      ['restored again', now => restoreListing(store, 'site', 'Sorry', now, OPERATOR)],
      ['picture', now => settlePictureOf(id, Buffer.from('picture'), now)],
      ['picture gone', now => settlePictureOf(id, undefined, now)],
      ['picture again', now => settlePictureOf(id, Buffer.from('picture'), now)],
    ]
    for (const [name, change] of changes) {
      pages.time.now += MINUTE_MS
      await change(pages.time.now)
      const row = await store.db.selectFrom('listing').select('updatedAt').where('id', '=', id).executeTakeFirst()
      expect({ name, at: row?.updatedAt }).toEqual({ name, at: pages.time.now })
    }
    expect(await updatedAt()).toBe(pages.time.now)
    expect((await read<Listing>('/listings/site')).pictureUrl).toMatch(`${pages.url}/picture/site?v=`)
    await add({ slug: 'never-pictured' })
    await settlePictureOf(await idOf('never-pictured'), undefined, NOON + DAY_MS)
    expect((await read<Listing>('/listings/never-pictured')).updatedAt).toBe(NOON)
  })

  /** Fetches the picture that a page names, as for a new listing or a refresh. @param bytes undefined if it is gone */
  async function settlePictureOf(listingId: number, bytes: Buffer | undefined, now: number): Promise<void> {
    await store.transact(trx => wantPicture(trx, listingId, 'https://site.com/a.png', now))
    const [due] = await duePictures(store, { now })
    const lease = due && (await leasePicture(store, due, now))
    if (lease) await settlePicture(store, lease, bytes, now)
  }

  it('can be copied: a copy that reads what changed is equal to all that is published, whatever happened', async () => {
    const slugs = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const step = fc.record({
      act: fc.constantFrom('add', 'hide', 'restore', 'end', 'extend', 'category', 'pay', 'refund', 'read', 'read'),
      slug: fc.constantFrom(...slugs),
      passes: fc.constantFrom(0, 1, 1000, MINUTE_MS, 5 * MINUTE_MS, DAY_MS, daysMs(20), daysMs(59)),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async steps => {
        await clearLedger(store)
        pages.time.now = NOON
        const copy = new Map<number, Listing>()
        let payments = 0
        let since = 0
        async function update(): Promise<void> {
          const changes = await readChanges(since)
          since = changes.since
          for (const each of changes.listings) {
            if (each.status === 'published') copy.set(each.id, each)
            else copy.delete(each.id)
          }
        }
        for (const { act, slug, passes } of steps) {
          pages.time.now += passes
          const { now } = pages.time
          const destination = { key: `2:${slug}`, url: `https://${slug}.com/`, hostname: slug }
          const page = { ...NO_METADATA, title: slug, language: 'en' }
          const listing = await store.db
            .selectFrom('listing')
            .selectAll()
            .where('hostname', '=', slug)
            .executeTakeFirst()
          const name = listing?.slug ?? ''
          if (act === 'add') await store.transact(trx => addListing(trx, destination, 'Games', page, now))
          if (act === 'hide') await hideListing(store, name, 'x', now, OPERATOR)
          if (act === 'restore') await restoreListing(store, name, 'x', now, OPERATOR)
          if (act === 'end') await endListing(store, name, 'x', now, OPERATOR)
          if (act === 'extend') await extendListing(store, name, 100, 'x', now, OPERATOR)
          if (act === 'category' && listing) await changeCategory(store, listing.id, 'Design', now)
          if (act === 'pay') await payFor(store, slug, `pi_${++payments}`, { amountCents: 2500, at: now })
          if (act === 'refund' && payments > 0) {
            await applyEvent(store, eventOf('refunded', `pi_${payments}`, { amountCents: 2500, occurredAt: now }), now)
          }
          if (act === 'read') await update()
        }
        await update()
        const whole = await listingPage(deps(), { limit: '100' }, 0, [])
        const byId = (one: Entry, other: Entry) => one.id - other.id
        expect([...copy.values()].sort(byId)).toEqual(whole.listings.sort(byId))
      }),
      { numRuns: engine === 'sqlite' ? 25 : 8 },
    )
  })

  it('reach a copy in the order of their changes, and an end is one of them', async () => {
    const minute = (nth: number) => NOON + nth * MINUTE_MS
    await add(
      { slug: 'ends', publishedAt: minute(1) - daysMs(DISPLAY_DAYS) },
      ...[0, 2, 3, 4].map(nth => ({ slug: `at-${nth}`, publishedAt: minute(nth) })),
    )
    pages.time.now = minute(5)
    const changed = slugsIn(await readAll({ updatedSince: String(NOON) }))
    expect(changed).toEqual(['at-0', 'expired', 'at-2', 'at-3', 'at-4'])
  })

  it('reach a copy even if they are committed a quarter of an hour after the time that they have', async () => {
    await add({ slug: 'early' })
    pages.time.now = NOON + 60 * MINUTE_MS
    await add({ slug: 'now', publishedAt: pages.time.now })
    const { asOf } = await readAll()
    await add({ slug: 'late', publishedAt: pages.time.now - 14 * MINUTE_MS })
    pages.time.now += MINUTE_MS
    expect(slugsIn(await readAll({ updatedSince: String(asOf) }))).toContain('late')
    // While nothing new happens, a copy does not read the same again and again.
    pages.time.now += 20 * MINUTE_MS
    const quiet = await readAll({ updatedSince: String(asOf) })
    expect(slugsIn(await readAll({ updatedSince: String(quiet.asOf) }))).toEqual(['now'])
  })

  it('are found by words, in the same shape', async () => {
    await pages.addListing({ slug: 'bakery', hostname: 'bakery.com', title: 'Sourdough', language: 'de' })
    await pages.addListing({ slug: 'other', hostname: 'other.com', title: 'Sourdough', language: 'en' })
    const { listings, isCorrected, nextCursor } = await read<SearchPage>('/search?q=sourdough&language=de')
    expect(listings).toEqual([{ ...(await read<Listing>('/listings/bakery')), missingWords: [] }])
    expect([isCorrected, nextCursor]).toEqual([false, null])
    const first = await read<SearchPage>('/search?q=sourdough&limit=1&sort=newest')
    const second = await read<SearchPage>(`/search?q=sourdough&limit=1&sort=newest&cursor=${first.nextCursor}`)
    expect(new Set([...idsIn(first), ...idsIn(second)]).size).toBe(2)
    expect(second.nextCursor).toBeNull()
    for (const other of ['q=baker&sort=newest', 'q=sourdough', 'q=sourdough&sort=newest&language=de']) {
      expect(await problem(`/search?${other}&cursor=${first.nextCursor}`)).toMatchObject({
        code: 'invalid_cursor',
        error: expect.stringContaining('send the same ones with it.'),
      })
    }
    const listed = await read<ListingPage>('/listings?limit=1&language=de')
    expect(listed.nextCursor).toBeNull()
    const all = await read<ListingPage>('/listings?limit=1')
    expect(await problem(`/listings?language=de&cursor=${all.nextCursor}`)).toMatchObject({ code: 'invalid_cursor' })
  })

  it('are found on one page if few have all words, so that listings with some of them fill it', async () => {
    // Each word is in three of them: a rarer one would weigh more, the more so the fewer listings there ever were.
    for (const [slug, title] of [
      ['lamp', 'Lamp'],
      ['lamps', 'Lamp'],
      ['all', 'Wooden lamp, brass'],
      ['toy', 'Wooden toy, brass'],
      ['spoon', 'Wooden spoon, brass'],
    ] as const) {
      await pages.addListing({ slug, hostname: `${slug}.com`, title })
    }
    const { listings, nextCursor } = await read<SearchPage>('/search?q=wooden%20brass%20lamp&limit=2')
    expect(listings.map(({ slug, missingWords }) => [slug, ...missingWords])).toEqual([['all'], ['spoon', 'lamp']])
    expect(nextCursor).toBeNull()
  })

  it('are on the boards of past days and of categories, with their ids', async () => {
    const yesterday = NOON - DAY_MS
    await payFor(store, 'chess.com', 'pi_1', { amountCents: 9000, at: yesterday })
    await payFor(store, 'go.com', 'pi_2', { amountCents: 1200, at: yesterday })
    await payFor(store, 'soup.com', 'pi_3', { amountCents: 5000, category: 'Food & Drink' })
    const ids = await store.db.selectFrom('listing').select(['id', 'hostname']).execute()
    const idOfHost = (host: string) => ids.find(({ hostname }) => hostname === host)?.id
    const day = await read<DayBoardPage>('/boards/days/2026-11-20?limit=1')
    expect(day).toMatchObject({ day: '2026-11-20', placement: 'paid', currency: 'usd' })
    expect(day.entries).toMatchObject([{ rank: 1, id: idOfHost('chess.com'), totalCents: 9000 }])
    const rest = await read<DayBoardPage>(`/boards/days/2026-11-20?cursor=${day.nextCursor}`)
    expect(rest.entries).toMatchObject([{ rank: 2, id: idOfHost('go.com'), totalCents: 1200 }])
    const food = await read<CategoryBoardPage>('/boards/categories/Food%20%26%20Drink')
    expect(food).toMatchObject({ category: 'Food & Drink', entries: [{ rank: 1, id: idOfHost('soup.com') }] })
    const all = await read<CategoryBoardPage>('/boards/all')
    expect(all.entries.map(({ id }) => id)).toEqual(['chess.com', 'soup.com', 'go.com'].map(idOfHost))
    expect(await problem('/boards/days/2026-11-21')).toMatchObject({
      status: 404,
      error: expect.stringContaining('today'),
    })
    expect(await problem('/boards/days/2026-11-01')).toMatchObject({ status: 404 })
    expect(await problem('/boards/days/2026-13-99')).toMatchObject({ status: 404 })
    expect(await problem('/boards/days/yesterday')).toMatchObject({ status: 400, field: 'day' })
    expect(await problem('/boards/categories/Food')).toMatchObject({ status: 400, code: 'unknown_category' })
    expect(await problem(`/boards/categories/Games?cursor=${day.nextCursor}`)).toMatchObject({ code: 'invalid_cursor' })
    await payFor(store, 'stew.com', 'pi_4', { amountCents: 4000, category: 'Food & Drink' })
    const top = await read<CategoryBoardPage>('/boards/categories/Food%20%26%20Drink?limit=1')
    const below = await read<CategoryBoardPage>(`/boards/categories/Food%20%26%20Drink?cursor=${top.nextCursor}`)
    expect(below.entries).toMatchObject([{ rank: 2, totalCents: 4000 }])
  })
})

/** Keys for a proof of the website. */
function keys() {
  const key = { secret: new Secret(Buffer.alloc(32, 7)), checkValue: '00' }
  return { all: [key], newest: key }
}

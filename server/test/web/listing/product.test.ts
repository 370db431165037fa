import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { count } from '../../../src/domain/boards/rank.ts'
import { htmlFaults } from '../../support/page-faults.ts'
import { NOON } from '../../support/service.ts'
import { type Pages, startPages } from '../page-app.ts'

let pages: Pages
beforeAll(async () => {
  pages = await startPages()
})
afterAll(() => pages.close())

/** A listing with verified money on boards, as payments leave it. */
async function addPaid(totals: Record<string, number>) {
  const key = `2:${randomUUID()}`
  const listing = await pages.addListing({ destinationKey: key, expiresAt: null })
  await pages.store.transact(async trx => {
    const { id } = await trx
      .selectFrom('listing')
      .select('id')
      .where('destinationKey', '=', key)
      .executeTakeFirstOrThrow()
    for (const [board, totalCents] of Object.entries(totals)) {
      await trx
        .insertInto('board_total')
        .values({
          board,
          destinationKey: key,
          totalCents,
          reachedAt: NOON,
          shown: 1,
          listingId: id,
        })
        .execute()
      await count(trx, [{ board, place: { totalCents, reachedAt: NOON }, by: 1 }])
    }
  })
  return listing
}

const textOf = async (path: string) => (await pages.get(path)).text()

describe('the page of a listing', () => {
  test('has a placard drawn from its name, its category and the host in clear text, and is valid HTML', async () => {
    const { publicPath } = await pages.addListing()
    const html = await textOf(publicPath)
    expect(html).toMatch(/<svg class="art" viewBox="0 0 400 210" aria-hidden="true"><text /)
    expect(html).toContain('<a href="/category/food-drink">Food &amp; Drink</a>')
    expect(html).toContain('<bdi dir="ltr">www.sunrise-bakery.com</bdi>')
    expect(await htmlFaults(html)).toEqual([])
  })

  test('says how it came to be listed: by an agent, or by a payment', async () => {
    const { slug, publicPath } = await pages.addListing()
    expect(await textOf(publicPath)).toContain(
      'An AI agent posted this and said its customer agreed. Ownership is unverified.',
    )
    // A payment lists without a claim.
    const listing = pages.store.db.selectFrom('listing').select('id').where('slug', '=', slug)
    await pages.store.db.deleteFrom('claim').where('listingId', '=', listing).execute()
    const html = await textOf(publicPath)
    expect(html).toContain('Listed with a paid place')
    expect(html).not.toContain('AI agent posted')
  })

  test('names the version of its own picture, so that a new one is seen at once', async () => {
    const { slug, publicPath } = await pages.addListing()
    const { id } = await pages.store.db
      .selectFrom('listing')
      .select('id')
      .where('slug', '=', slug)
      .executeTakeFirstOrThrow()
    const picture = { listingId: id, state: 'stored', attempts: 1, version: 'abc' } as const
    await pages.store.db.insertInto('picture').values(picture).execute()
    expect(await textOf(publicPath)).toContain(`src="/picture/${slug}?v=abc"`)
  })

  test('tells others how to show it: with a picture, its size and words', async () => {
    const { slug, publicPath } = await pages.addListing({ title: 'A "bakery"' })
    const html = await textOf(publicPath)
    for (const [property, content] of [
      ['og:image:width', '1200'],
      ['og:image:height', '630'],
      ['og:image:alt', 'A &quot;bakery&quot;, on Placard'],
    ]) {
      expect(html).toContain(`<meta property="${property}" content="${content}"/>`)
    }
    expect(html).toContain(`<meta property="og:image" content="${pages.url}/picture/${slug}/share.png?v=`)
    expect(html).toContain('<meta name="twitter:card" content="summary_large_image"/>')
  })

  test('says of money only what the first place costs if nothing was paid, and leads there', async () => {
    const { publicPath } = await pages.addListing()
    const html = await textOf(publicPath)
    expect(html).not.toMatch(/Paid placement|sponsored/)
    expect(html).toContain('>Move this site to No. 1 for $5</a>')
    expect(html).toContain('>Move this site to No. 1 today for $5</a>')
    const promote = /href="(\/promote\?destination[^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? 'no link'
    expect(await textOf(promote)).toContain('value="https://www.sunrise-bakery.com/menu"')
  })

  test('shows total and rank, and that its place is paid', async () => {
    await addPaid({ all: 990_000 })
    const { slug, publicPath } = await addPaid({ all: 123_450, '2026-11-21': 500 })
    const html = await textOf(publicPath)
    expect(html).toContain('On the boards <span class="paid">Paid placement</span>')
    expect(html).toMatch(/href="\/board\/all">All time<\/a><b>No. 2<\/b><small>\$1,234.50 paid</)
    expect(html).toMatch(/class="first"><a href="\/board\/today">Today<\/a><b>No. 1<\/b><small>\$5 paid</)
    expect(html).toContain(`href="/visit/${slug}" rel="nofollow ugc noopener sponsored"`)
    expect(await htmlFaults(html)).toEqual([])
  })
})

describe('the way out', () => {
  test('leads to the website without vouching for it, and is not a page itself', async () => {
    const { slug, publicPath } = await pages.addListing()
    expect(await textOf(publicPath)).toContain(`href="/visit/${slug}" rel="nofollow ugc noopener"`)
    const { status, headers } = await pages.get(`/visit/${slug}`)
    expect([status, headers.get('location')]).toEqual([302, 'https://www.sunrise-bakery.com/menu'])
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-robots-tag')).toBe('noindex')
  })

  test('leads nowhere else, whatever its address says', async () => {
    const { slug } = await pages.addListing()
    for (const path of [`/visit/${slug}?url=https://evil.com/`, `/visit/${slug}?to=//evil.com`]) {
      expect((await pages.get(path)).headers.get('location')).toBe('https://www.sunrise-bakery.com/menu')
    }
    for (const path of ['/visit/https:%2f%2fevil.com', '/visit/%00', '/visit/none']) {
      const { status, headers } = await pages.get(path)
      expect([status, headers.get('location')]).toEqual([404, null])
    }
    const script = await pages.addListing({ url: 'javascript:alert(1)' })
    expect((await pages.get(`/visit/${script.slug}`)).status).toBe(404)
  })

  test.each([
    ['hidden', { hiddenAt: NOON }],
    ['expired', { expiresAt: NOON }],
  ])('is closed once a listing is %s', async (_, fields) => {
    const { slug } = await pages.addListing(fields)
    const response = await pages.get(`/visit/${slug}`)
    expect([response.status, response.headers.get('location')]).toEqual([410, null])
    expect(await response.text()).not.toMatch(/sunrise/i)
  })
})

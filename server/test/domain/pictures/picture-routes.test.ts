import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { findProduct } from '../../../src/domain/listings/listing.ts'
import { DrawnPictures } from '../../../src/domain/pictures/drawn-pictures.ts'
import { PictureMaker } from '../../../src/domain/pictures/picture-process.ts'
import { StoredPictures } from '../../../src/domain/pictures/storage.ts'
import { configFrom } from '../../../src/platform/config/config.ts'
import { Links } from '../../../src/platform/http/links.ts'
import { DrawAhead } from '../../../src/web/draw-ahead.ts'
import { readShareDrawing } from '../../../src/web/listing/share.tsx'
import { payFor } from '../../support/ledger.ts'
import { NOON, newCredentials, publish, publishBody, startTestService } from '../../support/service.ts'
import { type Pages, startPages } from '../../web/page-app.ts'

let pages: Pages
beforeAll(async () => {
  pages = await startPages()
})
afterAll(() => pages.close())
// Files that follow in this process use the same classes.
afterEach(() => void vi.restoreAllMocks())

const HOSTILE = '"><script>alert(1)</script>&\u202e\u0007<![CDATA[é'

/** A listing with a stored picture. */
async function withPicture(version = 'abcdefghijkl') {
  const { slug } = await pages.addListing()
  const { id } = await pages.store.db
    .selectFrom('listing')
    .select('id')
    .where('slug', '=', slug)
    .executeTakeFirstOrThrow()
  const bytes = await sharp({ create: { width: 640, height: 360, channels: 3, background: '#c00' } })
    .webp()
    .toBuffer()
  await pages.store.db
    .insertInto('picture')
    .values({
      listingId: id,
      state: 'stored',
      sourceUrl: 'http://sunrise-bakery.com/i.png',
      attempts: 0,
      tryAt: null,
      mediaType: 'image/webp',
      width: 640,
      height: 360,
      version,
      bytes,
      storedAt: 1,
    })
    .execute()
  return { slug, version, bytes }
}

test('a stored picture is sent as it is, and cached for long only under its versioned address', async () => {
  const { slug, version, bytes } = await withPicture()
  const versioned = await pages.get(`/picture/${slug}?v=${version}`)
  expect(versioned.status).toBe(200)
  expect(Buffer.from(await versioned.arrayBuffer())).toEqual(bytes)
  expect(Object.fromEntries(versioned.headers)).toMatchObject({
    'content-type': 'image/webp',
    'cache-control': 'public, max-age=3600, s-maxage=30, stale-while-revalidate=30, immutable',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  })
  for (const path of [`/picture/${slug}`, `/picture/${slug}?v=older`]) {
    expect((await pages.get(path)).headers.get('cache-control')).toBe('public, max-age=30, stale-while-revalidate=30')
  }
  const again = await pages.get(`/picture/${slug}?v=${version}`, {
    'if-none-match': versioned.headers.get('etag') ?? '',
  })
  expect(again.status).toBe(304)
})

test('a listing without a picture has none: its placard is drawn in the page', async () => {
  const { slug, publicPath } = await pages.addListing({ title: HOSTILE, category: HOSTILE })
  expect((await pages.get(`/picture/${slug}`)).status).toBe(404)
  for (const path of [publicPath, '/newest']) {
    const html = await (await pages.get(path)).text()
    expect(html).toContain('<svg class="art"')
    expect(html).not.toContain(`/picture/${slug}?`)
  }
})

test('what is shared has a PNG of 1200×630, drawn once', async () => {
  const { slug, version } = await withPicture('mnopqrstuvwx')
  const plain = await pages.addListing({ title: HOSTILE })
  for (const path of [`/picture/${slug}/share.png?v=${version}`, `/picture/${plain.slug}/share.png`]) {
    const first = await pages.get(path)
    expect(first.headers.get('content-type')).toBe('image/png')
    expect(first.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    const png = Buffer.from(await first.arrayBuffer())
    expect(await sharp(png).metadata()).toMatchObject({ format: 'png', width: 1200, height: 630 })
    expect(Buffer.from(await (await pages.get(path)).arrayBuffer())).toEqual(png)
    const again = await pages.get(path, { 'if-none-match': first.headers.get('etag') ?? '' })
    expect(again.status).toBe(304)
  }
})

test('a listing that is down shows no picture', async () => {
  const { slug, version } = await withPicture('yzabcdefghij')
  const etag = (await pages.get(`/picture/${slug}?v=${version}`)).headers.get('etag') ?? ''
  for (const down of [{ hiddenAt: 1 }, { hiddenAt: null, expiresAt: 1 }]) {
    await pages.store.db.updateTable('listing').set(down).where('slug', '=', slug).execute()
    for (const path of [`/picture/${slug}?v=${version}`, `/picture/${slug}/share.png`]) {
      const gone = await pages.get(path, { 'if-none-match': etag })
      expect(gone.status).toBe(410)
      expect(gone.headers.get('cache-control')).toBe('no-cache')
      expect(await gone.text()).toBe('This listing is down.\n')
    }
  }
})

test('there is no picture of an unlisted website', async () => {
  for (const slug of ['none', '%00', 'A', '..%2f']) {
    expect((await pages.get(`/picture/${slug}`)).status).toBe(404)
    expect((await pages.get(`/picture/${slug}/share.png`)).status).toBe(404)
  }
})

/** The address of the picture that a page names. */
const sharedBy = async (page: string) =>
  new URL(/property="og:image" content="([^"]+)"/.exec(await (await fetch(page)).text())?.[1] ?? '')

test('the first picture of a listing is drawn when it is published, before any request', async () => {
  const ahead = vi.spyOn(DrawnPictures.prototype, 'drawAhead')
  const service = await startTestService({ drawsAhead: true })
  const { body } = await publish(service, newCredentials(), publishBody('http://first-picture.com/'))
  const ofListings = () => ahead.mock.settledResults.filter((_, nth) => ahead.mock.calls[nth]?.[0].kind === 'listing')
  await expect.poll(ofListings).toMatchObject([{ type: 'fulfilled' }])
  const made = vi.spyOn(PictureMaker.prototype, 'make')
  const picture = await fetch(await sharedBy(body.productUrl))
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect(made).not.toHaveBeenCalled()
  await service.stop()
})

test('the pictures of both boards and their places are there while 40 networks ask for others', async () => {
  const { store } = pages
  await payFor(store, 'paid-mill.com', 'pi_ahead', { amountCents: 2500 })
  const drawn = new DrawnPictures({ keptMaxBytes: 0, aheadMaxBytes: 10_000_000, waitingMax: 3 })
  onTestFinished(() => drawn.close())
  const links = new Links({ baseUrl: pages.url, supportUrl: undefined })
  const fail = (error: unknown) => {
    throw error
  }
  const stored = new StoredPictures(pages.store, configFrom({}))
  const ahead = new DrawAhead({ drawn, stored, links, store, clock: () => NOON }, fail)
  await ahead.places()
  const { slug } = await store.db
    .selectFrom('listing')
    .select('slug')
    .where('hostname', '=', 'paid-mill.com')
    .executeTakeFirstOrThrow()
  const product = await findProduct(store, slug)
  if (!product) throw new Error('no listing')
  const paid = await readShareDrawing(store, product, links.site, NOON)
  expect(paid.place).toEqual({ board: 'today', rank: 1, day: '2026-11-21' })
  const of = (title: string) => ({ ...paid, title })
  const flood = Array.from({ length: 40 }, (_, nth) => drawn.get(of(`Mill ${nth}`), [`network ${nth}`]))
  expect(await drawn.get(of('Another'), ['somebody'])).toBeUndefined()
  expect(await drawn.get(paid, ['somebody'])).toBeDefined()
  await Promise.all(flood)
  // Nothing has changed, so nothing is drawn.
  const made = vi.spyOn(PictureMaker.prototype, 'make')
  await ahead.places()
  expect(made).not.toHaveBeenCalled()
})

test('the first picture of a listing is there for whoever asks first, while 40 networks ask for others', async () => {
  const drawn = new DrawnPictures({ keptMaxBytes: 0, aheadMaxBytes: 10_000_000, waitingMax: 3 })
  onTestFinished(() => drawn.close())
  const { store } = pages
  const links = new Links({ baseUrl: pages.url, supportUrl: undefined })
  const stored = new StoredPictures(pages.store, configFrom({}))
  const ahead = new DrawAhead({ drawn, stored, links, store, clock: () => NOON }, () => {})
  const drawingOf = async (slug: string) => {
    const product = await findProduct(store, slug)
    return product && readShareDrawing(store, product, links.site, NOON)
  }
  const [known, fresh] = [await pages.addListing(), await pages.addListing({ title: 'First Mill' })]
  const other = await drawingOf(known.slug)
  if (!other) throw new Error('no listing')
  const flood = Array.from({ length: 40 }, (_, nth) => drawn.get({ ...other, title: `${nth}` }, [`network ${nth}`]))
  // A publish does this before its reply, and does not wait for it.
  void ahead.listing(fresh.slug)
  const first = await drawingOf(fresh.slug)
  const asked = first && drawn.get(first, ['somebody'])
  expect(await drawn.get({ ...other, title: 'Another' }, ['somebody'])).toBeUndefined()
  expect(await asked).toBeDefined()
  await Promise.all(flood)
})

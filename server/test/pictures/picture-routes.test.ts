import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Pages, startPages } from '../web/page-app.ts'

let pages: Pages
beforeAll(async () => {
  pages = await startPages()
})
afterAll(() => pages.close())

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
    expect((await pages.get(path)).headers.get('cache-control')).toBe(
      'public, max-age=30, stale-while-revalidate=30',
    )
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

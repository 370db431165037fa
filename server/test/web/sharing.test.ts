// @module-tag slow
import { CATEGORIES } from '@placard/contract'
import { Parser } from 'htmlparser2'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { placeOnBoard } from '../support/places.ts'
import { type Pages, startPages } from './page-app.ts'

let pages: Pages
beforeAll(async () => {
  pages = await startPages()
})
afterAll(() => pages.close())

const DAY_MS = 24 * 60 * 60 * 1000
const TODAY = '2026-11-21'
const HOSTILE = '"><script>alert(1)</script>&\u202e\u0007<![CDATA[é'

/** What a page tells other services, by property or name. */
async function tagsOf(path: string): Promise<Record<string, string>> {
  const tags: Record<string, string> = {}
  const parser = new Parser({
    onopentag(name, { property, name: metaName, content = '', rel, href = '' }) {
      const key = property ?? metaName
      if (name === 'meta' && key && /^(og|twitter):|^description$/.test(key)) {
        expect(tags[key], `${path} says ${key} once`).toBeUndefined()
        tags[key] = content
      }
      if (name === 'link' && rel === 'canonical') tags.canonical = href
    },
  })
  parser.end(await (await pages.get(path)).text())
  return tags
}

const imageOf = async (path: string): Promise<string> =>
  ((await tagsOf(path))['og:image'] ?? '').slice(pages.url.length)

async function picture(path: string) {
  const response = await pages.get(path)
  expect([path, response.status]).toEqual([path, 200])
  expect(response.headers.get('content-type')).toBe('image/png')
  const png = Buffer.from(await response.arrayBuffer())
  const { width, height } = await sharp(png).metadata()
  return { png, width, height, headers: response.headers }
}

test('every public page has all tags, and a picture that exists', async () => {
  const { publicPath } = await pages.addListing({ title: HOSTILE })
  await placeOnBoard(pages.store, { first: 990_000 })
  await placeOnBoard(pages.store, { first: 990_000 }, '2026-11-20')
  const shown = [
    ...['/', '/newest', '/list', '/board/all', '/board/today', '/board/today/2026-11-20', '/board/today/2026-11'],
    ...['/category/design', '/category/design/board', publicPath, '/product/first'],
    ...['/rules', '/support', '/privacy', '/transparency', '/proof', '/how-boards-work', '/limits', '/api'],
  ]
  const images = new Set<string>()
  for (const path of shown) {
    const tags = await tagsOf(path)
    const [title, description, image] = [tags['og:title'], tags['og:description'], tags['og:image']]
    expect(title && description && image && tags.canonical, path).toBeTruthy()
    expect(tags, path).toMatchObject({
      'og:type': 'website',
      'og:site_name': 'Placard',
      'og:url': tags.canonical,
      'og:image:type': 'image/png',
      'og:image:width': '1200',
      'og:image:height': '630',
      'twitter:card': 'summary_large_image',
      'twitter:title': title,
      'twitter:description': description,
      'twitter:image': image,
      'twitter:image:alt': tags['og:image:alt'],
    })
    expect(image).toMatch(new RegExp(`^${pages.url}/(share|picture)/[a-z0-9/-]+\\.png\\?v=[\\w-]{12}$`))
    images.add(image ?? '')
  }
  for (const image of images) {
    expect(await picture(image.slice(pages.url.length))).toMatchObject({ width: 1200, height: 630 })
  }
  // Home, both boards, a past day, the category, its board, and both listings; all others share that of home.
  expect(images.size).toBe(8)
})

test('the picture of a past day names the day and its first places, and only such a day has one', async () => {
  await placeOnBoard(pages.store, { oldest: 700_000, older: 600_000 }, '2026-11-18')
  const path = await imageOf('/board/today/2026-11-18')
  expect(path).toMatch(/^\/share\/day-2026-11-18\.png\?v=/)
  const tags = await tagsOf('/board/today/2026-11-18')
  expect(tags['og:image:alt']).toMatch(/ on Placard: 1\. Site oldest, 2\. Site older$/)
  const { headers } = await picture(path)
  expect(headers.get('cache-control')).toContain('immutable')
  for (const day of [TODAY, '2026-11-22', '2026-11-17', '2026-02-30', '2026-11']) {
    expect((await pages.get(`/share/day-${day}.png`)).status).toBe(404)
  }
})

test('pages that nobody should share tell other services nothing', async () => {
  const hidden = await pages.addListing({ hiddenAt: 1, title: 'Lantern Works' })
  const { privatePath } = await pages.addListing()
  for (const path of [hidden.publicPath, privatePath, '/none', '/board/all?cursor=x', '/search?q=xyzzy']) {
    expect([path, Object.keys(await tagsOf(path)).filter(key => key !== 'description')]).toEqual([path, []])
  }
})

test('a search that found all of its words has a picture of them, and no other has', async () => {
  await pages.addListing({ title: 'Lighthouse <b>& keepers' })
  const tags = await tagsOf('/search?q=Lighthouse+keepers&sort=newest')
  expect(tags['og:url']).toBe(`${pages.url}/search?q=Lighthouse%20keepers&sort=newest`)
  const path = (tags['og:image'] ?? '').slice(pages.url.length)
  expect(path).toMatch(/^\/share\/search\.png\?q=Lighthouse%20keepers&v=[\w-]{12}$/)
  const { width, height, headers } = await picture(path)
  expect([width, height, headers.get('cache-control')]).toEqual([1200, 630, expect.stringContaining('immutable')])
  expect((await picture('/share/search.png?q=%3Cb%3E+lighthouse')).width).toBe(1200)
  for (const query of [
    '',
    '?q=',
    '?q=lighthouse+xyzzy',
    '?q=lighthuose',
    '?q=a&q=b',
    `?q=${'owner='}${'A'.repeat(43)}`,
  ]) {
    expect([query, (await pages.get(`/share/search.png${query}`)).status]).toEqual([query, 404])
  }
  expect((await tagsOf('/search?q=lighthouse+xyzzy'))['og:image']).toBeUndefined()
})

describe('the picture of a listing', () => {
  test('changes, and its address with it, when its rank does', async () => {
    await placeOnBoard(pages.store, { riser: 5000, rival: 6000 })
    const before = await imageOf('/product/riser')
    const old = await picture(before)
    expect(old.headers.get('cache-control')).toBe(
      'public, max-age=3600, s-maxage=30, stale-while-revalidate=30, immutable',
    )
    await placeOnBoard(pages.store, { riser: 7000 })
    const after = await imageOf('/product/riser')
    expect(after).not.toBe(before)
    const fresh = await picture(after)
    expect(fresh.png.equals(old.png)).toBe(false)
    // The old address has no old rank any more, and keeps the new one only for a short time.
    const again = await picture(before)
    expect(again.png.equals(fresh.png)).toBe(true)
    expect(again.headers.get('cache-control')).toBe('public, max-age=30, stale-while-revalidate=30')
  })

  test('says “today” until midnight and no longer', async () => {
    const service = await startPages()
    await placeOnBoard(service.store, { daily: 5000, rival: 6000 })
    await placeOnBoard(service.store, { daily: 5000 }, TODAY)
    const altOf = async () =>
      /og:image:alt" content="([^"]+)"/.exec(await (await service.get('/product/daily')).text())?.[1]
    expect(await altOf()).toMatch(/, No\. 1 today, a paid place$/)
    service.time.now += DAY_MS
    expect(await altOf()).toMatch(/, No\. 2 of all time, a paid place$/)
    await service.close()
  })

  test('shows no rank of a listing that nobody paid for', async () => {
    const { publicPath } = await pages.addListing()
    expect((await tagsOf(publicPath))['og:image:alt']).not.toMatch(/No\.|paid/)
  })

  test('is drawn once, however its address is asked for', async () => {
    const { slug } = await pages.addListing({ title: '東京の古い喫茶店をめぐる散歩' })
    const shown = await Promise.all(
      ['', '?v=1', '?v=2', '?x=3'].map(async query => (await picture(`/picture/${slug}/share.png${query}`)).headers),
    )
    expect(new Set(shown.map(headers => headers.get('etag'))).size).toBe(1)
  })
})

describe('the picture of a board', () => {
  test('shows the first three places, and changes with them alone', async () => {
    const board = await startPages()
    const altAndImage = async () => {
      const html = await (await board.get('/board/all')).text()
      const [, image = ''] = /og:image" content="([^"]+)"/.exec(html) ?? []
      return { image, alt: /og:image:alt" content="([^"]+)"/.exec(html)?.[1] }
    }
    const empty = await altAndImage()
    expect(empty.alt).toBe('Most paid, all time on Placard: no places yet')
    for (const [place, slug] of ['a', 'b', 'c', 'd'].entries()) {
      await board.addListing({ slug, title: `Name ${slug}`, expiresAt: null })
      await placeOnBoard(board.store, { [slug]: 5000 - place })
    }
    const four = await altAndImage()
    expect(four.alt).toBe('Most paid, all time on Placard: 1. Name a, 2. Name b, 3. Name c')
    expect(four.image).not.toBe(empty.image)
    const drawn = await (await fetch(four.image)).arrayBuffer()
    await placeOnBoard(board.store, { d: 4000 })
    expect(await altAndImage()).toEqual(four)
    await placeOnBoard(board.store, { d: 9000 })
    const changed = await altAndImage()
    expect(changed.alt).toContain('1. Name d')
    expect(Buffer.from(await (await fetch(changed.image)).arrayBuffer()).equals(Buffer.from(drawn))).toBe(false)
    await board.close()
  })

  test('exists for each category, and for nothing else', async () => {
    expect(await imageOf('/category/food-drink/board')).toMatch(/^\/share\/board-food-drink\.png/)
    for (const path of ['/share/board-none.png', '/share/category-all.png', '/share/none.png']) {
      expect((await pages.get(path)).status).toBe(404)
    }
    expect(CATEGORIES).toContain('Food & Drink')
  })
})

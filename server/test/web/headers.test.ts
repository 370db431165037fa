import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { assetPath } from '../../src/web/ui/assets.ts'
import { PUBLIC, startTestService } from '../support/service.ts'
import { type Pages, startPages } from './page-app.ts'

let pages: Pages
let publicPath: string
beforeAll(async () => {
  pages = await startPages()
  publicPath = (await pages.addListing()).publicPath
})
afterAll(() => pages.close())

const PATHS = ['/', '/promote', '/rules', '/support', '/agent-guide.md', '/llms.txt', '/product/none']

test('every public page without a script forbids scripts, frames and everything from elsewhere', async () => {
  for (const path of PATHS.filter(each => each !== '/')) {
    const { headers } = await pages.get(path)
    expect(headers.get('content-security-policy'), path).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('strict-origin-when-cross-origin')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(headers.get('set-cookie')).toBeNull()
  }
})

describe('https', () => {
  const HSTS = 'strict-transport-security'
  const EVERYTHING = [...PATHS, '/healthz', '/api/v1/agent/capabilities', '/none', '/%zz', '/newest/', '/manage/none']

  test('is for good where BASE_URL has it: every reply says so, and speaks for this name alone', async () => {
    const service = await startTestService({ env: PUBLIC })
    for (const path of EVERYTHING) {
      const { headers } = await fetch(service.url + path, { redirect: 'manual' })
      expect([path, headers.get(HSTS)]).toEqual([path, 'max-age=31536000'])
    }
    await service.stop()
  })

  test('is not asked for without https in BASE_URL', async () => {
    for (const path of EVERYTHING) expect((await pages.get(path)).headers.get(HSTS)).toBeNull()
  })
})

test('a page with boards may run a script of our own and ask us, and nobody else', async () => {
  for (const path of ['/', '/board/all', '/board/today']) {
    expect((await pages.get(path)).headers.get('content-security-policy')).toMatch(
      /^default-src 'none';.*; script-src 'self'; connect-src 'self'$/,
    )
  }
})

test('the page of a listing may run the script that copies, which asks nobody', async () => {
  const { headers } = await pages.get(publicPath)
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';.*; script-src 'self'$/)
  expect(headers.get('set-cookie')).toBeNull()
})

test('a list may run the script that keeps listings, which asks nobody; only the page of the kept ones asks us', async () => {
  for (const [path, scripts] of [
    ['/newest', /; script-src 'self'$/],
    ['/category/food-drink', /; script-src 'self'$/],
    ['/picks', /; script-src 'self'$/],
    ['/kept', /; script-src 'self'; connect-src 'self'$/],
  ] as const) {
    expect((await pages.get(path)).headers.get('content-security-policy')).toMatch(scripts)
  }
})

test('no page has inline scripts, inline styles or addresses of other hosts to load from', async () => {
  const { privatePath } = await pages.addListing()
  for (const path of [...PATHS, publicPath, privatePath]) {
    const html = await (await pages.get(path)).text()
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?! type="(application\/ld\+json|module" src="\/))/)
    expect(html).not.toMatch(
      /(src|<link rel="(?!canonical|alternate)[^>]*href)="(?!\/((assets|picture|badge)\/|manifest\.webmanifest|apple-touch-icon\.png\?))/,
    )
  }
})

test('a page that did not change is not sent again', async () => {
  for (const path of ['/', publicPath, '/rules', '/agent-guide.md', assetPath('style.css')]) {
    const etag = (await pages.get(path)).headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]{43}-gzip"$/)
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await pages.get(path, { 'if-none-match': tag })
      expect(again.status).toBe(304)
      expect(again.headers.get('etag')).toBe(etag)
      expect(await again.text()).toBe('')
    }
    expect((await pages.get(path, { 'if-none-match': '"other"' })).status).toBe(200)
  }
})

describe('compression', () => {
  const sent = (path: string, coding: string, headers: Record<string, string> = {}) =>
    pages.get(path, { 'accept-encoding': coding, ...headers })

  test('is for what is made once: compressed it has an ETag of its own, and the same words', async () => {
    for (const path of ['/', '/api', '/agent-guide.md', '/openapi.json', publicPath, assetPath('style.css')]) {
      const plain = await sent(path, 'identity')
      // A page is also Markdown.
      const isPage = plain.headers.get('content-type')?.startsWith('text/html')
      const vary = isPage ? 'accept, accept-encoding' : 'accept-encoding'
      expect([plain.headers.get('content-encoding'), plain.headers.get('vary')]).toEqual([null, vary])
      const words = await plain.text()
      const tags = new Set([plain.headers.get('etag')])
      for (const taken of ['gzip, deflate, br, zstd', 'GZIP;q=0.5', 'br;q=0, gzip ; q=1']) {
        const response = await sent(path, taken)
        const { headers } = response
        expect([path, headers.get('content-encoding'), headers.get('vary')]).toEqual([path, 'gzip', vary])
        expect(Number(headers.get('content-length'))).toBeLessThan(words.length * 0.7)
        expect(await response.text()).toBe(words)
        const etag = headers.get('etag') ?? ''
        tags.add(etag)
        const again = await sent(path, taken, { 'if-none-match': `W/${etag}` })
        expect([again.status, again.headers.get('etag')]).toEqual([304, etag])
        expect([again.headers.get('vary'), again.headers.get('content-encoding')]).toEqual([vary, null])
        expect((await sent(path, 'identity', { 'if-none-match': etag })).status).toBe(200)
      }
      expect(tags.size).toBe(2)
    }
  })

  test('is only for clients that accept it', async () => {
    for (const taken of ['identity', '', 'deflate, br', 'br, gzip; q=0.0', 'x-gzips']) {
      expect((await sent('/rules', taken)).headers.get('content-encoding')).toBeNull()
    }
  })

  test('is not used for personal pages', async () => {
    const { privatePath } = await pages.addListing()
    for (const path of [privatePath, '/promote?destination=https://a.com/', '/product/none']) {
      const { headers } = await sent(path, 'br, gzip')
      expect([path, headers.get('content-encoding'), headers.get('vary')]).toEqual([path, null, null])
    }
  })
})

test('a listing that is taken down is gone on the next visit, even for browsers that have its page', async () => {
  const { publicPath: path, slug } = await pages.addListing()
  const first = await pages.get(path)
  expect(first.headers.get('cache-control')).toBe('public, max-age=0, must-revalidate')
  await pages.store.db.updateTable('listing').set({ hiddenAt: 1 }).where('slug', '=', slug).execute()
  const second = await pages.get(path, { 'if-none-match': first.headers.get('etag') ?? '' })
  expect(second.status).toBe(410)
  const third = await pages.get(path, { 'if-none-match': second.headers.get('etag') ?? '' })
  expect(third.status).toBe(410)
})

test.each([
  ['style.css', 'text/css; charset=utf-8'],
  ['private-page.js', 'text/javascript; charset=utf-8'],
  ['send-once.js', 'text/javascript; charset=utf-8'],
  ['board.js', 'text/javascript; charset=utf-8'],
  ['copy.js', 'text/javascript; charset=utf-8'],
  ['keep.js', 'text/javascript; charset=utf-8'],
  ['kept.js', 'text/javascript; charset=utf-8'],
  ['checkout.js', 'text/javascript; charset=utf-8'],
  ['favicon.svg', 'image/svg+xml; charset=utf-8'],
] as const)('%s can be kept for ever under its versioned address only', async (name, mediaType) => {
  const versioned = await pages.get(assetPath(name))
  expect(versioned.status).toBe(200)
  expect(versioned.headers.get('content-type')).toBe(mediaType)
  expect(versioned.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  for (const path of [`/assets/${name}`, `/assets/${name}?v=other`]) {
    expect((await pages.get(path)).headers.get('cache-control')).toBe('no-cache')
  }
})

test('there are no other assets', async () => {
  for (const name of ['none.css', '..%2fpackage.json', '__proto__', 'constructor']) {
    expect((await pages.get(`/assets/${name}`)).status).toBe(404)
  }
})

test('the style sheet stays small, and names nothing from elsewhere', async () => {
  const response = await pages.get(assetPath('style.css'))
  expect(Number(response.headers.get('content-length'))).toBeLessThan(16_000)
  const css = await response.text()
  expect(css).not.toMatch(/url\((?!"\/assets\/)|@import/)
})

test('HEAD answers like GET, without the body', async () => {
  const response = await fetch(pages.url + publicPath, { method: 'HEAD' })
  expect(response.status).toBe(200)
  expect(response.headers.get('etag')).toBe((await pages.get(publicPath)).headers.get('etag'))
})

// @module-tag programs
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { configFrom } from '../../src/platform/config/config.ts'
import { readSite } from '../../src/platform/config/site.ts'
import { launchBrowser } from '../support/browser.ts'
import { pageFaults } from '../support/page-faults.ts'
import { placeOnBoard } from '../support/places.ts'
import { run } from '../support/process.ts'
import { type Pages, startPages } from './page-app.ts'
import { fillBoard } from './samples.ts'

const NAME = 'Corkboard & <Sons>'
const SHOWN_NAME = 'Corkboard &amp; &lt;Sons>'
const TAGLINE = 'What Leeds makes, bakes & mends'
const ACCENT = '#7a1f5c'
const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 24"><path d="M0 0h96v24H0z"/></svg>'

const folder = mkdtempSync(join(tmpdir(), 'theme-'))
const logo = join(folder, 'logo.svg')
writeFileSync(logo, LOGO)
afterAll(() => rmSync(folder, { recursive: true }))

const THEME = { SITE_NAME: NAME, SITE_TAGLINE: TAGLINE, SITE_ACCENT: ACCENT }

let themed: Pages
let plain: Pages
beforeAll(async () => {
  ;[themed, plain] = await Promise.all([startPages({ env: { ...THEME, SITE_LOGO: logo } }), startPages()])
  await fillBoard(themed, 7)
  await placeOnBoard(themed.store, { 'sample-1': 2500, 'sample-5': 2400 })
  await placeOnBoard(themed.store, { 'sample-1': 2500 }, '2026-11-21')
})
afterAll(() => Promise.all([themed.close(), plain.close()]))

const textOf = async (path: string) => (await themed.get(path)).text()

describe('a board by another name', () => {
  test('has that name wherever the board is meant', async () => {
    const { publicPath, privatePath } = await themed.addListing()
    const paths = [
      ...['/', '/newest', '/board/all', '/board/today', '/category/design', '/category/design/board', '/list'],
      ...['/search?q=bread', '/rules', '/support', '/privacy', '/how-boards-work', '/limits', '/api', '/promote'],
      ...[publicPath, `${publicPath}/reported`, privatePath, '/none', '/product/sample-1', '/board/today/2026-11'],
      ...['/list?destination=https://new-bakery.com/&category=Design'],
    ]
    for (const path of paths) {
      const html = await textOf(path)
      expect(html, path).toContain(` · ${SHOWN_NAME}</title>`)
      expect(html, path).toContain(`aria-label="Corkboard &amp; &lt;Sons>, home"`)
      // The software, its client and its header keep theirs.
      expect([path, html.match(/.{0,60}\bPlacard\b(?!’s client|-Decision)/)?.[0]]).toEqual([path, undefined])
    }
    expect(await textOf('/')).toContain(`<h1 class="own">What Leeds makes, bakes &amp; mends</h1>`)
    expect(await textOf('/feed.atom')).toContain('<title>Corkboard &amp; &lt;Sons&gt;: newest listings</title>')
    expect(await textOf('/feed.atom')).toContain(`<subtitle>What Leeds makes, bakes &amp; mends</subtitle>`)
    for (const path of ['/llms.txt', '/agent-guide.md']) {
      expect(await textOf(path)).toMatch(/^# Corkboard & <Sons>/)
      expect(await textOf(path)).not.toMatch(/\bPlacard\b(?!-Decision)/)
    }
    const said = await textOf(`/oembed?url=${themed.url}/product/sample-1`)
    expect(JSON.parse(said)).toMatchObject({ provider_name: NAME })
    for (const badge of ['/badge/sample-1.svg', '/badge/sample-2.svg?style=dark']) {
      expect(await textOf(badge)).toContain('on Corkboard &amp; &lt;Sons&gt;')
      expect(await textOf(badge)).not.toContain('Placard')
    }
  })

  test('has its logo on each page, and serves it so that nothing in it runs', async () => {
    for (const path of ['/', '/rules', '/none']) {
      expect(await textOf(path)).toMatch(
        /<img src="\/logo\.svg\?v=[\w-]{12}" width="96" height="24" alt="Corkboard &amp; &lt;Sons>"\/>/,
      )
    }
    const [, path = ''] = /src="(\/logo\.svg[^"]+)"/.exec(await textOf('/')) ?? []
    const response = await themed.get(path)
    expect(await response.text()).toBe(LOGO)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/svg+xml; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    })
    expect((await plain.get('/logo.svg')).status).toBe(404)
  })

  test('opened alone, runs no script of its logo and loads nothing for it', { tags: ['browser'] }, async () => {
    const marked = (by: string) => `document.documentElement.setAttribute('${by}', '')`
    const hostile = join(folder, 'hostile.svg')
    const inner = `<script>${marked('data-script')}</script><script href="/assets/copy.js?hostile"/>
      <style>@import '/accent.css?hostile'; path { fill: rgb(1, 2, 3) }</style><image href="/logo.svg?hostile"/>`
    const start = `viewBox="0 0 96 24" onload="${marked('data-load')}">`
    writeFileSync(hostile, LOGO.replace('viewBox="0 0 96 24">', start + inner))
    const site = await startPages({ env: { ...THEME, SITE_LOGO: hostile } })
    const browser = await launchBrowser()
    const page = await browser.newPage()
    const loaded: string[] = []
    page.on('requestfinished', request => void loaded.push(request.url()))
    const opened = async () => {
      loaded.length = 0
      await page.goto(`${site.url}/logo.svg`)
      const marks = await page.evaluate(() => document.documentElement.getAttributeNames())
      const fill = await page.evaluate(() => getComputedStyle(document.querySelector('path') as Element).fill)
      return {
        fill,
        ran: marks.filter(name => name.startsWith('data-')),
        loaded: loaded.filter(url => /hostile/.test(url)),
      }
    }
    expect(await opened()).toEqual({ fill: 'rgb(1, 2, 3)', ran: [], loaded: [] })
    // The browser would do all of this, if the headers of the address did not forbid it.
    await page.route('**/logo.svg', async route => {
      const response = await route.fetch()
      const { 'content-security-policy': _, ...headers } = response.headers()
      await route.fulfill({ response, headers })
    })
    const unprotected = await opened()
    expect(unprotected.ran.sort()).toEqual(['data-load', 'data-script'])
    expect(unprotected.loaded.sort()).toEqual(
      ['/accent.css', '/assets/copy.js', '/logo.svg'].map(path => `${site.url}${path}?hostile`),
    )
    await browser.close()
    await site.close()
  })

  test('has its colour in a sheet after ours, on badges and in pictures', async () => {
    const html = await textOf('/')
    const [, path = ''] = /style\.css[^"]+"\/><link rel="stylesheet" href="(\/accent\.css[^"]+)"/.exec(html) ?? []
    const sheet = await themed.get(path)
    expect(sheet.headers.get('content-type')).toBe('text/css; charset=utf-8')
    expect(await sheet.text()).toContain(`--green: ${ACCENT};`)
    expect(await textOf('/badge/sample-5.svg')).toContain(`fill="${ACCENT}"`)
    for (const image of ['/share/site.png', '/share/board-all.png', '/icon-192.png']) {
      const png = sharp(Buffer.from(await (await themed.get(image)).arrayBuffer())).removeAlpha()
      const corner = await png.extract({ left: 2, top: 2, width: 1, height: 1 }).raw().toBuffer()
      // A picture of few inks may be off by one.
      for (const [channel, value] of Buffer.from(ACCENT.slice(1), 'hex').entries()) {
        expect(Math.abs((corner[channel] ?? 0) - value), image).toBeLessThan(3)
      }
    }
    expect(await (await plain.get('/')).text()).not.toContain('accent.css')
  })

  test('without a logo has its name in type', async () => {
    const named = await startPages({ env: { SITE_NAME: 'Pinnwand' } })
    const html = await (await named.get('/rules')).text()
    expect(html.match(/<span class="site-name">Pinnwand<\/span>/g)).toHaveLength(2)
    expect(html).not.toContain('id="wordmark"')
    await named.close()
  })

  test('can be read in both themes', { tags: ['browser', 'accessibility'] }, async () => {
    const browser = await launchBrowser()
    const bare = await startPages({ env: { ...THEME, SITE_ACCENT: '#727272', SITE_NAME: 'W'.repeat(30) } })
    await fillBoard(bare, 7)
    await placeOnBoard(bare.store, { 'sample-1': 2500, 'sample-5': 2400 }, '2026-11-21')
    const page = await browser.newPage()
    const faults: unknown[] = []
    for (const [name, base] of [
      ['themed', themed.url],
      ['at the edge', bare.url],
    ]) {
      for (const path of ['/', '/board/today', '/product/sample-1', '/list', '/none']) {
        await page.goto(base + path)
        faults.push(...(await pageFaults(page, `${name} ${path}`)))
      }
    }
    expect(faults).toEqual([])
    await browser.close()
    await bare.close()
  })
})

describe('the manifest', () => {
  test.each(['themed', 'plain'])('of a %s board names icons that are as large as it says', async which => {
    const pages = which === 'themed' ? themed : plain
    const response = await pages.get('/manifest.webmanifest')
    expect(response.headers.get('content-type')).toBe('application/manifest+json; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe(
      'public, max-age=1800, stale-while-revalidate=1800, stale-if-error=300',
    )
    const manifest = (await response.json()) as Record<string, unknown> & {
      icons: { src: string; sizes: string; type: string; purpose: string }[]
    }
    expect(manifest).toMatchObject({
      name: which === 'themed' ? NAME : 'Placard',
      start_url: '/',
      scope: '/',
      display: 'minimal-ui',
      theme_color: which === 'themed' ? ACCENT : '#0f4a3a',
      background_color: '#faf8f2',
    })
    expect(manifest.icons.map(({ sizes, purpose }) => [sizes, purpose])).toEqual([
      ['192x192', 'any'],
      ['512x512', 'any'],
      ['512x512', 'maskable'],
    ])
    const html = await (await pages.get('/')).text()
    expect(html).toContain('<link rel="manifest" href="/manifest.webmanifest"/>')
    const [, touch = ''] = /<link rel="apple-touch-icon" href="([^"]+)"/.exec(html) ?? []
    for (const { src, sizes, type } of [...manifest.icons, { src: touch, sizes: '180x180', type: 'image/png' }]) {
      const icon = await pages.get(src)
      expect(icon.headers.get('content-type')).toBe(type)
      expect(icon.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      const { width, height } = await sharp(Buffer.from(await icon.arrayBuffer())).metadata()
      expect(`${width}x${height}`).toBe(sizes)
    }
  })
})

describe('a start is refused in one line', () => {
  test('for a logo that is not there', async () => {
    const env = { PORT: '0', DATA_DIR: join(folder, 'data'), SITE_LOGO: join(folder, 'none.svg') }
    const { ended, output } = run('server/bundled/main.js', [], env)
    expect(await ended).toBe(1)
    expect(output()).toMatch(/^Placard cannot start: SITE_LOGO cannot be read: ENOENT[^\n]+\n$/)
  })

  const bad = join(folder, 'bad.svg')
  writeFileSync(bad, LOGO.replaceAll('svg', 'html'))
  test.each([
    [
      'a colour too light',
      { SITE_ACCENT: '#ffcc00' },
      /^SITE_ACCENT needs a contrast of at least 4\.5:1 .* #ffcc00 has 1\.42:1;/,
    ],
    ['a logo that is no SVG', { SITE_LOGO: bad }, /^SITE_LOGO \S+bad\.svg is not an SVG file: /],
    ['a name too long', { SITE_NAME: 'x'.repeat(31) }, /^SITE_NAME must be at most 30 characters long, not 31/],
    ['a name of nothing', { SITE_NAME: '\u200b!' }, /^SITE_NAME must be words in one line/],
    ['a tagline too long', { SITE_TAGLINE: 'x'.repeat(81) }, /^SITE_TAGLINE must be at most 80 characters/],
  ])('for %s', (_, env, line) => {
    expect(() => readSite(configFrom(env))).toThrow(line)
  })
})

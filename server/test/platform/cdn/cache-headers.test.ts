import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { configFrom } from '../../../src/platform/config/config.ts'
import type { Env } from '../../../src/platform/config/settings.ts'
import { type RunningService, startService } from '../../../src/start.ts'
import { putDraw } from '../../support/draws.ts'
import { migratedDatabase } from '../../support/engines.ts'
import { listingRow } from '../../support/listing-row.ts'
import { placeOnBoard } from '../../support/places.ts'
import { NOON } from '../../support/service.ts'

/** A path for each route that a shared cache may hold, and what it says it shows. Every other route is private. */
const PUBLIC: Record<string, { path?: string; tags: string }> = {
  '/': { tags: 'site home' },
  '/board/:board(all|today)': { path: '/board/all', tags: 'site board-all' },
  '/api/v1/boards/:board(all|today)': { path: '/api/v1/boards/today', tags: 'site board-today' },
  '/api/v1/boards/days/:day': { path: '/api/v1/boards/days/2026-11-20', tags: 'site days' },
  '/api/v1/boards/categories/:category': {
    path: '/api/v1/boards/categories/Games',
    tags: 'site board-games categories',
  },
  '/api/v1/listings': { tags: 'site listings' },
  '/api/v1/listings/:slug': { path: '/api/v1/listings/oak', tags: 'site listing-oak' },
  '/api/v1/search': { path: '/api/v1/search?q=elm', tags: 'site search' },
  '/picks': { tags: 'site' },
  '/picks/feed.atom': { tags: 'site' },
  '/draw/feed.atom': { tags: 'site newest' },
  '/draw': { tags: 'site listing-oak' },
  '/draw/:day': { path: '/draw/2026-11-21', tags: 'site listing-oak' },
  '/draw/:day/candidates/:page(^[1-9]\\d{0,5}$).txt': { path: '/draw/2026-11-21/candidates/1.txt', tags: 'site' },
  '/api/v1/draws/:day': { path: '/api/v1/draws/2026-11-21', tags: 'site listing-oak' },
  '/board/today/:day': { path: '/board/today/2026-11-20', tags: 'site days' },
  '/category/:slug': { path: '/category/food-drink', tags: 'site category-food-drink categories' },
  '/category/:slug/board': { path: '/category/food-drink/board', tags: 'site board-food-drink categories' },
  '/share/board-:slug([a-z-]+).png': { path: '/share/board-games.png', tags: 'site board-games' },
  '/product/:slug': { path: '/product/oak', tags: 'site listing-oak listing-elm' },
  '/product/:slug/end.ics': { path: '/product/elm/end.ics', tags: 'site listing-elm' },
  '/picture/:slug/share.png': { path: '/picture/oak/share.png', tags: 'site listing-oak' },
  '/badge/:slug([a-z0-9-]+).svg': { path: '/badge/oak.svg', tags: 'site listing-oak' },
  '/oembed': { path: '/oembed?url=BASE/product/oak', tags: 'site listing-oak' },
  '/newest': { tags: 'site newest' },
  '/feed.atom': { tags: 'site newest' },
  '/category/:slug/feed.atom': { path: '/category/food-drink/feed.atom', tags: 'site category-food-drink categories' },
  '/board/all/feed.atom': { tags: 'site board-all' },
  '/board/today/feed.atom': { tags: 'site board-today' },
  '/board/past/feed.atom': { tags: 'site days' },
  '/search/feed.atom': { path: '/search/feed.atom?q=elm', tags: 'site search' },
  '/sitemap.xml': { tags: 'site newest' },
  '/sitemap-days.xml': { tags: 'site days' },
  '/sitemap-:number(^[1-9]\\d{0,5}$).xml': { path: '/sitemap-1.xml', tags: 'site newest' },
  '/search/suggest': { path: '/search/suggest?q=elm', tags: 'site search' },
  '/client/:name': { path: '/client/placard-agent.tgz', tags: 'site' },
  '/kept': { tags: 'site' },
  '/share/kept.png': { path: '/share/kept.png?listings=oak', tags: 'site listing-oak' },
  '/search': { path: '/search?q=elm', tags: 'site search' },
  ...Object.fromEntries(
    [
      ...[
        '/list',
        '/rules',
        '/own',
        '/support',
        '/privacy',
        '/transparency',
        '/transparency.json',
        '/transparency.csv',
        '/proof',
        '/limits',
        '/how-boards-work',
        '/agents',
        '/api',
        '/client/',
      ],
      ...['/agent-guide.md', '/llms.txt', '/openapi.json', '/robots.txt', '/sitemap-pages.xml'],
      ...['/manifest.webmanifest', '/mcp/server-card', '/.well-known/ard.json', '/.well-known/ai-catalog.json'],
      ...['/.well-known/api-catalog', '/.well-known/security.txt', '/.well-known/agent-skills/index.json'],
      '/.well-known/agent-skills/placard/SKILL.md',
    ].map(path => [path, { tags: 'site' }]),
  ),
}

/** Public too, but nothing that is purged can make them wrong. */
const NEVER_WRONG = [
  ...['/api/v1/agent/capabilities', '/share/site.png', '/share/category-games.png'],
  ...['/share/picks.png', '/share/draw-2026-11-21.png'],
  ...['/apple-touch-icon.png', '/icon-192.png', '/icon-512.png', '/icon-maskable-512.png'],
]

const started: { service: RunningService; remove(): Promise<void> }[] = []
let base: string
let heldBase: string
let routes: string[]

async function start(env: Env): Promise<string> {
  const database = await migratedDatabase('sqlite')
  const config = configFrom({ PORT: '0', LOG_LEVEL: 'silent', ...database.env, ...env })
  const service = await startService(config, { clock: () => NOON, jobs: () => [] })
  started.push({ service, remove: () => database.remove() })
  const store = await database.openStore()
  await placeOnBoard(store, { oak: 2500 })
  await placeOnBoard(store, { oak: 2500 }, '2026-11-20')
  await store.db
    .insertInto('listing')
    .values(listingRow({ slug: 'elm', title: 'Elm' }))
    .execute()
  await putDraw(store, '2026-11-21', ['oak'])
  routes = routesOf(service.app.printRoutes({ commonPrefix: false }))
  return `http://127.0.0.1:${service.port}`
}

beforeAll(async () => {
  base = await start({})
  heldBase = await start({ PURGE_URL: 'http://127.0.0.1:9/' })
})
afterAll(async () => {
  for (const { service, remove } of started) {
    await service.stop()
    await remove()
  }
})

const get = (at: string, path: string) =>
  fetch(at + path.replace('BASE', at), { headers: { accept: 'text/html' }, redirect: 'manual' })

/** Full paths from the tree that Fastify prints. */
function routesOf(tree: string): string[] {
  const above: string[] = []
  return tree.split('\n').flatMap(line => {
    const [, indent = '', part = ''] = /^([│ ]*)[├└]── (.*) \([A-Z, ]+\)$/.exec(line) ?? []
    if (part === '') return []
    const depth = indent.length / 4
    const path = depth === 1 ? `/${part}` : (above[depth - 1] ?? '') + part
    above[depth] = path
    return [path]
  })
}

describe('shared caches', () => {
  test('may hold every public reply, which says what it shows, and can be renewed behind a visitor’s back', async () => {
    for (const [route, { path = route, tags }] of Object.entries(PUBLIC)) {
      expect(routes).toContain(route)
      // A busy machine may not have drawn a picture by the first request.
      await expect.poll(async () => (await get(base, path)).status).not.toBe(503)
      const { status, headers } = await get(base, path)
      expect([route, status, headers.get('surrogate-key')]).toEqual([route, 200, tags])
      expect(headers.get('cache-tag')).toBe(tags.replaceAll(' ', ','))
      // Without a purge, a listing that is taken down must be gone at once.
      const cacheControl = headers.get('cache-control') ?? ''
      const isImmutable = /\/candidates\//.test(route)
      const isListing = /^\/product\/|\/listings\/:slug$/.test(route)
      expect([route, cacheControl]).toEqual([
        route,
        expect.stringMatching(
          isImmutable ? /immutable$/ : isListing ? /must-revalidate$/ : /stale-while-revalidate=\d+/,
        ),
      ])
      for (const header of ['cdn-cache-control', 'surrogate-control', 'set-cookie']) {
        expect([route, headers.get(header)]).toEqual([route, null])
      }
    }
  })

  test('that are purged may hold all of it for a minute, in headers of their own', async () => {
    const held = 'max-age=60, stale-while-revalidate=60, stale-if-error=86400'
    for (const [route, { path = route }] of Object.entries(PUBLIC)) {
      const { headers } = await get(heldBase, path)
      expect([route, headers.get('cdn-cache-control')]).toEqual([route, held])
      expect(headers.get('surrogate-control')).toBe(held)
      expect(headers.get('cache-control')).toBe((await get(base, path)).headers.get('cache-control'))
    }
  })

  test('read the tags with commas if they are Souin, which takes several with spaces for one', async () => {
    const souinBase = await start({ PURGE_URL: 'http://127.0.0.1:9/', PURGE_API: 'souin' })
    const home = PUBLIC['/']
    // Home is kept as bytes by the first request, and answers the last one.
    for (const [route, { path = route, tags } = { tags: '' }] of [...Object.entries(PUBLIC), ['/', home] as const]) {
      const { headers } = await get(souinBase, path)
      expect([route, headers.get('surrogate-key')]).toEqual([route, tags.replaceAll(' ', ', ')])
    }
  })

  test('may hold nothing else: every other route, and every error', async () => {
    const sample = (route: string) => route.replace(/:\w+(\([^)]*\)+)?/g, 'x')
    const others = routes.filter(route => !(route in PUBLIC))
    expect(others.length).toBeGreaterThan(40)
    // Of a private link that is pasted into a search.
    const pasted = ['/search', '/search/suggest', '/search/feed.atom'].map(path => `${path}?q=x%23owner%3Dsecret`)
    const more = ['/none', '/product/none', '/promote?board=all&target=9', '/visit/oak', ...pasted]
    const paths = [...others.map(sample), ...more]
    for (const at of [base, heldBase]) {
      for (const path of paths) {
        if (NEVER_WRONG.includes(path)) continue
        const { headers } = await get(at, path)
        expect([path, headers.get('surrogate-key'), headers.get('cdn-cache-control')]).toEqual([path, null, null])
        expect([path, headers.get('cache-control')]).toEqual([path, expect.stringMatching(/no-store|no-cache/)])
      }
    }
  })

  test('know nothing of tags for what no purge can make wrong', async () => {
    for (const path of NEVER_WRONG) {
      const { status, headers } = await get(base, path)
      expect([path, status, headers.get('surrogate-key')]).toEqual([path, 200, null])
      expect(headers.get('cache-control')).toMatch(/^public, /)
    }
  })
})

/** The code of an error, and the key of a submission, which is useless without its secret. */
const NOT_SECRET = /^\/errors\/|\/agent\/submissions\//

test('the docs, and their configuration of nginx, keep every address with a secret out of access logs', async () => {
  await start({ SMTP_URL: 'smtp://127.0.0.1:9', OPERATOR_MAIL_TO: 'ops@example.org' })
  const secret = routes.filter(route => /:(token|code|key)\b/.test(route) && !NOT_SECRET.test(route))
  expect(secret.length).toBeGreaterThan(9)
  const docs = readFileSync(new URL('../../../../docs/install.md', import.meta.url), 'utf8')
  const [, said = ''] = /\*\*Access logs:\*\*(.*?)\n\n/s.exec(docs) ?? []
  const [, unlogged = '(?!)'] = /location ~ (\S+) \{\n +access_log off;/.exec(docs) ?? []
  for (const route of secret) {
    const paths = [...said.matchAll(/`(\/[^`]+)`/g)].map(([, path = '']) => path)
    expect([route, paths.some(path => route.startsWith(path)), new RegExp(unlogged).test(route)]).toEqual([
      route,
      true,
      true,
    ])
  }
})

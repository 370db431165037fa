import { parse } from 'node:querystring'
import cookie from '@fastify/cookie'
import formbody from '@fastify/formbody'
import { BODY_MAX_BYTES } from '@placard/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { PAGE_HEADERS, withHeaders } from '../platform/http/headers.ts'
import { approveRoutes } from './approve.tsx'
import { boardRoutes } from './boards/routes.ts'
import { discoveryRoutes } from './browse/routes.ts'
import { checkoutRoutes } from './checkout/routes.ts'
import { consoleRoutes } from './console/routes.ts'
import { featuredRoutes } from './featured/routes.ts'
import { homeRoutes } from './home/routes.ts'
import { keptRoutes } from './kept.tsx'
import { listRoutes } from './list/routes.ts'
import { listingRoutes } from './listing/routes.ts'
import { ownerRoutes } from './manage/routes.ts'
import { ownRoutes } from './own/routes.ts'
import { promoteRoutes } from './promote/routes.ts'
import { proofRoutes } from './proof/routes.ts'
import { searchRoutes } from './search/routes.ts'
import { siteRoutes } from './site-files.ts'
import { staticPages } from './texts/routes.ts'
import { transparencyRoutes } from './transparency.tsx'
import { type PageDependencies, pageParts } from './ui/page-parts.ts'

/**
 * Adds all pages for people, and the texts for agents. Register it in its own context. Within it, only pages with headers
 * or errors of their own have a context: each one costs time at the start.
 */
export async function pages(app: FastifyInstance, given: PageDependencies): Promise<void> {
  // PostgreSQL rejects a NUL in any text. HTML replaces one in the same way.
  const parser = (text: string) => parse(text.replaceAll(/%00|\0/g, '%EF%BF%BD'))
  await app.register(formbody, { bodyLimit: BODY_MAX_BYTES, parser })
  await app.register(cookie)
  // Before anything can fail, so that error pages have them too.
  app.addHook('onRequest', withHeaders(PAGE_HEADERS))
  const deps = pageParts(app, given)
  siteRoutes(app, deps)
  homeRoutes(app, deps)
  await boardRoutes(app, deps)
  featuredRoutes(app, deps)
  await listRoutes(app, deps)
  ownRoutes(app, deps)
  await app.register(approveRoutes, deps)
  staticPages(app, deps)
  transparencyRoutes(app, deps)
  proofRoutes(app, deps)
  await listingRoutes(app, deps)
  discoveryRoutes(app, deps)
  searchRoutes(app, deps)
  keptRoutes(app, deps)
  await ownerRoutes(app, { ...deps, fetchPage: deps.fetchPageAgain })
  await app.register(promoteRoutes, deps)
  await app.register(checkoutRoutes, deps)
  await app.register(consoleRoutes, deps)
}

/** Addresses that people and programs guess, and where each leads. */
const REDIRECTS: Partial<Record<string, string>> = {
  '/board': '/board/all',
  '/boards': '/board/all',
  '/boards/all': '/board/all',
  '/boards/today': '/board/today',
  '/categories': '/#categories',
  '/category': '/#categories',
  '/docs': '/api',
  '/errors': '/api#errors',
  '/feed': '/feed.atom',
  '/favicon.ico': '/icon-192.png',
}

/** The redirect of an unknown address: to a known path, or to the same without its trailing slash. */
export function redirectOf({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): string | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  // Plain parts only: without its slash, `//elsewhere.com/` would be another host.
  const [, path, slashes, query] = /^((?:\/[\w.~-]+)+)(\/*)(\?.*)?$/.exec(url) ?? []
  if (path === undefined || path.startsWith('/api/')) return undefined
  return REDIRECTS[path] ?? (slashes && path + (query ?? ''))
}

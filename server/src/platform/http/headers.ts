import type { Board } from '@placard/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { nextMidnight } from '../lib/time.ts'

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** For everything that a browser may show, including error pages. */
export const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** For public pages with scripts that only use the browser: they copy and keep what the page shows. */
export const COPYING_HEADERS = {
  ...PAGE_HEADERS,
  'content-security-policy': `${POLICY}; script-src 'self'`,
} as const

/** For public pages whose own script calls this service, such as the boards. */
export const LIVE_HEADERS = {
  ...PAGE_HEADERS,
  'content-security-policy': `${POLICY}; script-src 'self'; connect-src 'self'`,
} as const

/** For what no cache and no search engine may keep. */
export const PASSING_HEADERS = { 'cache-control': 'no-store', 'x-robots-tag': 'noindex' } as const

/** For what has a secret in its address. It must leave no trace in caches, logs and indexes. */
export const SECRET_HEADERS = {
  ...PAGE_HEADERS,
  ...PASSING_HEADERS,
  'referrer-policy': 'no-referrer',
} as const

/** For the private page, which leaves no trace either, and runs one script. */
export const PRIVATE_HEADERS = {
  ...SECRET_HEADERS,
  'content-security-policy': LIVE_HEADERS['content-security-policy'],
} as const

/** For the bill of a listing, which other websites show in a frame. It sets no cookie and takes no input. */
export const FRAMED_HEADERS = {
  ...PAGE_HEADERS,
  'content-security-policy': POLICY.replace("form-action 'self'", "form-action 'none'").replace(
    "frame-ancestors 'none'",
    'frame-ancestors *',
  ),
  'cross-origin-resource-policy': 'cross-origin',
  // Websites that have this policy themselves show no frame without it.
  'cross-origin-embedder-policy': 'require-corp',
  'x-robots-tag': 'noindex',
} as const

/** Returns a hook that sets headers on every reply of its routes, errors included. */
export const withHeaders =
  (headers: Readonly<Record<string, string>>) =>
  async (_request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.headers(headers)
  }

/** Keeps every reply of a route out of caches. */
export const noStore = withHeaders({ 'cache-control': 'no-store' })

/** How long a cache may continue to serve a list while the service fails. Pages of boards say when they were made. */
const IF_ERROR_SECONDS = 300

/** Served for at most `seconds`: fresh for the first half, and during the second while a new copy is fetched. */
const servedFor = (seconds: number): string => {
  const fresh = Math.ceil(seconds / 2)
  return `public, max-age=${fresh}, stale-while-revalidate=${seconds - fresh}`
}

const publicFor = (seconds: number): string => `${servedFor(seconds)}, stale-if-error=${IF_ERROR_SECONDS}`

const HOME_SECONDS = 30
const BOARD_SECONDS = 10
/** Also the `cache_age` of oEmbed. */
export const EMBED_SECONDS = 60

/** How long a public reply may be cached. All carry an ETag, so revalidating is cheap. */
export const CACHE = {
  /** A listing that was taken down must be gone on the next visit. */
  listing: 'public, max-age=0, must-revalidate',
  /** Shown on other websites. One taken down must not stay there while the service fails. */
  embed: servedFor(EMBED_SECONDS),
  home: publicFor(HOME_SECONDS),
  text: publicFor(300),
  /** Only a release, or the operator's settings, change it. */
  site: publicFor(3600),
  versioned: 'public, max-age=31536000, immutable',
} as const

/** Cached for at most `seconds`, and never past UTC midnight: for pages that show today's board. */
const untilMidnight = (seconds: number, now: number): string =>
  publicFor(Math.min(seconds, Math.floor((nextMidnight(now) - now) / 1000)))

/** Returns how long the home page may be cached: it shows today's top places. */
export const homeCache = (now: number): string => untilMidnight(HOME_SECONDS, now)

/** Returns how long a page of a board may be cached. */
export const boardCache = (board: Board, now: number): string =>
  board === 'today' ? untilMidnight(BOARD_SECONDS, now) : publicFor(BOARD_SECONDS)

import type { Board } from '@placard/contract'
import { nextMidnight } from '../time.ts'

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** On everything a browser may show, error pages included. */
export const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** On pages with a script of our own that asks this service, as the boards do. They are public like any other page. */
export const LIVE_HEADERS = {
  ...PAGE_HEADERS,
  'content-security-policy': `${POLICY}; script-src 'self'; connect-src 'self'`,
} as const

/** On the private page, which runs one script of our own and must leave no trace in caches, logs and indexes. */
export const PRIVATE_HEADERS = {
  ...LIVE_HEADERS,
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
} as const

const publicFor = (seconds: number) => `public, max-age=${seconds}`

const HOME_SECONDS = 30
const BOARD_SECONDS = 10

/** How long a public reply may be kept. All carry an ETag, so asking again is cheap. */
export const CACHE = {
  /** A listing that was taken down must be gone at the next look. */
  listing: 'public, max-age=0, must-revalidate',
  home: publicFor(HOME_SECONDS),
  text: publicFor(300),
  versioned: 'public, max-age=31536000, immutable',
} as const

/** For at most so long, and no longer than the present UTC day: for what shows the board of today. */
const untilMidnight = (seconds: number, now: number): string =>
  publicFor(Math.min(seconds, Math.floor((nextMidnight(now) - now) / 1000)))

/** How long the home page may be kept, which shows the first places of today. */
export const homeCache = (now: number): string => untilMidnight(HOME_SECONDS, now)

/** How long a page of a board may be kept. */
export const boardCache = (board: Board, now: number): string =>
  board === 'today' ? untilMidnight(BOARD_SECONDS, now) : publicFor(BOARD_SECONDS)

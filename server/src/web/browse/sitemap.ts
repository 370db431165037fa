import { BOARDS_PATH, CAPABILITIES_PATH, CATEGORIES, DRAWS_PATH, LISTINGS_PATH } from '@placard/contract'
import { lastDays } from '../../domain/boards/past-days.ts'
import { lastDraws } from '../../domain/featured/read-draw.ts'
import { countIdRanges, readIdRange } from '../../domain/listings/id-ranges.ts'
import type { Store } from '../../platform/db/store.ts'
import { drawPath, type Links } from '../../platform/http/links.ts'
import { utcDay } from '../../platform/lib/time.ts'
import { dayPath } from '../boards/day-paths.ts'
import { XML_DECLARATION, xml } from '../ui/atom.ts'
import { categoryBoardPath, categoryPath } from '../ui/format.ts'

const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'

const PAGES = [
  '/',
  '/list',
  '/own',
  '/newest',
  '/board/all',
  '/board/today',
  '/draw',
  '/picks',
  '/rules',
  '/how-boards-work',
  '/privacy',
  '/transparency',
  '/proof',
  '/limits',
  '/support',
  '/agents',
  '/api',
  '/agent-guide.md',
  '/llms.txt',
]

/** How many past days, and how many draws, are in the sitemap. Crawlers find older ones through the links between days. */
const DAYS_MAX = 1000

/** Returns the sitemap index: a sitemap for fixed pages, one for past days, and one for each range of listing ids. */
export async function readSitemapIndex(store: Store, links: Links): Promise<string> {
  const count = await countIdRanges(store)
  const numbers = Array.from({ length: count }, (_, place) => place + 1)
  const sitemaps = ['pages', 'days', ...numbers].map(
    name => `  <sitemap><loc>${xml(`${links.base}/sitemap-${name}.xml`)}</loc></sitemap>\n`,
  )
  return `${XML_DECLARATION}\n<sitemapindex xmlns="${NAMESPACE}">\n${sitemaps.join('')}</sitemapindex>\n`
}

/** Returns the sitemap of fixed pages. */
export const pagesSitemap = ({ base }: Links): string =>
  urlset(
    [...PAGES, ...CATEGORIES.flatMap(category => [categoryPath(category), categoryBoardPath(category)])].map(path => ({
      address: base + path,
    })),
  )

/** Returns the sitemap of past days with a winner and of the draws, latest first. */
export async function readDaysSitemap(store: Store, { base }: Links, now: number): Promise<string> {
  const days = await lastDays(store, { before: utcDay(now), limit: DAYS_MAX })
  const draws = await lastDraws(store, DAYS_MAX)
  // The format requires at least one address.
  const paths = [...(days.length > 0 ? days.map(dayPath) : ['/board/today']), ...draws.map(drawPath)]
  return urlset(paths.map(path => ({ address: base + path })))
}

interface ProductSitemap {
  /** Public address of the service. */
  base: string
  /** From 1. */
  number: number
  now: number
}

/**
 * Returns the sitemap of one range of listing ids, published listings only.
 *
 * @returns undefined if the range has no ids yet
 */
export async function readProductSitemap(
  store: Store,
  { base, number, now }: ProductSitemap,
): Promise<string | undefined> {
  const rows = await readIdRange(store, { number, now })
  if (!rows) return undefined
  // The format requires at least one address, even if the whole range has expired.
  if (rows.length === 0) return urlset([{ address: `${base}/` }])
  return urlset(rows.map(({ slug, updatedAt }) => ({ address: `${base}/product/${slug}`, changedAt: updatedAt })))
}

function urlset(entries: { address: string; changedAt?: number }[]): string {
  const urls = entries.map(({ address, changedAt }) => {
    const changed = changedAt === undefined ? '' : `<lastmod>${new Date(changedAt).toISOString()}</lastmod>`
    return `  <url><loc>${xml(address)}</loc>${changed}</url>\n`
  })
  return `${XML_DECLARATION}\n<urlset xmlns="${NAMESPACE}">\n${urls.join('')}</urlset>\n`
}

/** Pages that are private, personal or not meant to be read. Everything else may be crawled. */
const CLOSED = [
  '/manage/',
  '/feed/',
  '/checkout/',
  '/approve/',
  '/promote',
  '/visit/',
  '/random',
  '/sandbox/',
  '/webhooks/',
  '/api/',
]

/** The closed paths that this site has: the order page only exists if the site sells places. */
const closedOn = ({ site }: Links) => CLOSED.filter(path => site.sellsPlaces || path !== '/promote')

/** The API paths that pages and the agent guide link to. The longer rule wins. */
const OPEN = [CAPABILITIES_PATH, `${BOARDS_PATH}/`, `${DRAWS_PATH}/`, LISTINGS_PATH]

/** Returns the rules for crawlers (RFC 9309). */
export const robotsText = (links: Links): string => `User-agent: *
${OPEN.map(path => `Allow: ${path}\n`).join('')}${closedOn(links)
  .map(path => `Disallow: ${path}\n`)
  .join('')}
Sitemap: ${links.base}/sitemap.xml
`

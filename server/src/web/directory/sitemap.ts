import { CATEGORIES } from '@placard/contract'
import { sql } from 'kysely'
import { lastDays } from '../../boards/past-days.ts'
import type { Links } from '../../http/links.ts'
import { longRead } from '../../storage/long-read.ts'
import { type Runner, statement } from '../../storage/statement.ts'
import type { Store } from '../../storage/store.ts'
import { utcDay } from '../../time.ts'
import { dayPath } from '../boards/day-paths.ts'
import { categoryBoardPath, categoryPath } from '../ui/category-path.ts'
import { XML_DECLARATION, xml } from './xml.ts'

const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'

/** The format allows 50,000; fewer keep each request small. */
const IDS_PER_SITEMAP = 2000

const PAGES = [
  '/',
  '/list',
  '/newest',
  '/board/all',
  '/board/today',
  '/rules',
  '/how-boards-work',
  '/privacy',
  '/transparency',
  '/limits',
  '/support',
  '/agents',
  '/api',
  '/agent-guide.md',
  '/llms.txt',
]

/** Past days in the sitemap: older ones are found from day to day. */
const DAYS_MAX = 1000

/** The sitemap index: one sitemap for fixed pages, one for past days, and one for each range of listing ids. */
export async function readSitemapIndex(store: Store, links: Links): Promise<string> {
  const count = await countProductSitemaps(store)
  const numbers = Array.from({ length: count }, (_, place) => place + 1)
  const sitemaps = ['pages', 'days', ...numbers].map(
    name => `  <sitemap><loc>${xml(`${links.base}/sitemap-${name}.xml`)}</loc></sitemap>\n`,
  )
  return `${XML_DECLARATION}\n<sitemapindex xmlns="${NAMESPACE}">\n${sitemaps.join('')}</sitemapindex>\n`
}

/** The sitemap of fixed pages. */
export const pagesSitemap = ({ base }: Links): string =>
  urlset(
    [...PAGES, ...CATEGORIES.flatMap(category => [categoryPath(category), categoryBoardPath(category)])].map(
      path => ({ address: base + path }),
    ),
  )

/** The sitemap of the days that are over and have a winner, the latest first. */
export async function readDaysSitemap(store: Store, { base }: Links, now: number): Promise<string> {
  const days = await lastDays(store, { before: utcDay(now), limit: DAYS_MAX })
  // The format requires at least one address.
  const paths = days.length > 0 ? days.map(dayPath) : ['/board/today']
  return urlset(paths.map(path => ({ address: base + path })))
}

/**
 * The sitemap of one range of listing ids, published listings only.
 *
 * @returns undefined if the range has no ids yet
 */
export const readProductSitemap = longRead(
  'readProductSitemap',
  async (runner, { base, number, now }: ProductSitemap): Promise<string | undefined> => {
    if (number > (await countProductSitemaps(runner))) return undefined
    const until = number * IDS_PER_SITEMAP
    const rows = await shownOfIds(runner, { after: until - IDS_PER_SITEMAP, until, now })
    // The format requires at least one address, even if the whole range has expired.
    if (rows.length === 0) return urlset([{ address: `${base}/` }])
    return urlset(
      rows.map(({ slug, publishedAt }) => ({ address: `${base}/product/${slug}`, changedAt: publishedAt })),
    )
  },
)

interface ProductSitemap {
  /** Public address of the service. */
  base: string
  /** From 1. */
  number: number
  /** Unix milliseconds. */
  now: number
}

async function countProductSitemaps(runner: Runner): Promise<number> {
  const [last] = await lastId(runner, {})
  return Math.ceil((last?.id ?? 0) / IDS_PER_SITEMAP)
}

const lastId = statement({}, (_, db) =>
  db.selectFrom('listing').select('id').orderBy('id', 'desc').limit(sql.lit(1)),
)

const shownOfIds = statement(
  { after: 'bigint', until: 'bigint', now: 'bigint' },
  ({ after, until, now }, db) =>
    db
      .selectFrom('listing')
      .select(['slug', 'publishedAt'])
      .where('id', '>', after)
      .where('id', '<=', until)
      .where('hiddenAt', 'is', null)
      .where(({ eb, or }) => or([eb('expiresAt', 'is', null), eb('expiresAt', '>', now)]))
      .orderBy('id'),
)

function urlset(entries: { address: string; changedAt?: number }[]): string {
  const urls = entries.map(({ address, changedAt }) => {
    const changed = changedAt === undefined ? '' : `<lastmod>${new Date(changedAt).toISOString()}</lastmod>`
    return `  <url><loc>${xml(address)}</loc>${changed}</url>\n`
  })
  return `${XML_DECLARATION}\n<urlset xmlns="${NAMESPACE}">\n${urls.join('')}</urlset>\n`
}

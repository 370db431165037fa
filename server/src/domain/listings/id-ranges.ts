import { sql } from 'kysely'
import { statement } from '../../platform/db/statement.ts'
import { longRead, type Runner } from '../../platform/db/store.ts'
import { isPublished } from './listed-row.ts'

/** A sitemap can have 50,000 addresses. Fewer keep each request small. */
const IDS_PER_RANGE = 2000

interface ListedId {
  slug: string
  updatedAt: number
}

/** Counts the ranges of listing ids. Each has its own sitemap. */
export async function countIdRanges(runner: Runner): Promise<number> {
  return Math.ceil((await lastId(runner)) / IDS_PER_RANGE)
}

/**
 * Reads the published listings of one range of ids.
 *
 * @param number from 1
 * @returns undefined if the range has no ids yet
 */
export const readIdRange = longRead(
  'readProductSitemap',
  async (runner, { number, now }: { number: number; now: number }): Promise<readonly ListedId[] | undefined> => {
    if (number > (await countIdRanges(runner))) return undefined
    const until = number * IDS_PER_RANGE
    return publishedIn(runner, { after: until - IDS_PER_RANGE, until, now })
  },
)

/** Reads the highest id of a listing, in any status; 0 if there are none. */
export const lastId = async (runner: Runner): Promise<number> => (await readLastId(runner, {}))[0]?.id ?? 0
const readLastId = statement({}, () => sql<{ id: number }>`select id from listing order by id desc limit 1`)

const publishedIn = statement(
  { after: 'bigint', until: 'bigint', now: 'bigint' },
  ({ after, until, now }) => sql<ListedId>`
    select slug, "updatedAt" from listing where id > ${after} and id <= ${until} and ${isPublished(now)} order by id`,
)

import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { statementOfRows } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import { newest } from './discovery.ts'
import { lastId } from './id-ranges.ts'
import { isPublished } from './listed-row.ts'

/** How many ids to try at once, and how often: that finds a listing if at least one of two hundred is published. */
const [TRIED_AT_ONCE, ROUNDS_MAX] = [64, 16]
/** If fewer are published, the choice is among all that are, or this many of the newest. */
const NEWEST_MAX = 1000

/**
 * Returns a published listing by chance. Each has the same chance: random ids are tried until one is that of a published
 * listing, which costs a few lookups however many listings there are.
 *
 * @param not the listing to leave out
 * @returns its slug, or undefined if there is no other
 */
export async function randomListing(
  store: Store,
  { not, now }: { not: string | undefined; now: number },
): Promise<string | undefined> {
  const [last] = await lastId(store, {})
  for (let round = 0; last && round < ROUNDS_MAX; round++) {
    const tried = Array.from({ length: TRIED_AT_ONCE }, () => ({ id: randomInt(1, last.id + 1), now }))
    const published = new Map((await publishedAmong(store, tried)).map(({ id, slug }) => [id, slug]))
    const found = tried.map(({ id }) => published.get(id)).find(slug => slug !== undefined && slug !== not)
    if (found !== undefined) return found
  }
  const { rows } = await newest(store, { now, limit: NEWEST_MAX })
  const others = rows.filter(({ slug }) => slug !== not)
  return others.length > 0 ? others[randomInt(others.length)]?.slug : undefined
}

const publishedAmong = statementOfRows({ id: 'bigint', now: 'bigint' }, rows => {
  const ids = sql.join(rows.map(({ id }) => id))
  return sql<{ id: number; slug: string }>`
    select id, slug from listing where id in (${ids}) and ${isPublished(rows[0]?.now ?? 0)}`
})

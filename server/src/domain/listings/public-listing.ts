import { Listing, type Tombstone } from '@placard/contract'
import { sql } from 'kysely'
import { statement, statementOfRows } from '../../platform/db/statement.ts'
import type { Runner } from '../../platform/db/store.ts'
import type { Links } from '../../platform/http/links.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'
import { picturePath } from '../pictures/drawing.ts'
import { type DatedRow, datedColumns, joinPicture } from './listed-row.ts'
import { isSlug, statusOf } from './listing.ts'

/** A listing as programs read it. */
export interface PublicRow extends DatedRow {
  url: string
  destinationKey: string
  updatedAt: number
  hiddenAt: number | null
}

/** The columns of a `PublicRow`, from `listing` and `joinPicture`. */
export const publicColumns = sql`${datedColumns}, listing.url, listing."destinationKey", listing."updatedAt", listing."hiddenAt"`

const FIELDS = Object.keys(Listing.properties) as (keyof Listing)[]

/** Returns what the contract says of a listing, and nothing else of its row. */
export function listingData(row: PublicRow, links: Pick<Links, 'base' | 'product'>): Listing {
  const { slug, hostname, provenAt, pictureVersion } = row
  const known: Listing = {
    ...row,
    status: 'published',
    productUrl: links.product(slug),
    host: hostname,
    ownerVerifiedSince: provenAt,
    ...(pictureVersion !== null && { pictureUrl: links.base + picturePath(slug, pictureVersion) }),
  }
  const data: Partial<Record<keyof Listing, unknown>> = {}
  for (const name of FIELDS) if (name in known) data[name] = known[name]
  return data as Listing
}

type Gone = Tombstone & { status: 'unavailable' | 'expired' }

/** Returns the tombstone of a listing; undefined while it is published. */
export function tombstoneOf(row: PublicRow, now: number): Gone | undefined {
  const { id, hiddenAt, expiresAt } = row
  const status = statusOf(row, now)
  if (status === 'unavailable') return { id, status, since: hiddenAt ?? now }
  return status === 'expired' ? { id, status, since: expiresAt ?? now } : undefined
}

/** Returns what programs see of a listing: its data, or its tombstone. */
export const publicListing = (row: PublicRow, links: Pick<Links, 'base' | 'product'>, now: number) =>
  tombstoneOf(row, now) ?? listingData(row, links)

/**
 * How far the next request of a mirror reaches back behind the present one. A change becomes visible when its
 * transaction commits, later than its time, which may also come from another instance's clock. Requests end within a
 * minute, transactions within seconds, and instances need clocks that agree within minutes, so a quarter of an hour
 * covers all of them.
 */
export const OVERLAP_MS = 15 * MINUTE_MS

/** Returns the listing with this slug, in any status. */
export async function findPublic(runner: Runner, slug: string): Promise<PublicRow | undefined> {
  if (!isSlug(slug)) return undefined
  const [row] = await withSlug(runner, { slug })
  return row
}

const withSlug = statement(
  { slug: 'text' },
  ({ slug }) => sql<PublicRow>`select ${publicColumns} from listing ${joinPicture} where listing.slug = ${slug}`,
)

/** Adds what programs read to listings that were found, in their order. One that is gone by now is left out. */
export async function asPublic<Row extends { id: number }>(
  runner: Runner,
  found: readonly Row[],
): Promise<(Row & PublicRow)[]> {
  if (found.length === 0) return []
  const rows = await withIds(runner, found)
  const byId = new Map(rows.map(row => [row.id, row]))
  return found.flatMap(each => {
    const row = byId.get(each.id)
    return row ? [{ ...each, ...row }] : []
  })
}

const withIds = statementOfRows({ id: 'bigint' }, rows => {
  const ids = sql.join(rows.map(({ id }) => id))
  return sql<PublicRow>`select ${publicColumns} from listing ${joinPicture} where listing.id in (${ids})`
})

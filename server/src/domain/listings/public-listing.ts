import type { Listing, Tombstone } from '@placard/contract'
import { sql } from 'kysely'
import type { Links } from '../../platform/http/links.ts'
import { picturePath } from '../pictures/drawing.ts'
import { type DatedRow, datedColumns } from './listed-row.ts'
import { statusOf } from './listing.ts'

/** A listing as programs read it. */
export interface PublicRow extends DatedRow {
  url: string
  updatedAt: number
  hiddenAt: number | null
}

/** The columns of a `PublicRow`, from `listing` and `joinPicture`. */
export const publicColumns = sql`${datedColumns}, listing.url, listing."updatedAt", listing."hiddenAt"`

/** Returns a listing as data. One that is not published says nothing of its website. @param now Unix milliseconds */
export function publicListing(
  row: PublicRow,
  links: Pick<Links, 'base' | 'product'>,
  now: number,
): Listing | Tombstone {
  const { id, slug, hiddenAt, expiresAt } = row
  const status = statusOf(row, now)
  if (status === 'unavailable') return { id, status, since: hiddenAt ?? now }
  if (status === 'expired') return { id, status, since: expiresAt ?? now }
  return {
    id,
    status,
    slug,
    productUrl: links.product(slug),
    url: row.url,
    host: row.hostname,
    title: row.title,
    description: row.description,
    category: row.category,
    language: row.language,
    publishedAt: row.publishedAt,
    expiresAt,
    updatedAt: row.updatedAt,
    ownerVerifiedSince: row.provenAt,
    ...(row.pictureVersion !== null && { pictureUrl: links.base + picturePath(slug, row.pictureVersion) }),
  }
}

import { isPublished } from '../../domain/listings/listed-row.ts'
import { isSlug } from '../../domain/listings/listing.ts'
import { readRow, rowsOfListing } from '../../domain/log/rows.ts'
import type { Store } from '../../platform/db/store.ts'
import type { Links } from '../../platform/http/links.ts'
import { typedDestination } from '../list/address-field.tsx'
import type { Asked, ShownListing } from './row.tsx'

const ROWS_MAX = 20

interface Finding {
  store: Store
  links: Links
  now: number
  /** Rows that the latest checkpoint covers. */
  size: number
}

/** Returns what there is for a row number or the address of a listing. Only published listings have names here. */
export async function findRow(typed: string, { store, links, now, size }: Finding): Promise<Asked> {
  const digits = typed.replaceAll(/[\s,]/g, '')
  if (/^\d{1,15}$/.test(digits)) {
    const row = await readRow(store, Number(digits))
    if (!row || row.index >= size) return { typed, isUnsigned: row !== undefined }
    const { listing } = row.entry
    return { typed, row: { ...row, listing: listing === undefined ? undefined : await shown('id', listing) } }
  }
  const slug = slugIn(typed, links)
  const destination = slug === undefined ? typedDestination(typed, links) : undefined
  // What may hold a private link is not shown again.
  if (destination && 'fault' in destination) return { typed: '', fault: destination.fault }
  const listing = destination ? await shown('destinationKey', destination.key) : await shown('slug', slug ?? '')
  if (!listing) return { typed }
  return {
    typed,
    listing: { ...listing, rows: await rowsOfListing(store, { listingId: listing.id, size, limit: ROWS_MAX }) },
  }

  function shown(column: 'id' | 'slug' | 'destinationKey', value: string | number): Promise<ShownListing | undefined> {
    return store.db
      .selectFrom('listing')
      .select(['id', 'slug', 'hostname'])
      .where(column, '=', value as never)
      .where(isPublished(now) as never)
      .executeTakeFirst()
  }
}

/** Returns the slug in the address of a listing's page, with or without this site's origin. */
function slugIn(typed: string, { base }: Links): string | undefined {
  const [before, slug = ''] = typed.split('/product/')
  return (before === '' || before === base) && isSlug(slug) ? slug : undefined
}

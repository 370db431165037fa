import { DISPLAY_DAYS } from '@placard/contract'
import type { Listing } from '../../src/domain/listings/listing.ts'
import { searchText } from '../../src/domain/search/entries.ts'
import { daysMs } from '../../src/platform/lib/time.ts'
import { NOON } from './service.ts'

type ListingFields = Omit<Listing, 'id' | 'searchText' | 'updatedAt'>
type ListingRow = ListingFields & Pick<Listing, 'searchText' | 'updatedAt'>

/** A row of the listing table: published at noon, with the usual end, unless `fields` differ. */
export function listingRow(
  fields: Partial<ListingFields> & { slug: string; updatedAt?: number | undefined },
): ListingRow {
  const { slug, publishedAt = NOON } = fields
  const said = { hostname: `${slug}.com`, title: `Site ${slug}`, description: '', ...fields }
  const row = {
    destinationKey: `2:${slug}`,
    url: `https://${slug}.com/`,
    category: 'Games',
    siteName: '',
    language: 'en',
    imageUrl: null,
    publishedAt,
    expiresAt: publishedAt + daysMs(DISPLAY_DAYS),
    hiddenAt: null,
    hiddenBy: null,
    hiddenReason: null,
    ...said,
    updatedAt: fields.updatedAt ?? publishedAt,
  }
  return { ...row, searchText: searchText(row) }
}

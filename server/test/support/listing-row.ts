import { DISPLAY_DAYS } from '@placard/contract'
import type { Listing } from '../../src/listings/listing.ts'
import { searchText } from '../../src/listings/search-text.ts'
import { daysMs } from '../../src/time.ts'
import { NOON } from './service.ts'

type ListingFields = Omit<Listing, 'id' | 'search_text'>

/** A listing as its table keeps it: published at noon, on show for its time, and otherwise as `fields` say. */
export function listingRow(
  fields: Partial<ListingFields> & { slug: string },
): ListingFields & { search_text: string } {
  const { slug, published_at = NOON } = fields
  const said = { hostname: `${slug}.com`, title: `Site ${slug}`, description: '', ...fields }
  return {
    destination_key: `2:${slug}`,
    url: `https://${slug}.com/`,
    category: 'Games',
    site_name: '',
    language: 'en',
    image_url: null,
    published_at,
    expires_at: published_at + daysMs(DISPLAY_DAYS),
    hidden_at: null,
    hidden_by: null,
    hidden_reason: null,
    ...said,
    search_text: searchText(said),
  }
}

import { DISPLAY_DAYS } from '@placard/contract'
import type { Listing } from '../../src/listings/listing.ts'
import { daysMs } from '../../src/time.ts'
import { NOON } from './service.ts'

/** A listing as its table keeps it: published at noon, on show for its time, and otherwise as `fields` say. */
export function listingRow(fields: Partial<Omit<Listing, 'id'>> & { slug: string }): Omit<Listing, 'id'> {
  const { slug, published_at = NOON } = fields
  return {
    destination_key: `1:${slug}`,
    url: `https://${slug}.com/`,
    hostname: `${slug}.com`,
    category: 'Games',
    title: `Site ${slug}`,
    description: '',
    site_name: '',
    language: 'en',
    image_url: null,
    published_at,
    expires_at: published_at + daysMs(DISPLAY_DAYS),
    hidden_at: null,
    hidden_by: null,
    hidden_reason: null,
    ...fields,
  }
}

import { statusOf } from '../listings/listing.ts'
import type { Store } from '../storage/store.ts'
import { utcDay } from '../time.ts'
import { listListings, type Moderated } from './moderate.ts'

/** Prints the newest listings, of any status. */
export async function showListings(store: Store, count: number): Promise<void> {
  const listings = await listListings(store, Date.now(), count)
  if (listings.length === 0) return void console.log('There are no listings yet.')
  for (const listing of listings) {
    const why = listing.hiddenReason === null ? '' : `  (${listing.hiddenBy}: ${listing.hiddenReason})`
    const day = utcDay(listing.publishedAt)
    console.log(`${day}  ${listing.status.padEnd(11)}  ${listing.slug}  ${listing.url}${why}`)
  }
}

/** Prints what hiding or restoring did. @throws Error if there is no such listing */
export function showModerated(
  command: 'hide' | 'restore',
  slug: string,
  moderated: Moderated | undefined,
): void {
  if (!moderated) throw new Error(`there is no listing "${slug}"; "list" shows the slugs`)
  const status = statusOf(moderated.listing, Date.now())
  const already = command === 'hide' ? 'was already hidden' : 'was neither hidden nor ended'
  console.log(`${slug} ${moderated.changed ? 'is now' : `${already}; it is`} ${status}.`)
}

import type { Listing } from '../../domain/listings/listing.ts'
import { listListings } from '../../domain/moderation/moderate.ts'
import type { Store } from '../../platform/db/store.ts'
import type { ListingStatus } from '../../platform/db/tables/publishing.ts'
import { utcDay } from '../../platform/lib/time.ts'
import { asJson, type Command, readLimit, withStore } from './command.ts'

export const list: Command = {
  name: 'list',
  usage: '[--limit N]',
  does: 'list the newest listings, of any status',
  options: ['limit', 'json'],
  async run(given) {
    const count = readLimit(given)
    await withStore(store => showListings(store, count, asJson(given)))
  },
}

async function showListings(store: Store, count: number, asJson: boolean): Promise<void> {
  const listings = await listListings(store, Date.now(), count)
  if (asJson) {
    for (const listing of listings) console.log(JSON.stringify(factsOf(listing)))
    return
  }
  if (listings.length === 0) return void console.log('There are no listings yet.')
  for (const listing of listings) {
    const why = listing.hiddenReason === null ? '' : `  (${listing.hiddenBy}: ${listing.hiddenReason})`
    const day = utcDay(listing.publishedAt)
    console.log(`${day}  ${listing.status.padEnd(11)}  ${listing.slug}  ${listing.url}${why}`)
  }
}

export const factsOf = ({
  slug,
  url,
  category,
  title,
  publishedAt,
  expiresAt,
  hiddenBy,
  hiddenReason,
  ...rest
}: Known) => ({ slug, url, category, title, status: rest.status, publishedAt, expiresAt, hiddenBy, hiddenReason })

type Known = Listing & { status: ListingStatus }

import type { Listing } from '../../domain/listings/listing.ts'
import { listListings } from '../../domain/moderation/moderate.ts'
import type { ListingStatus } from '../../platform/db/tables/publishing.ts'
import { utcDay } from '../../platform/lib/time.ts'
import { listCommand } from './command.ts'

export const list = listCommand({
  name: 'list',
  does: 'list the newest listings, of any status',
  none: 'There are no listings yet.',
  read: (store, count) => listListings(store, Date.now(), count),
  print({ publishedAt, status, slug, url, hiddenBy, hiddenReason }) {
    const why = hiddenReason === null ? '' : `  (${hiddenBy}: ${hiddenReason})`
    console.log(`${utcDay(publishedAt)}  ${status.padEnd(11)}  ${slug}  ${url}${why}`)
  },
  toJson: listing => factsOf(listing),
})

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

import type { Listing } from '../../domain/listings/listing.ts'
import { listListings } from '../../domain/moderation/moderate.ts'
import type { ListingStatus } from '../../platform/db/tables/publishing.ts'
import { utcDay } from '../../platform/lib/time.ts'
import { type Given, listCommand, needHost, UsageError } from './command.ts'

const STATUSES: readonly ListingStatus[] = ['published', 'expired', 'unavailable']

export const list = listCommand({
  name: 'list',
  usage: '[--host HOST] [--status STATUS] [--limit N]',
  does: `list the newest listings; --status: only those that are ${STATUSES.join(', ')}`,
  options: ['host', 'status'],
  wanted: given => ({
    status: readStatus(given),
    host: given.host === undefined ? undefined : needHost('--host', given.host),
  }),
  none: ({ status, host }) => ((status ?? host) ? 'No listing matches.' : 'There are no listings yet.'),
  read: (store, count, wanted) => listListings(store, Date.now(), count, wanted),
  print({ publishedAt, status, slug, url, hiddenBy, hiddenReason }) {
    const why = hiddenReason === null ? '' : `  (${hiddenBy}: ${hiddenReason})`
    console.log(`${utcDay(publishedAt)}  ${status.padEnd(11)}  ${slug}  ${url}${why}`)
  },
  toJson: factsOf,
})

function readStatus({ status }: Given): ListingStatus | undefined {
  const found = STATUSES.find(each => each === status)
  if (status === undefined || found) return found
  throw new UsageError(`--status must be one of ${STATUSES.join(', ')}`)
}

export function factsOf(listing: Listing & { status: ListingStatus }) {
  const { slug, url, category, title, status, publishedAt, expiresAt, hiddenBy, hiddenReason } = listing
  return { slug, url, category, title, status, publishedAt, expiresAt, hiddenBy, hiddenReason }
}

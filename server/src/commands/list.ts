import { listListings } from '../moderation/moderate.ts'
import { utcDay } from '../time.ts'
import { type Command, readLimit } from './command.ts'
import { withStore } from './with-store.ts'

export const list: Command = {
  name: 'list',
  usage: '[--limit N]',
  does: 'the newest listings, of any status',
  options: ['limit'],
  async run(given) {
    const count = readLimit(given)
    await withStore(async store => {
      const listings = await listListings(store, Date.now(), count)
      if (listings.length === 0) return void console.log('There are no listings yet.')
      for (const listing of listings) {
        const why = listing.hiddenReason === null ? '' : `  (${listing.hiddenBy}: ${listing.hiddenReason})`
        const day = utcDay(listing.publishedAt)
        console.log(`${day}  ${listing.status.padEnd(11)}  ${listing.slug}  ${listing.url}${why}`)
      }
    })
  },
}

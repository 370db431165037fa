import type { BoardPage, CategoryBoardPage, DayBoardPage } from './boards.ts'
import type { Listing, ListingPage, SearchPage } from './listings.ts'

/** Returns the examples of what is public: listings, search, and the boards that are made from one board. */
export function publicExamples(board: BoardPage, { title, description }: { title: string; description: string }) {
  const [entry] = board.entries
  if (!entry) throw new Error('the example of a board has an entry')
  const { id, productUrl, reachedAt: publishedAt } = entry
  const slug = productUrl.slice(productUrl.lastIndexOf('/') + 1)
  const listing: Listing = {
    id,
    status: 'published',
    slug,
    productUrl,
    url: 'https://www.your-customer.example/',
    host: 'www.your-customer.example',
    title,
    description,
    category: 'Developer Tools',
    language: 'en',
    publishedAt,
    expiresAt: null,
    updatedAt: publishedAt,
    ownerVerifiedSince: null,
  }
  const { placement, notice, currency, entries } = board
  const paid = { placement, notice, currency, entries, nextCursor: null }
  return {
    listings: {
      listings: [listing, { id: 41, status: 'unavailable', since: publishedAt }],
      nextCursor: null,
      updatedSince: publishedAt,
    } satisfies ListingPage,
    listing: { params: { slug }, example: listing },
    search: {
      params: { q: 'customer' },
      example: {
        listings: [{ ...listing, missingWords: [] }],
        isCorrected: false,
        nextCursor: null,
      } satisfies SearchPage,
    },
    dayBoard: { params: { day: '2026-09-07' }, example: { day: '2026-09-07', ...paid } satisfies DayBoardPage },
    categoryBoard: {
      params: { category: listing.category },
      example: { category: listing.category, ...paid } satisfies CategoryBoardPage,
    },
  }
}

import type { BoardPage, CategoryBoardPage, DayBoardPage } from './boards.ts'
import { EXAMPLE_LISTING, type ListingPage, type SearchPage } from './listings.ts'

/** Returns the examples of what is public: listings, search, and the boards that are made from one board. */
export function publicExamples({ placement, notice, currency, entries }: BoardPage) {
  const { slug, category, publishedAt } = EXAMPLE_LISTING
  const paid = { placement, notice, currency, entries, nextCursor: null }
  return {
    listings: {
      listings: [EXAMPLE_LISTING, { id: 41, status: 'unavailable', since: publishedAt }],
      nextCursor: null,
      updatedSince: publishedAt,
    } satisfies ListingPage,
    listing: { params: { slug }, example: EXAMPLE_LISTING },
    search: {
      params: { q: 'customer' },
      example: {
        listings: [{ ...EXAMPLE_LISTING, missingWords: [] }],
        isCorrected: false,
        nextCursor: null,
      } satisfies SearchPage,
    },
    dayBoard: { params: { day: '2026-09-07' }, example: { day: '2026-09-07', ...paid } satisfies DayBoardPage },
    categoryBoard: {
      params: { category },
      example: { category, ...paid } satisfies CategoryBoardPage,
    },
  }
}

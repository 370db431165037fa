/** Name of a category in an address or a tag: `Analytics & Data` is `analytics-data`. */
export const categorySlug = (category: string): string =>
  category.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

/**
 * What a public reply shows, by the names that shared caches purge by (`docs/caching.md`). Operators' rules may name them,
 * so they are part of the interface.
 */
export const TAGS = {
  /** On every reply that has tags. */
  site: 'site',
  home: 'home',
  /** The newest listings, the feed and the sitemaps. */
  newest: 'newest',
  search: 'search',
  /** Past days and months. */
  days: 'days',
  /** Lists and boards of all categories. */
  categories: 'categories',
  category: (category: string) => `category-${categorySlug(category)}`,
  /** @param board `all`, `today`, or the name of a category */
  board: (board: string) => `board-${categorySlug(board)}`,
  /** Everything at the addresses of one listing, and pages that show it beside another. */
  listing: (slug: string) => `listing-${slug}`,
} as const

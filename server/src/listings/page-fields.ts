import type { PageMetadata } from '../reading/page.ts'
import { searchText } from '../search/entries.ts'

/** What a listing takes over from its page. A page without a title is named by what else is known of it. */
export function pageFields(metadata: PageMetadata, listing: { hostname: string; category: string }) {
  const { description, siteName, language, imageUrl } = metadata
  const title = metadata.title || siteName || listing.hostname
  return {
    ...{ title, description, language },
    siteName,
    imageUrl,
    searchText: searchText({ title, description, language, ...listing }),
  }
}

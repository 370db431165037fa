import type { PageMetadata } from '../reading/page.ts'
import { searchText } from './search-text.ts'

/** The fields a listing takes from its page. A page without a title gets another name. */
export function pageFields(metadata: PageMetadata, hostname: string) {
  const { description, siteName, language, imageUrl } = metadata
  const title = metadata.title || siteName || hostname
  return {
    ...{ title, description, language },
    siteName,
    imageUrl,
    searchText: searchText({ title, description, hostname }),
  }
}

import type { PageMetadata } from '../destinations/page.ts'

/** What a listing takes over from its page. A page without a title is named by what else is known of it. */
export const pageFields = (metadata: PageMetadata, hostname: string) => ({
  title: metadata.title || metadata.siteName || hostname,
  description: metadata.description,
  site_name: metadata.siteName,
  language: metadata.language,
  image_url: metadata.imageUrl,
})

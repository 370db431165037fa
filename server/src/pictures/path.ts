import { type Placarded, placardVersion } from './placarded.ts'

/**
 * Address of a listing's picture, 640×360, with its version, which makes the address its own.
 *
 * @param version of the stored picture; null where a placard is drawn
 */
export const picturePath = (listing: Placarded & { slug: string }, version: string | null): string =>
  `/picture/${listing.slug}?v=${version ?? placardVersion(listing)}`

/** Address of the picture shown where a listing is shared: a PNG, 1200×630. */
export const sharePicturePath = (slug: string): string => `/picture/${slug}/share.png`

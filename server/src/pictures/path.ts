import { type Placarded, placardVersion } from './placarded.ts'

/**
 * Path of a listing's picture, 640×360. Contains its version, so that a new picture gets a new address.
 *
 * @param version of the stored picture; null for a placard
 */
export const picturePath = (listing: Placarded & { slug: string }, version: string | null): string =>
  `/picture/${listing.slug}?v=${version ?? placardVersion(listing)}`

/** Path of a listing's share picture: a PNG, 1200×630. */
export const sharePicturePath = (slug: string): string => `/picture/${slug}/share.png`

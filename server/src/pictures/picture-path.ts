/**
 * Address of a listing's picture, 640×360.
 *
 * @param version of the stored picture, which makes the address its own; null where a placard is drawn
 */
export const picturePath = (slug: string, version: string | null): string =>
  `/picture/${slug}${version === null ? '' : `?v=${version}`}`

/** Address of the picture shown where a listing is shared: a PNG, 1200×630. */
export const sharePicturePath = (slug: string): string => `/picture/${slug}/share.png`

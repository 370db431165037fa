/** Address of the stored picture of a listing, 640×360, with its version, which makes the address its own. */
export const picturePath = (slug: string, version: string): string => `/picture/${slug}?v=${version}`

/** Path of a listing's share picture: a PNG, 1200×630. @param version of what it is drawn from (`drawingVersion`) */
export const sharePicturePath = (slug: string, version: string): string =>
  `/picture/${slug}/share.png?v=${version}`

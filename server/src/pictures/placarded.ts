import { hash } from 'node:crypto'

/** The data for a placard. All of it comes from outside, and none of it ends up in the drawing as text. */
export interface Placarded {
  title: string
  hostname: string
  category: string
  /** As the page declared it; it may not be a language at all. */
  language: string
}

/** The data for a share picture. */
export interface Shared extends Placarded {
  /** Whether the listing has no end because its place is paid. */
  isPaidPlace: boolean
  /** The stored picture, or null. */
  version: string | null
}

/** Raise it whenever a drawing changes, so that caches drop the old ones. */
const DRAWING = 2

/** A version of a placard, computed from its data without drawing it. */
export const placardVersion = ({ title, hostname, category, language }: Placarded): string =>
  hash('sha256', JSON.stringify([DRAWING, title, hostname, category, language]), 'base64url').slice(0, 12)

/** A key for a share picture, computed from its data. */
export const sharePictureKey = ({
  title,
  hostname,
  category,
  language,
  isPaidPlace,
  version,
}: Shared): string =>
  hash(
    'sha256',
    JSON.stringify([DRAWING, title, hostname, category, language, isPaidPlace, version]),
    'base64url',
  )

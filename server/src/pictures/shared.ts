import { hash } from 'node:crypto'

/** What a share picture is drawn from. Its words come from outside, and none of them gets into the drawing as text. */
export interface Shared {
  title: string
  hostname: string
  category: string
  /** As the page declared it; it may not be a language at all. */
  language: string
  /** Whether the listing stays because a place is paid for. */
  isPaidPlace: boolean
  /** The stored picture, or null. */
  version: string | null
}

/** Raise it whenever the drawing changes, so that no old one is kept anywhere. */
const DRAWING = 2

/** Names what a share picture is drawn from, and so the picture. */
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

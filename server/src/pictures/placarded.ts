import { hash } from 'node:crypto'

/** What a placard is drawn from. All of it comes from outside, and none of it gets into the drawing as text. */
export interface Placarded {
  title: string
  hostname: string
  category: string
  /** As the page declared it; it may not be a language at all. */
  language: string
}

/** What a share picture is drawn from. */
export interface Shared extends Placarded {
  /** Whether the listing stays because a place is paid for. */
  isPaidPlace: boolean
  /** The stored picture, or null. */
  version: string | null
}

/** Raise it whenever a drawing changes, so that no old one is kept anywhere. */
const DRAWING = 2

/** Names what a placard is drawn from, and so the drawing, without drawing it. */
export const placardVersion = ({ title, hostname, category, language }: Placarded): string =>
  hash('sha256', JSON.stringify([DRAWING, title, hostname, category, language]), 'base64url').slice(0, 12)

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

import { withoutWww } from './hostname.ts'

/** Goes up when the rules below change, so that stored keys can be told apart and migrated. */
const KEY_VERSION = 1

/**
 * The one key of all spellings of an address (see `Destination.key`). Expects what `parseDestination` accepted.
 * Runs of slashes count as one, as most servers read them. Letter case in the path stays: servers tell it apart.
 */
export function destinationKey(hostname: string, pathname: string): string {
  const path = normalizeEscapes(pathname).replace(/\/+/g, '/').replace(/\/$/, '')
  return `${KEY_VERSION}:${withoutWww(hostname)}${path}`
}

/**
 * Gives each character of a path one spelling (RFC 3986 section 6.2.2): unreserved ones plain, reserved ones as sent,
 * all others as an escape in upper case. A percent sign that starts no escape becomes %25, so that decoding what
 * follows it cannot form a new one.
 */
function normalizeEscapes(path: string): string {
  return path.replace(/%([0-9a-f]{2})|[^\w.~!$&'()*+,;=:@/-]/gi, (found, hex: string | undefined) => {
    if (hex === undefined) return encodeURIComponent(found)
    const character = String.fromCharCode(Number.parseInt(hex, 16))
    return /[\w.~-]/.test(character) ? character : found.toUpperCase()
  })
}

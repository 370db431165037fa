import { DESTINATION_MAX_LENGTH, pathNames, suggestDestination } from '@placard/contract'
import { Problem } from '../../platform/http/problem.ts'
import { isSameHost, whyNotPublicName, withoutWww } from './hostname.ts'

/** A destination that passed the syntax rules of `parseDestination`. */
export interface Destination {
  /** Canonical address to store and show: scheme as sent, host in lower case, no query or fragment. */
  url: string
  /** Host of `url` in lower case ASCII (punycode), without a trailing dot. */
  hostname: string
  /**
   * Identical for all spellings of one destination, and permanently unique: versioned, without scheme, `www.`, trailing
   * slash, `index.html`, and the case of host and percent escapes.
   */
  key: string
}

/**
 * Checks the syntax of an address, without the network, and returns its canonical form (spec 4.1). Checks the raw text
 * first, because the URL parser silently repairs what it reads.
 *
 * @param ownHost this service's host, which cannot be listed
 * @throws Problem `invalid_destination`, whose detail names the broken rule
 */
export function parseDestination(raw: string, ownHost?: string, maxLength = DESTINATION_MAX_LENGTH): Destination {
  // Characters, as in the API document, and not UTF-16 units.
  if (raw.length > maxLength && [...raw].length > maxLength) refuse(`is longer than ${maxLength} characters`)
  if (!PRINTABLE_ASCII.test(raw) && /[\p{Cc}\p{Cf}\p{Cs}\p{Z}\\]/u.test(raw)) {
    refuse('holds a space, a backslash or an invisible character; percent-encode it or leave it out')
  }
  const authority = /^https?:\/\/([^/?#]+)/i.exec(raw)?.[1]
  if (authority === undefined) {
    refuse('does not start with http:// or https:// and a host', didYouMean(raw, ownHost))
  }
  if (authority.includes('@')) refuse('holds credentials')
  if (authority.includes('%')) refuse('has a percent sign in its host')

  const parsed = URL.parse(raw)
  if (parsed === null) refuse('has a host or port that cannot be read')
  if (parsed.port !== '') refuse('names a port other than its scheme’s standard port')
  const hostname = parsed.hostname.replace(/\.$/, '')
  const problem = whyNotPublicName(hostname)
  if (problem !== undefined) refuse(`has a host that ${problem}`)
  if (ownHost !== undefined && isSameHost(hostname, ownHost.toLowerCase())) {
    refuse('is this service itself')
  }

  const canonical = `${parsed.protocol}//${hostname}${parsed.pathname}`
  // The stored address must be accepted again, and escapes can make it longer than the one sent.
  if (canonical.length > maxLength) {
    refuse(`is longer than ${maxLength} characters once percent-encoded`)
  }
  return { url: canonical, hostname, key: destinationKey(hostname, parsed.pathname) }
}

/** Without space and backslash. A quick test that nearly every address passes. */
const PRINTABLE_ASCII = /^[!-[\]-~]*$/

function refuse(problem: string, hint = ''): never {
  throw new Problem('invalid_destination', {
    field: 'destination',
    detail: `The destination ${problem}.${hint}`,
  })
}

function didYouMean(raw: string, ownHost: string | undefined): string {
  const suggestion = suggestDestination(raw, address => {
    try {
      return parseDestination(address, ownHost).url === address
    } catch {
      return false
    }
  })
  return suggestion === undefined ? '' : ` Did you mean ${suggestion}?`
}

/** Raise it when the rules of host or path (`pathNames`) change, so that stored keys can be recognised and migrated. */
const KEY_VERSION = 2

/**
 * Returns the one key for all spellings of an address (see `Destination.key`). Expects what `parseDestination`
 * accepted. docs/decisions/destination-keys.md explains the rules.
 */
export function destinationKey(hostname: string, pathname: string): string {
  return [`${KEY_VERSION}:${withoutWww(hostname)}`, ...pathNames(pathname)].join('/')
}

/** Services that write a title into an image have it in the path, escaped twice. */
export const IMAGE_URL_MAX_LENGTH = 2_000

/**
 * Returns an address that is not listed, checked like a destination but with its query. It may be anywhere on the public
 * web, and all rules of the fetcher apply.
 *
 * @param ownHost this service's host, which is not asked
 * @param maxLength without the query, also once percent-encoded
 * @throws Problem invalid_destination
 */
export function parseAddress(raw: string, ownHost?: string, maxLength = DESTINATION_MAX_LENGTH): Destination {
  const [withoutQuery = ''] = raw.split(/[?#]/, 1)
  const destination = parseDestination(withoutQuery, ownHost, maxLength)
  return { ...destination, url: destination.url + (URL.parse(raw)?.search ?? '') }
}

/** Returns the address of an image that a page names. @throws Problem invalid_destination */
export const parseImageAddress = (raw: string, ownHost: string): Destination =>
  parseAddress(raw, ownHost, IMAGE_URL_MAX_LENGTH)

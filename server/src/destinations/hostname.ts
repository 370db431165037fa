import { isIPv4 } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'
import { parse } from 'tldts'
import { reservedName } from './reserved-hosts.ts'

const NAME_MAX_LENGTH = 253
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Why `hostname` cannot be the name of a public website, as the end of a sentence; undefined if it can. Expects the URL
 * parser's output: lower case, ASCII, IP addresses in canonical form.
 */
export function whyNotPublicName(hostname: string): string | undefined {
  if (isAddress(hostname)) return 'is an IP address; a domain name is needed'
  const labels = hostname.split('.')
  if (labels.length < 2) return 'is not a full domain name'
  if (hostname.length > NAME_MAX_LENGTH) return `is longer than ${NAME_MAX_LENGTH} characters`
  if (!labels.every(label => LABEL.test(label))) {
    return 'has a part that is not 1 to 63 letters, digits and inner hyphens'
  }
  if (!survivesDecoding(hostname)) return 'has an international part that cannot be decoded'
  const reserved = reservedName(hostname)
  if (reserved !== undefined) return `is not a public website: it is reserved (${reserved})`
  if (!hasNameUnderPublicSuffix(hostname)) return 'is not a name under a public top-level domain'
  return undefined
}

/** The host without any leading `www.`, unless nothing but a public suffix would be left (www.co.uk, www.com). */
export function withoutWww(hostname: string): string {
  if (!hostname.startsWith('www.')) return hostname
  const rest = hostname.slice(4)
  return hasNameUnderPublicSuffix(rest) ? withoutWww(rest) : hostname
}

/**
 * Whether two hosts have the same owner: the same registrable domain, where hosting services that give each customer a
 * name (github.io) count as suffixes. A host and its `www.` spelling are always the same.
 */
export function haveSameOwner(a: string, b: string): boolean {
  return withoutWww(a) === withoutWww(b) || registrableDomain(a) === registrableDomain(b)
}

/** The registrable domain of a host; the host itself if it is a suffix or not a name. */
export function registrableDomain(hostname: string): string {
  return parse(hostname, { allowPrivateDomains: true, extractHostname: false }).domain ?? hostname
}

function hasNameUnderPublicSuffix(hostname: string): boolean {
  const { domain, isIcann } = parse(hostname, { allowPrivateDomains: false, extractHostname: false })
  return domain !== null && isIcann === true
}

/**
 * Whether the URL parser accepts a host that it wrote itself: it turns some names (üxn--) into punycode that it then
 * rejects. Setting a part of such a `URL` aborts Node, so we never use a setter on a stranger's address.
 */
function survivesDecoding(hostname: string): boolean {
  return !hostname.includes('xn--') || domainToASCII(domainToUnicode(hostname)) === hostname
}

/** The URL parser writes every IPv6 address in brackets. */
const isAddress = (hostname: string) => hostname.startsWith('[') || isIPv4(hostname)

import { isIP, isIPv4 } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'
import { parse } from 'tldts'

const NAME_MAX_LENGTH = 253
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Returns why `hostname` cannot be the name of a public website, as the end of a sentence; undefined if it can. Expects
 * the URL parser's output: lower case, ASCII, IP addresses in canonical form.
 */
export function whyNotPublicName(hostname: string): string | undefined {
  if (isAddress(hostname)) return 'is an IP address; a domain name is needed'
  const labels = hostname.split('.')
  if (labels.length < 2) return 'is not a full domain name'
  if (hostname.length > NAME_MAX_LENGTH) return `is longer than ${NAME_MAX_LENGTH} characters`
  if (!labels.every(label => LABEL.test(label))) {
    return 'has a part that is not 1 to 63 letters, digits and inner hyphens'
  }
  if (!isDecodable(hostname)) return 'has an international part that cannot be decoded'
  const reserved = reservedName(hostname)
  if (reserved !== undefined) return `is not a public website: it is reserved (${reserved})`
  if (!hasNameUnderPublicSuffix(hostname)) return 'is not a name under a public top-level domain'
  return undefined
}

/** Returns the host without any leading `www.`, unless only a public suffix would be left (www.co.uk, www.com). */
export function withoutWww(hostname: string): string {
  if (!hostname.startsWith('www.')) return hostname
  const rest = hostname.slice(4)
  return hasNameUnderPublicSuffix(rest) ? withoutWww(rest) : hostname
}

/** Returns whether two hosts are the same, with or without `www.`. Both in lower case. */
export const isSameHost = (a: string, b: string): boolean => withoutWww(a) === withoutWww(b)

/**
 * Returns whether two hosts have the same owner: the same registrable domain, where hosting services that give each
 * customer a name (github.io) count as suffixes. A host and its `www.` spelling are always the same.
 */
export function haveSameOwner(a: string, b: string): boolean {
  return isSameHost(a, b) || registrableDomain(a) === registrableDomain(b)
}

/** Returns the registrable domain of a host; the host itself if it is a suffix or not a name. */
export function registrableDomain(hostname: string): string {
  return parse(hostname, { allowPrivateDomains: true, extractHostname: false }).domain ?? hostname
}

/** Returns whether a hosting service gave its customer this name (user.github.io), by the Public Suffix List. */
export const isOnSharedHost = (hostname: string): boolean =>
  parse(hostname, { allowPrivateDomains: true, extractHostname: false }).isPrivate === true

function hasNameUnderPublicSuffix(hostname: string): boolean {
  const { domain, isIcann } = parse(hostname, { allowPrivateDomains: false, extractHostname: false })
  return domain !== null && isIcann === true
}

/**
 * Returns whether a host is punycode of a name, or has none. The URL parser of older Node versions turns some names
 * (üxn--) into punycode that it then rejects, and setting a part of such a `URL` aborts the process. That of newer ones
 * accepts punycode that does not decode.
 */
function isDecodable(hostname: string): boolean {
  if (!hostname.includes('xn--')) return true
  const shown = domainToUnicode(hostname)
  return !shown.includes('xn--') && domainToASCII(shown) === hostname
}

/** The URL parser writes every IPv6 address in brackets. */
const isAddress = (hostname: string) => hostname.startsWith('[') || isIPv4(hostname)

/**
 * Returns the host that a person typed, in lower case ASCII and without `www.`, or what is wrong with it, as the end of
 * a sentence. A public suffix is refused, and so is a name such as github.io, whose subdomains belong to its customers.
 *
 * @param ownHost of this service
 */
export function readHost(raw: string, ownHost: string): { host: string } | { problem: string } {
  const text = raw.trim().toLowerCase()
  if (text === '') return { problem: 'is empty: give a host, such as evil.com' }
  if (isAnyAddress(text)) return ADDRESS
  if (text.startsWith('*.') || text.startsWith('.')) {
    return {
      problem: `names only subdomains: give ${text.replace(/^\*?\./, '')} and block its subdomains, too`,
    }
  }
  // The URL parser would extract the host from all this.
  if (/[\s/@:?#%\\]/.test(text)) return { problem: `is more than a host${suggested(text)}` }
  const parsed = URL.parse(`http://${text}`)
  if (parsed === null) return { problem: 'cannot be read as a host name' }
  // A number in any spelling.
  if (isAnyAddress(parsed.hostname)) return ADDRESS
  const host = withoutWww(parsed.hostname.replace(/\.$/, ''))
  if (isSameHost(host, ownHost.toLowerCase())) return { problem: 'is this site itself' }
  if (isSuffix(host)) return { problem: 'is a public suffix, shared by many websites: give a host below it' }
  const why = whyNotPublicName(host)
  return why === undefined ? { host } : { problem: why }
}

const ADDRESS = { problem: 'is an IP address: give a host name' }

const isAnyAddress = (text: string) => isIP(text.replace(/^\[|\]$/g, '')) !== 0

function suggested(text: string): string {
  const { hostname = '' } = URL.parse(text.includes('://') ? text : `http://${text}`) ?? {}
  return whyNotPublicName(hostname) === undefined ? `: give ${hostname} alone` : ': give its name alone'
}

function isSuffix(host: string): boolean {
  const { publicSuffix, isIcann, isPrivate } = parse(host, {
    allowPrivateDomains: true,
    extractHostname: false,
  })
  return publicSuffix === host && (isIcann === true || isPrivate === true)
}

/**
 * Names that never belong to a public website, each with all its subdomains: special-use names (RFC 6761 and later),
 * names that only have a meaning inside one network, and names reserved for documentation.
 */
const RESERVED: ReadonlySet<string> = new Set([
  'alt',
  'arpa',
  'example',
  'example.com',
  'example.net',
  'example.org',
  'home.arpa',
  'internal',
  'invalid',
  'local',
  'localhost',
  'onion',
  'test',
])

/**
 * Returns the reserved name that `hostname` equals or is below, or undefined. Expects lower case and no trailing dot.
 */
export function reservedName(hostname: string): string | undefined {
  for (let name = hostname; ; name = name.slice(name.indexOf('.') + 1)) {
    if (RESERVED.has(name)) return name
    if (!name.includes('.')) return undefined
  }
}

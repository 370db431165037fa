import { pathNames } from '@placard/contract/plain'

/**
 * Returns a key that all spellings of one destination share, by the service's rules. It ignores the scheme, a leading
 * `www.`, slashes, query, fragment and empty ends of a path. Returns the text itself if it is not an address.
 */
export function destinationKey(destination: string): string {
  if (!URL.canParse(destination)) return destination
  const { hostname, port, pathname } = new URL(destination)
  return [`${bareHost(hostname)}:${port}`, ...pathNames(pathname)].join('/')
}

/** Returns the host of an address, given with or without `https://`, without `www.`; undefined if there is none. */
export function hostOf(text: string): string | undefined {
  const address = /^https?:\/\//i.test(text) ? text : `https://${text.replace(/^\/\//, '')}`
  return URL.canParse(address) ? bareHost(new URL(address).hostname) : undefined
}

/**
 * A `www.` in front of a bare public suffix is removed, too. That does no harm, because such a name cannot be listed.
 */
function bareHost(hostname: string): string {
  let host = hostname.replace(/\.$/, '')
  while (host.startsWith('www.')) host = host.slice(4)
  return host
}

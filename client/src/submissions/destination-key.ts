import { pathNames } from '@placard/contract/plain'

/**
 * A key that all spellings of one destination share, as the service tells them apart: scheme, a leading `www.`, slashes,
 * query, fragment and idle ends of a path do not matter. The text itself if it is no address.
 */
export function destinationKey(destination: string): string {
  if (!URL.canParse(destination)) return destination
  const { hostname, port, pathname } = new URL(destination)
  return [`${bareHost(hostname)}:${port}`, ...pathNames(pathname)].join('/')
}

/** The host of an address, given with or without `https://`, without `www.`; undefined if there is none. */
export function hostOf(text: string): string | undefined {
  const address = /^https?:\/\//i.test(text) ? text : `https://${text.replace(/^\/\//, '')}`
  return URL.canParse(address) ? bareHost(new URL(address).hostname) : undefined
}

/** What is left of a name that is nothing but `www.` and a public suffix can be listed by nobody, so it does no harm. */
function bareHost(hostname: string): string {
  let host = hostname.replace(/\.$/, '')
  while (host.startsWith('www.')) host = host.slice(4)
  return host
}

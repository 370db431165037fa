import { parseDestination } from '../../destinations/destination.ts'
import { haveSameOwner } from '../../destinations/hostname.ts'
import { reject } from '../verdict.ts'
import { FetchEnded } from './limits.ts'

/**
 * Returns the target of a redirect, checked like a destination but with its query, which the website itself chose.
 * @throws FetchEnded if it leads to another website, from https to http, or to an invalid address
 */
export function followRedirect(from: URL, location: string, ownHost: string): URL {
  const target = readLocation(from, location)
  // Servers behind a proxy do this if they know only their own port.
  if (target.port !== '')
    throw elsewhere(`The website redirects to port ${target.port}, and only standard ports can be listed.`)
  const [withoutQuery = ''] = target.href.split(/[?#]/, 1)
  const next = new URL(listable(withoutQuery, ownHost) + target.search)
  if (!haveSameOwner(from.hostname, next.hostname))
    throw elsewhere(`The website redirects to ${next.hostname}.`, next.href)
  if (from.protocol === 'https:' && next.protocol === 'http:')
    throw elsewhere('The website redirects from https to http.')
  return next
}

function readLocation(from: URL, location: string): URL {
  // Node reads header bytes as Latin-1, but in practice they are UTF-8.
  const text = Buffer.from(location, 'latin1').toString('utf8')
  if (!URL.canParse(text, from.href))
    throw new FetchEnded(reject('not_a_web_page', 'The website redirects to an invalid address.'))
  return new URL(text, from.href)
}

function listable(address: string, ownHost: string): string {
  try {
    return parseDestination(address, ownHost).url
  } catch {
    throw notListable()
  }
}

/** Returns the end of a fetch that leads to this service itself, or to an address that cannot be listed. */
export const notListable = () => elsewhere('The website redirects to an address that cannot be listed.')

const elsewhere = (detail: string, to?: string) =>
  new FetchEnded(reject('redirects_elsewhere', detail, to === undefined ? undefined : { to }))

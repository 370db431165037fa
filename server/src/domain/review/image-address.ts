import { type Destination, parseDestination } from '../destinations/destination.ts'

/**
 * Returns the address of an image that a page names, checked like a destination but with its query, which image
 * services need. It may be anywhere on the public web, and all rules of the fetcher apply.
 *
 * @param ownHost this service's host, from which nothing is fetched
 * @throws Problem invalid_destination
 */
export function parseImageAddress(raw: string, ownHost: string): Destination {
  const [withoutQuery = ''] = raw.split(/[?#]/, 1)
  const destination = parseDestination(withoutQuery, ownHost)
  return { ...destination, url: destination.url + (URL.parse(raw)?.search ?? '') }
}

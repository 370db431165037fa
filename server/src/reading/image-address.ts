import { type Destination, parseDestination } from '../destinations/destination.ts'

/**
 * The address of an image that a page names, checked like a destination but with its query, which image services need.
 * The page chose it, and it may be anywhere on the public web; every rule of the fetcher holds for it all the same.
 *
 * @param ownHost the host this service is reached at, from which nothing is fetched
 * @throws Problem invalid_destination
 */
export function parseImageAddress(raw: string, ownHost: string): Destination {
  const [withoutQuery = ''] = raw.split(/[?#]/, 1)
  const destination = parseDestination(withoutQuery, ownHost)
  return { ...destination, url: destination.url + (URL.parse(raw)?.search ?? '') }
}

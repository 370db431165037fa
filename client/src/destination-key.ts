import { withoutClosingSlashes } from './text.ts'

/**
 * A key that spellings of one destination share, much like the service's: scheme, case of the host, a leading `www.`, a
 * trailing slash, query and fragment do not matter. A spelling it misses only costs a refusal by the service, which
 * decides.
 */
export function destinationKey(destination: string): string {
  if (!URL.canParse(destination)) return destination
  const { hostname, port, pathname } = new URL(destination)
  const host = hostname.replace(/\.$/, '').replace(/^www\./, '')
  return `${host}:${port}${withoutClosingSlashes(pathname)}`
}

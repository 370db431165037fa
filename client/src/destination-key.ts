import { withoutClosingSlashes } from './text.ts'

/**
 * What two spellings of one destination have in common, as the service sees it: scheme, case of the host, a leading
 * `www.`, a closing slash, query and fragment do not matter. A spelling this does not recognise costs nothing but a
 * refusal by the service, which decides.
 */
export function destinationKey(destination: string): string {
  if (!URL.canParse(destination)) return destination
  const { hostname, port, pathname } = new URL(destination)
  const host = hostname.replace(/\.$/, '').replace(/^www\./, '')
  return `${host}:${port}${withoutClosingSlashes(pathname)}`
}

import { whyNotPublicName } from '../destinations/hostname.ts'

const HOSTS_MAX = 500
const PASSWORD_ACTIONS_MAX = 50
const IMAGE_URL_MAX_LENGTH = 2_000

/** The address everything relative in the page is relative to. */
export function baseOf(pageUrl: URL, baseHref: string | undefined): URL {
  return webUrl(baseHref ?? '', pageUrl) ?? pageUrl
}

/** Host names that references of the page name, in lower case, without duplicates. */
export function hostsOf(references: readonly string[], base: URL): string[] {
  const hosts = new Set<string>()
  for (const reference of references) {
    if (hosts.size >= HOSTS_MAX) break
    const host = webUrl(reference, base)?.hostname
    if (host !== undefined) hosts.add(host)
  }
  return [...hosts]
}

/** Absolute addresses that forms post to. An empty action is the page itself, whatever its base. */
export function actionsOf(actions: readonly string[], base: URL, pageUrl: URL): string[] {
  const distinct = [...new Set(actions)].slice(0, PASSWORD_ACTIONS_MAX)
  const urls = distinct.map(action => (action.trim() === '' ? pageUrl : webUrl(action, base))?.href)
  return [...new Set(urls.filter(url => url !== undefined))]
}

/** An image that visitors' browsers may be told to load: on a public host, standard port, no credentials; else null. */
export function imageUrlOf(content: string, base: URL): string | null {
  const url = content === '' ? undefined : webUrl(content, base)
  if (url === undefined || url.port !== '' || url.username !== '' || url.password !== '') return null
  if (url.href.length > IMAGE_URL_MAX_LENGTH || whyNotPublicName(url.hostname) !== undefined) return null
  return url.href
}

const REFRESH = /^\s*[\d.]+[\s;,]+(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|(.*))/is

/** Where a refresh (meta or header) leads, else null: it may only reload the page, or lead to no web address. */
export function refreshTargetOf(content: string, base: URL): string | null {
  const [, doubleQuoted, singleQuoted, bare] = REFRESH.exec(content) ?? []
  const address = (doubleQuoted ?? singleQuoted ?? bare ?? '').trim()
  return address === '' ? null : (webUrl(address, base)?.href ?? null)
}

/** Undefined also for the few addresses whose own spelling the URL parser rejects: nobody can go there. */
function webUrl(address: string, base: URL): URL | undefined {
  if (!URL.canParse(address, base.href)) return undefined
  const url = new URL(address, base)
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:'
  return isWeb && URL.canParse(url.href) ? url : undefined
}

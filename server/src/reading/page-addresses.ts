import { whyNotPublicName } from '../destinations/hostname.ts'

const HOSTS_MAX = 500
const PASSWORD_ACTIONS_MAX = 50
const IMAGE_URL_MAX_LENGTH = 2_000

/** The base for the page's relative addresses. */
export function baseOf(pageUrl: URL, baseHref: string | undefined): URL {
  return webUrl(baseHref ?? '', pageUrl) ?? pageUrl
}

/** The host names in a page's references, in lower case, without duplicates. */
export function hostsOf(references: readonly string[], base: URL): string[] {
  const hosts = new Set<string>()
  for (const reference of references) {
    if (hosts.size >= HOSTS_MAX) break
    const host = webUrl(reference, base)?.hostname
    if (host !== undefined) hosts.add(host)
  }
  return [...hosts]
}

/** The absolute addresses that forms post to. An empty action means the page itself, whatever its base. */
export function actionsOf(actions: readonly string[], base: URL, pageUrl: URL): string[] {
  const distinct = [...new Set(actions)].slice(0, PASSWORD_ACTIONS_MAX)
  const urls = distinct.map(action => (action.trim() === '' ? pageUrl : webUrl(action, base))?.href)
  return [...new Set(urls.filter(url => url !== undefined))]
}

/** The image's address if it has a public host, a standard port and no credentials; otherwise null. */
export function imageUrlOf(content: string, base: URL): string | null {
  const url = content === '' ? undefined : webUrl(content, base)
  if (url === undefined || url.port !== '' || url.username !== '' || url.password !== '') return null
  if (url.href.length > IMAGE_URL_MAX_LENGTH || whyNotPublicName(url.hostname) !== undefined) return null
  return url.href
}

const REFRESH = /^\s*[\d.]+[\s;,]+(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|(.*))/is

/** The target of a refresh (meta or header); null if it only reloads the page, or leads to no web address. */
export function refreshTargetOf(content: string, base: URL): string | null {
  const [, doubleQuoted, singleQuoted, bare] = REFRESH.exec(content) ?? []
  const address = (doubleQuoted ?? singleQuoted ?? bare ?? '').trim()
  return address === '' ? null : (webUrl(address, base)?.href ?? null)
}

/** Undefined also for the few addresses that the URL parser writes but then rejects: nobody can open them. */
function webUrl(address: string, base: URL): URL | undefined {
  if (!URL.canParse(address, base.href)) return undefined
  const url = new URL(address, base)
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:'
  return isWeb && URL.canParse(url.href) ? url : undefined
}

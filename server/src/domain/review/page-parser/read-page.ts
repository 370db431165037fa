import { detectAll } from 'tinyld'
import { plainText } from '../../../platform/lib/text.ts'
import { metadataOf, TITLE_MAX_LENGTH, type UnjudgedPage, webUrl } from '../page.ts'
import { type CannotTell, type Reject, reject } from '../verdict.ts'
import { decodeText, readContentType, XHTML } from './decode-text.ts'
import { gistOf } from './fingerprint.ts'
import { asInterstitial } from './interstitial.ts'
import { isRefresh, scanPage } from './page-scan.ts'

const TEXT_MAX_LENGTH = 20_000

const DEPTH_MAX = 256

/**
 * Parses the page at `url` from its response's bytes and headers. Rejects it as `too_large` if its elements nest too
 * deep. Can't tell if it is no page of the website. Ignores other addresses that the page claims (`rel=canonical`).
 */
export function readPage(
  body: Uint8Array,
  url: URL,
  headers: Readonly<Record<string, string>>,
): { verdict: 'pass'; page: UnjudgedPage } | Reject | CannotTell {
  const contentType = readContentType(headers['content-type'])
  const scan = scanPage(decodeText(body, contentType), {
    isXhtml: contentType.mediaType === XHTML,
    depthMax: DEPTH_MAX,
    textMaxLength: TEXT_MAX_LENGTH,
    titleMaxLength: 4 * TITLE_MAX_LENGTH,
  })
  if (scan === undefined) return reject('too_large')
  const base = baseOf(url, scan.baseHref)
  const text = plainText(scan.text, TEXT_MAX_LENGTH)
  const declared = metadataOf(scan, base)
  const { title, description } = declared
  const language = declared.language || detectLanguage(`${title}\n${description}\n${text}`)
  const metadata = { ...declared, language }
  const refresh = [headers.refresh, scan.refresh].find(each => each && isRefresh(each)) ?? ''
  const page = {
    url: url.href,
    headers,
    metadata,
    text,
    gist: gistOf(metadata, text),
    hasScript: scan.hasScript,
    ratings: scan.ratings.map(rating => plainText(rating, TITLE_MAX_LENGTH).toLowerCase()),
    verifications: scan.verifications,
    refreshTo: refreshTargetOf(refresh, base),
    refreshesAtOnce: Number.parseFloat(refresh) <= 1,
    passwordForms: actionsOf(scan.passwordActions, base, url).map(action => ({ action })),
    linkedHosts: hostsOf(scan.references, base),
  }
  const robots = [scan.metas.get('robots'), headers['x-robots-tag']].join()
  return asInterstitial(page, robots, scan.hasRobotCheck) ?? { verdict: 'pass', page }
}

/** Longer texts take longer without a better result. */
const DETECTED_MAX_LENGTH = 4000

/** With a lower accuracy, the language of a few words is a guess. */
const SURE = 0.3

/** What placeholder text resembles, but hardly any page is written in. */
const PLACEHOLDERS = ['eo', 'la']

/** The language a text seems to be written in (ISO 639-1), or empty if unclear. */
function detectLanguage(text: string): string {
  // To the library, a vertical line is a sign of Hindi. Titles are full of them.
  const languages = detectAll(text.slice(0, DETECTED_MAX_LENGTH).replaceAll('|', ' '))
  // Three-letter codes are languages that hardly any page uses, but that many short texts resemble.
  const likely = languages.find(({ lang }) => lang.length === 2 && !PLACEHOLDERS.includes(lang))
  return likely && likely.accuracy >= SURE ? likely.lang : ''
}

const HOSTS_MAX = 500
const PASSWORD_ACTIONS_MAX = 50

/** The base for the page's relative addresses. */
function baseOf(pageUrl: URL, baseHref: string | undefined): URL {
  return webUrl(baseHref ?? '', pageUrl) ?? pageUrl
}

/** The host names in a page's references, in lower case, without duplicates. */
function hostsOf(references: readonly string[], base: URL): string[] {
  const hosts = new Set<string>()
  // Pages repeat their links, and parsing an address is costly.
  for (const reference of new Set(references)) {
    if (hosts.size >= HOSTS_MAX) break
    const host = webUrl(reference, base)?.hostname
    if (host !== undefined) hosts.add(host)
  }
  return [...hosts]
}

/** The absolute addresses that forms post to. An empty action means the page itself, whatever its base. */
function actionsOf(actions: readonly string[], base: URL, pageUrl: URL): string[] {
  const distinct = [...new Set(actions)].slice(0, PASSWORD_ACTIONS_MAX)
  const urls = distinct.map(action => (action.trim() === '' ? pageUrl : webUrl(action, base))?.href)
  return [...new Set(urls.filter(url => url !== undefined))]
}

const REFRESH = /^\s*[\d.]+[\s;,]+(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|(.*))/is

/** The target of a refresh (meta or header); null if it only reloads the page, or leads to no web address. */
function refreshTargetOf(content: string, base: URL): string | null {
  const [, doubleQuoted, singleQuoted, bare] = REFRESH.exec(content) ?? []
  const address = (doubleQuoted ?? singleQuoted ?? bare ?? '').trim()
  return address === '' ? null : (webUrl(address, base)?.href ?? null)
}

import { lazily } from '../../platform/lib/lazily.ts'
import { plainText } from '../../platform/lib/text.ts'
import { type Destination, IMAGE_URL_MAX_LENGTH } from '../destinations/destination.ts'
import { whyNotPublicName } from '../destinations/hostname.ts'
import type { CannotTell, Opinion, Reject } from './verdict.ts'

/** What identifies a page's text without storing it. */
export interface Gist {
  /**
   * SimHash of its words in groups of three: 64 bits in hex. Similar texts have fingerprints that differ in few bits.
   */
  fingerprint: string
  /** The words that say most about its subject, at most `GIST_WORDS_MAX`. */
  words: readonly string[]
}

/** The certificate of the connection that returned a page. */
export interface Certificate {
  /** The organization that issued it. */
  issuer: string
  /** DNS names that it is valid for, at most 20. */
  names: readonly string[]
}

/** A form that asks for a password. `action` is the absolute address it posts to. */
interface PasswordForm {
  action: string
}

/** A page, fetched and parsed once. Reviewers use this and never fetch it again. */
export interface FetchedPage {
  /** Final address after redirects. */
  url: string
  /** Response headers of the final hop, names in lower case. */
  headers: Readonly<Record<string, string>>
  metadata: PageMetadata
  /** Visible text, white space folded, at most 20,000 characters. */
  text: string
  hasScript: boolean
  /** Values of `<meta name=rating>`, lower case. */
  ratings: readonly string[]
  /** Contents of `<meta name=placard-challenge>` in the head, as written; at most 20, each of at most 200 characters. */
  verifications: readonly string[]
  /** Absolute target of a `<meta http-equiv=refresh>`, or null. */
  refreshTo: string | null
  /** Whether it does so within a second. */
  refreshesAtOnce: boolean
  passwordForms: readonly PasswordForm[]
  gist: Gist
  /** Host names in the page's scripts, frames, images and links, in lower case, without duplicates. */
  linkedHosts: readonly string[]
  /** Judged in the reader process, so that the service's own process never searches the text. */
  judged: Judged
}

/** The hosts that a destination and its page have: one, or two after a redirect. */
export const hostsOf = (page: FetchedPage, { hostname }: Destination): string[] => [
  ...new Set([hostname, new URL(page.url).hostname]),
]

/** The opinions that follow from the page alone. */
export interface Judged {
  pageRules: Opinion
  phrases: Opinion
  parking: readonly ParkingSign[]
}

/** A sign that a domain is unused: a server's own page, a phrase of a group, a parking service, or only its script. */
export type ParkingSign = 'default_page' | 'for_sale' | 'parked' | 'buy' | 'service' | 'bare'

export type UnjudgedPage = Omit<FetchedPage, 'judged'>

export interface Fetched {
  verdict: 'pass'
  page: FetchedPage
  /** SHA-256 of the body as it was fetched. */
  bodyHash: string
  /** Null without TLS. */
  certificate: Certificate | null
}

/** A parsed and judged page, without the details of its connection. */
export type Read = Omit<Fetched, 'certificate'>

/**
 * Reads a destination's page through the guarded fetcher. Never throws for network errors.
 *
 * @param networks of the client who requested the page, broadest first: the fetcher limits what one network uses
 */
export type FetchPage = (
  destination: Destination,
  networks?: readonly string[],
) => Promise<Fetched | Reject | CannotTell>

export const TITLE_MAX_LENGTH = 200
const DESCRIPTION_MAX_LENGTH = 500
const LANGUAGE_TAG_MAX_LENGTH = 35

/** How pages name their preview image. The first one with an address that can be fetched counts. */
const IMAGE_NAMES = ['og:image', 'og:image:url', 'og:image:secure_url', 'twitter:image', 'twitter:image:src']

/** What a page says of itself, as written: no text cleaned, no address resolved. */
export interface Written {
  title: string
  firstHeading: string
  language: string
  /** The first non-empty content of each `<meta>` name or property; names in lower case. */
  metas: ReadonlyMap<string, string>
}

/** A page's metadata as plain text: NFC, no control or bidi characters, capped lengths. */
export type PageMetadata = ReturnType<typeof metadataOf>

/** Returns the metadata of a page. @param base of its relative addresses */
export function metadataOf({ title, firstHeading, language, metas }: Written, base: URL) {
  const meta = (name: string) => metas.get(name)
  return {
    /** May be empty, as all texts here. At most 200 characters. */
    title: firstText(TITLE_MAX_LENGTH, title, meta('og:title'), firstHeading),
    /** At most 500 characters. */
    description: firstText(DESCRIPTION_MAX_LENGTH, meta('description'), meta('og:description')),
    /** At most 200 characters. */
    siteName: firstText(TITLE_MAX_LENGTH, meta('og:site_name')),
    /** BCP 47 tag. If the page declares none, the parser adds that of the language that its text seems to have. */
    language: languageTag(language),
    /** Absolute http(s) address of the preview image, or null. Not fetched here. */
    imageUrl: IMAGE_NAMES.map(name => imageUrlOf(meta(name) ?? '', base)).find(url => url !== null) ?? null,
  }
}

/** The first text that can be seen once cleaned. */
function firstText(maxLength: number, ...texts: (string | undefined)[]): string {
  for (const text of texts) {
    const plain = plainText(text ?? '', maxLength)
    if (/[^\p{M}\s]/u.test(plain)) return plain
  }
  return ''
}

function languageTag(written: string): string {
  if (written.length > LANGUAGE_TAG_MAX_LENGTH) return ''
  try {
    const { language, baseName } = new Intl.Locale(written.trim().replaceAll('_', '-'))
    return isLanguage(language) ? baseName : ''
  } catch {
    return ''
  }
}

const names = lazily(() => new Intl.DisplayNames('en', { type: 'language', fallback: 'none' }))

/** Some websites write a name, such as `english`, or that there is no one language. */
const isLanguage = (primary: string) => !['mis', 'mul', 'zxx'].includes(primary) && names().of(primary) !== undefined

/** The image's address if it has a public host, a standard port and no credentials; otherwise null. */
function imageUrlOf(content: string, base: URL): string | null {
  const url = content === '' ? undefined : webUrl(content, base)
  if (url === undefined || url.port !== '' || url.username !== '' || url.password !== '') return null
  if (url.href.length > IMAGE_URL_MAX_LENGTH || whyNotPublicName(url.hostname) !== undefined) return null
  return url.href
}

/**
 * Returns an address on the web. Undefined also for the few addresses that the URL parser writes but then rejects,
 * because no browser opens them.
 */
export function webUrl(address: string, base: URL): URL | undefined {
  if (!URL.canParse(address, base.href)) return undefined
  const url = new URL(address, base)
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:'
  return isWeb && URL.canParse(url.href) ? url : undefined
}

/** The metadata of a page that says nothing of itself. */
export const NO_METADATA: PageMetadata = metadataOf(
  { title: '', firstHeading: '', language: '', metas: new Map() },
  new URL('http://localhost'),
)

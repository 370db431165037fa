import { type Reject, reject } from '../destinations/verdict.ts'
import { readContentType, XHTML } from '../http/content-type.ts'
import { decodeText } from './decode-text.ts'
import { detectLanguage } from './detect-language.ts'
import { gistOf } from './gist.ts'
import type { PageMetadata, UnjudgedPage } from './page.ts'
import { actionsOf, baseOf, hostsOf, imageUrlOf, refreshTargetOf } from './page-addresses.ts'
import { type PageScan, scanPage } from './page-scan.ts'
import { plainText } from './plain-text.ts'

const TITLE_MAX_LENGTH = 200
const DESCRIPTION_MAX_LENGTH = 500
const TEXT_MAX_LENGTH = 20_000
const LANGUAGE_TAG_MAX_LENGTH = 35
/** Nested elements. */
const DEPTH_MAX = 256

/**
 * Reads the page at `url` from its response's bytes and headers. Rejects it as `too_large` if its elements nest too
 * deep. Ignores other addresses that the page claims (`rel=canonical`).
 */
export function readPage(
  body: Uint8Array,
  url: URL,
  headers: Readonly<Record<string, string>>,
): { verdict: 'pass'; page: UnjudgedPage } | Reject {
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
  const metadata = metadataOf(scan, base)
  return {
    verdict: 'pass',
    page: {
      url: url.href,
      headers,
      metadata,
      text,
      gist: gistOf(metadata, text),
      hasScript: scan.hasScript,
      ratings: scan.ratings.map(rating => plainText(rating, TITLE_MAX_LENGTH).toLowerCase()),
      verifications: scan.verifications,
      refreshTo: refreshTargetOf(headers.refresh ?? scan.refresh ?? '', base),
      passwordForms: actionsOf(scan.passwordActions, base, url).map(action => ({ action })),
      linkedHosts: hostsOf(scan.references, base),
    },
  }
}

function metadataOf({ text, firstHeading, language, metas, ...scan }: PageScan, base: URL): PageMetadata {
  const meta = (name: string) => metas.get(name)
  const title = firstText(TITLE_MAX_LENGTH, scan.title, meta('og:title'), firstHeading)
  const description = firstText(DESCRIPTION_MAX_LENGTH, meta('description'), meta('og:description'))
  return {
    ...{ title, description },
    siteName: firstText(TITLE_MAX_LENGTH, meta('og:site_name')),
    language: languageTag(language) || detectLanguage(`${title}\n${description}\n${text}`),
    imageUrl: imageUrlOf(meta('og:image') ?? meta('og:image:url') ?? '', base),
  }
}

/** The first text that is not empty once cleaned. */
function firstText(maxLength: number, ...texts: (string | undefined)[]): string {
  for (const text of texts) {
    const plain = plainText(text ?? '', maxLength)
    if (plain !== '') return plain
  }
  return ''
}

function languageTag(written: string): string {
  if (written.length > LANGUAGE_TAG_MAX_LENGTH) return ''
  try {
    return Intl.getCanonicalLocales(written.trim().replaceAll('_', '-'))[0] ?? ''
  } catch {
    return ''
  }
}

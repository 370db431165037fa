import { type Destination, parseAddress } from '../../destinations/destination.ts'
import { haveSameOwner } from '../../destinations/hostname.ts'
import type { Fetched, FetchedPage, FetchPage } from '../page.ts'
import { XHTML } from '../page-parser/decode-text.ts'
import type { PageReaders } from '../page-parser/page-readers.ts'
import type { Get, GuardedFetcher, WantedDocument } from './guarded-fetcher.ts'
import { FetchEnded } from './limits.ts'

/** A web page, as publishing wants it. */
export const PAGE: WantedDocument = { accepts: ['text/html', XHTML], bodyMaxBytes: 1024 * 1024 }

export function createPageFetcher(fetcher: GuardedFetcher, readers: Pick<PageReaders, 'read'>): FetchPage {
  return async (destination, networks) => {
    const page = await fetcher.visit(destination, get => getShownPage(get, readers, destination, { networks }), {
      networks,
    })
    return page instanceof FetchEnded ? page.verdict : page
  }
}

/** With less text, in UTF-16 units, a page that sends its visitors on only says so. */
const SENDING_TEXT_MAX_LENGTH = 300

/**
 * Fetches the page that visitors of a destination see. If it has hardly any text and sends them to another address of
 * its website at once, as some generators of websites do for languages, returns the page there, as after a redirect.
 */
export async function getShownPage(...[get, readers, destination, options]: Parameters<typeof getPage>) {
  const fetched = await getPage(get, readers, destination, options)
  const next = fetched instanceof FetchEnded ? undefined : nextWithin(fetched.page)
  return next ? getPage(get, readers, next, options) : fetched
}

function nextWithin({ url, refreshTo, refreshesAtOnce, text, passwordForms, judged }: FetchedPage) {
  if (refreshTo === null || !refreshesAtOnce || text.length >= SENDING_TEXT_MAX_LENGTH) return undefined
  // A script can keep visitors on the page, so it must be harmless itself.
  const isHarmless = [judged.pageRules, judged.phrases].every(
    opinion => opinion.verdict === 'pass' || (opinion.verdict === 'reject' && opinion.reason === 'empty_page'),
  )
  const [from, to] = [new URL(url), new URL(refreshTo)]
  const isDowngrade = from.protocol === 'https:' && to.protocol === 'http:'
  if (!isHarmless || passwordForms.length > 0 || isDowngrade || !haveSameOwner(from.hostname, to.hostname)) {
    return undefined
  }
  try {
    const next = parseAddress(refreshTo)
    return next.url === url ? undefined : next
  } catch {
    return undefined
  }
}

/** Fetches and parses the page of a destination as part of a visit. */
export async function getPage(
  get: Get,
  readers: Pick<PageReaders, 'read'>,
  destination: Destination,
  { wanted = PAGE, networks }: { wanted?: WantedDocument; networks?: readonly string[] | undefined } = {},
): Promise<Fetched | FetchEnded> {
  const document = await get(destination, wanted)
  if (document instanceof FetchEnded) return document
  const { body, url, headers, certificate } = document
  const read = await readers.read({ body, url: url.href, headers }, networks)
  return read.verdict === 'pass' ? { ...read, certificate } : new FetchEnded(read)
}

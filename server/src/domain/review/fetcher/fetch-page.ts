import type { Destination } from '../../destinations/destination.ts'
import type { Fetched, FetchPage } from '../page.ts'
import { XHTML } from '../page-parser/decode-text.ts'
import type { PageReaders } from '../page-parser/parser-pool.ts'
import type { Get, GuardedFetcher, WantedDocument } from './guarded-fetcher.ts'
import { FetchEnded } from './limits.ts'

/** A web page, as publishing wants it. */
export const PAGE: WantedDocument = { accepts: ['text/html', XHTML], bodyMaxBytes: 1024 * 1024 }

export function createPageFetcher(fetcher: GuardedFetcher, readers: Pick<PageReaders, 'read'>): FetchPage {
  return async (destination, networks) => {
    const page = await fetcher.visit(destination, get => getPage(get, readers, destination, { networks }), {
      networks,
    })
    return page instanceof FetchEnded ? page.verdict : page
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

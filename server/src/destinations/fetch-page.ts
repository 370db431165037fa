import { XHTML } from './content-type.ts'
import type { Destination } from './destination.ts'
import { FetchEnded } from './fetch-ended.ts'
import type { Get, GuardedFetcher, WantedDocument } from './guarded-fetcher.ts'
import type { Fetched, FetchPage } from './page.ts'
import { readPage } from './read-page.ts'

const PAGE: WantedDocument = { accepts: ['text/html', XHTML], bodyMaxBytes: 1024 * 1024 }
/** Elements inside each other. */
const DEPTH_MAX = 256

/** Makes the reader of web pages. */
export function createPageFetcher(fetcher: GuardedFetcher): FetchPage {
  return async destination => {
    const page = await fetcher.visit(destination, get => getPage(get, destination))
    return page instanceof FetchEnded ? page.verdict : page
  }
}

/** Fetches and reads the page of a destination as part of a visit. */
export async function getPage(get: Get, destination: Destination): Promise<Fetched | FetchEnded> {
  const document = await get(destination, PAGE)
  if (document instanceof FetchEnded) return document
  const read = readPage(document.body, document.url, document.headers, DEPTH_MAX)
  return read.verdict === 'pass' ? read : new FetchEnded(read)
}

import { type Destination, parseAddress } from '../destinations/destination.ts'
import { haveSameOwner } from '../destinations/hostname.ts'
import { type Snapshot, snapshotOf } from '../listings/seen-page.ts'
import { getShownPage, PAGE } from '../review/fetcher/fetch-page.ts'
import type { GuardedFetcher } from '../review/fetcher/guarded-fetcher.ts'
import { FetchEnded, type FetchLimits } from '../review/fetcher/limits.ts'
import type { PageReaders, ReaderLimits } from '../review/page-parser/page-readers.ts'
import { type Judged, refusalsIn } from '../review/reviewers/admitted.ts'
import type { ReviewDependencies } from '../review/reviewers/reviewers.ts'
import type { Verdict } from '../review/verdict.ts'
import { isRecognisable, type Observation, wholeText } from './score-change.ts'

export interface ObserveDependencies extends Pick<ReviewDependencies, 'reviewers'> {
  /** A fetcher of its own, with `RECHECK_FETCH_LIMITS`, so that publishing never waits for rechecks. */
  fetcher: GuardedFetcher
  readers: Pick<PageReaders, 'read'>
}

export const AT_ONCE = 8
export const RECHECK_FETCH_LIMITS: Partial<FetchLimits> = { atOnceMax: AT_ONCE, waitMs: 15_000 }

/** A reader starts when it is first needed. */
export const RECHECK_READER_LIMITS: Partial<ReaderLimits> = { atOnceMax: 1 }

/** The User-Agent of a recheck as a browser. */
export const A_BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'

/** The maximum number of other domains to follow a page to. */
const DOMAINS_MAX = 3

/** The facts of a recheck, for the record. */
export interface RecheckFacts {
  verdicts: readonly Verdict[]
  fetched: { url: string; sha256: string }
}

/** A listed page, as it was before a recheck. */
export interface KnownPage {
  before: Snapshot | undefined
  /** Refusals that an appeal reversed. They are ignored while the page is recognisably the same. */
  admits: readonly Judged[]
}

/**
 * The result of reading a page once. `unsure` says why a reviewer can't tell, perhaps because the page's author
 * prevents it. Without an observation, the page was not read.
 */
export type Observed =
  | { observation: Observation; unsure?: string; metadata?: SeenMetadata; facts?: RecheckFacts }
  | { observation?: undefined; unsure: string }
type SeenMetadata = Parameters<typeof snapshotOf>[0]['page']['metadata']

/**
 * Reads and reviews a listed page as a publish would, but follows it to other domains. The page there shows whether it
 * moved or was taken over. Never throws for network errors.
 *
 * @param userAgent the browser to pretend to be; without it, our own name
 */
export async function observe(
  { fetcher, readers, reviewers }: ObserveDependencies,
  listed: Destination,
  { before, admits }: KnownPage,
  stop: AbortSignal,
  userAgent?: string,
): Promise<Observed> {
  const wanted = userAgent === undefined ? PAGE : { ...PAGE, userAgent }
  let destination = listed
  for (let domains = 0; domains <= DOMAINS_MAX; domains++) {
    const at = destination
    const visited = await fetcher.visit(at, async get => ({ page: await getShownPage(get, readers, at, { wanted }) }), {
      stop,
    })
    if (stop.aborted) return { unsure: 'stopped' }
    if (visited instanceof FetchEnded) return { unsure: visited.message }
    const fetched = visited.page
    if (fetched instanceof FetchEnded) {
      const next = nextOf(fetched)
      if (next === undefined) return { observation: { why: whyOf(fetched) } }
      destination = next
      continue
    }
    const { page, bodyHash } = fetched
    const sentTo = page.refreshTo === null ? undefined : elsewhere(page.refreshTo, page.url)
    if (sentTo) {
      destination = sentTo
      continue
    }
    const [seen, text] = [snapshotOf(fetched), wholeText(page)]
    const isKnown = before === undefined || isRecognisable(before, seen, text)
    const review = await reviewers.review(page, at, isKnown ? admits : [])
    const isUnsure = review.verdict === 'cannot_tell'
    return {
      observation: { seen, text, refusal: refusalsIn(review.verdicts)[0] },
      facts: { verdicts: review.verdicts, fetched: { url: page.url, sha256: bodyHash } },
      ...(isUnsure && { unsure: review.why }),
      ...(destination === listed && !isUnsure && { metadata: page.metadata }),
    }
  }
  return { observation: { why: 'it redirects to one domain after the other' } }
}

/** Returns the redirect target that a publish must not follow. */
function nextOf({ verdict }: FetchEnded): Destination | undefined {
  const to = verdict.verdict === 'reject' && verdict.reason === 'redirects_elsewhere' && verdict.evidence?.to
  return typeof to === 'string' ? destinationAt(to) : undefined
}

function elsewhere(address: string, pageUrl: string): Destination | undefined {
  const next = destinationAt(address)
  return next && !haveSameOwner(next.hostname, new URL(pageUrl).hostname) ? next : undefined
}

function destinationAt(address: string): Destination | undefined {
  try {
    return parseAddress(address)
  } catch {
    return undefined
  }
}

/** Returns the problem in words that stay the same as long as the problem does. */
function whyOf({ verdict, httpStatus, message }: FetchEnded): string {
  if (httpStatus !== undefined) return `HTTP status ${httpStatus}`
  return verdict.verdict === 'reject' ? verdict.reason : message
}

import type { Destination } from '../destinations/destination.ts'
import { type CannotTell, cannotTell, PASS, type Verdict } from '../destinations/verdict.ts'
import { reviewed } from '../metrics/measured.ts'
import type { FetchedPage } from '../reading/page.ts'

/** One opinion on a page. `name` is for the operator's log. */
export interface Reviewer {
  name: string
  /** May throw, which counts as "cannot tell". Should stop on the signal, after which its answer is too late. */
  review(page: FetchedPage, destination: Destination, signal: AbortSignal): Verdict | Promise<Verdict>
}

/** How long one reviewer may take. */
const REVIEW_TIMEOUT_MS = 2_000

/**
 * Asks the reviewers in order. All must pass. The first reject decides, even if an earlier reviewer could not tell,
 * since it would be refused later anyway. Without a reject, a single "cannot tell" is the answer, so that no outage
 * lets a page through. Never throws.
 */
export async function reviewPage(
  reviewers: readonly Reviewer[],
  page: FetchedPage,
  destination: Destination,
  timeoutMs = REVIEW_TIMEOUT_MS,
): Promise<Verdict> {
  let unsure: CannotTell | undefined
  for (const reviewer of reviewers) {
    const verdict = await ask(reviewer, page, destination, timeoutMs)
    if (verdict.verdict === 'reject') return verdict
    if (verdict.verdict === 'cannot_tell') unsure ??= cannotTell(`${reviewer.name}: ${verdict.why}`)
  }
  return unsure ?? PASS
}

async function ask(
  reviewer: Reviewer,
  page: FetchedPage,
  destination: Destination,
  timeoutMs: number,
): Promise<Verdict> {
  const startedAt = performance.now()
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<Verdict>(resolve => {
    timer = setTimeout(() => {
      resolve(cannotTell(`no answer within ${timeoutMs} ms`))
      stopping.abort()
    }, timeoutMs)
  })
  try {
    const answer = (async () => reviewer.review(page, destination, stopping.signal))()
    return await Promise.race([answer, tooLate])
  } catch (error) {
    return cannotTell(error instanceof Error ? error.message : String(error))
  } finally {
    clearTimeout(timer)
    reviewed.tell({ reviewer: reviewer.name, ms: performance.now() - startedAt })
  }
}

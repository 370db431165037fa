import { type Change, type Look, scoreChange } from '../../src/continuity/score-change.ts'
import { snapshotOf } from '../../src/continuity/snapshot.ts'
import { parseDestination } from '../../src/destinations/destination.ts'
import type { Certificate } from '../../src/reading/page.ts'
import { readPage } from '../../src/reading/read-page.ts'
import { judge } from '../../src/review/judge.ts'
import { LookAlikes } from '../../src/review/look-alikes.ts'
import { pageRules } from '../../src/review/page-rules.ts'
import { phrases } from '../../src/review/phrases.ts'
import { Reviewers } from '../../src/review/reviewers.ts'
import { pageOf } from '../review/pages.ts'
import { type Pair, pairs } from '../review/pairs.ts'

const REVIEWERS = new Reviewers(
  [pageRules, new LookAlikes(), phrases].map(reviewer => ({ reviewer, decides: true })),
)

/** What is made of every labelled pair, by the embedded reviewers. */
export const changesOfPairs = (): Promise<{ pair: Pair; change: Change }[]> =>
  Promise.all(
    pairs().map(async pair => {
      const before = await lookAt(pair.before)
      if (!before.seen) throw new Error(`${pair.before.host} could not be read before`)
      return { pair, change: scoreChange(before.seen, await lookAt(pair.after)) }
    }),
  )

async function lookAt({
  finalHost,
  issuer,
  names,
  outgoingHosts,
  status,
  ...words
}: Pair['before']): Promise<Look> {
  if (status >= 400) return { why: `HTTP status ${status}` }
  const html = pageOf({ ...words, extras: outgoingHosts.map(host => `script=${host}`) })
  return lookAtPage({ host: finalHost, html }, { issuer, names })
}

/** How a look sees a page at a host. */
export async function lookAtPage(
  { host, html }: { host: string; html: string },
  certificate: Certificate = { issuer: 'Somebody', names: [host] },
): Promise<Look> {
  const url = new URL(`https://${host}/`)
  const read = readPage(Buffer.from(html), url, { 'content-type': 'text/html; charset=utf-8' })
  if (read.verdict === 'reject') return { why: read.reason }
  const page = { ...read.page, judged: judge(read.page) }
  const review = await REVIEWERS.review(page, parseDestination(url.href))
  return {
    seen: snapshotOf({ page, certificate }),
    refusal: review.verdict === 'reject' ? review : undefined,
  }
}

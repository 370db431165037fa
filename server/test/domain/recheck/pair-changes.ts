import { parseDestination } from '../../../src/domain/destinations/destination.ts'
import { snapshotOf } from '../../../src/domain/listings/seen-page.ts'
import { type Change, type Observation, scoreChange, wholeText } from '../../../src/domain/recheck/score-change.ts'
import type { Certificate } from '../../../src/domain/review/page.ts'
import { readPage } from '../../../src/domain/review/page-parser/read-page.ts'
import { refusalsIn } from '../../../src/domain/review/reviewers/admitted.ts'
import { LookAlikes } from '../../../src/domain/review/reviewers/look-alikes.ts'
import { judge, pageRules } from '../../../src/domain/review/reviewers/page-rules.ts'
import { phrases } from '../../../src/domain/review/reviewers/phrases.ts'
import { Reviewers } from '../../../src/domain/review/reviewers/reviewers.ts'
import { pageOf } from '../review/reviewers/pages.ts'
import { type Pair, pairs } from '../review/reviewers/pairs.ts'

const REVIEWERS = new Reviewers([pageRules, new LookAlikes(), phrases].map(reviewer => ({ reviewer, decides: true })))

/** What is made of every labelled pair, by the embedded reviewers. */
export const changesOfPairs = (): Promise<{ pair: Pair; change: Change }[]> =>
  Promise.all(
    pairs().map(async pair => {
      const before = await observe(pair.before)
      if (!before.seen) throw new Error(`${pair.before.host} could not be read before`)
      return { pair, change: scoreChange(before.seen, await observe(pair.after)) }
    }),
  )

async function observe({
  finalHost,
  issuer,
  names,
  outgoingHosts,
  status,
  ...words
}: Pair['before']): Promise<Observation> {
  if (status >= 400) return { why: `HTTP status ${status}` }
  const html = pageOf({ ...words, extras: outgoingHosts.map(host => `script=${host}`) })
  return lookAtPage({ host: finalHost, html }, { issuer, names })
}

/** How a look sees a page at a host. */
export async function lookAtPage(
  { host, html }: { host: string; html: string },
  certificate: Certificate = { issuer: 'Somebody', names: [host] },
): Promise<Observation> {
  const url = new URL(`https://${host}/`)
  const read = readPage(Buffer.from(html), url, { 'content-type': 'text/html; charset=utf-8' })
  if (read.verdict !== 'pass') return { why: read.verdict }
  const page = { ...read.page, judged: judge(read.page) }
  const review = await REVIEWERS.review(page, parseDestination(url.href))
  return {
    seen: snapshotOf({ page, certificate }),
    text: wholeText(page),
    refusal: refusalsIn(review.verdicts)[0],
  }
}

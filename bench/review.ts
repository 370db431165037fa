import { parseDestination } from '../server/dist/domain/destinations/destination.js'
import { readPage } from '../server/dist/domain/review/page-parser/read-page.js'
import { LookAlikes } from '../server/dist/domain/review/reviewers/look-alikes.js'
import { judge, pageRules } from '../server/dist/domain/review/reviewers/page-rules.js'
import { phrases } from '../server/dist/domain/review/reviewers/phrases.js'
import { Reviewers } from '../server/dist/domain/review/reviewers/reviewers.js'
import { scoreChange } from '../server/src/domain/recheck/score-change.ts'
import { changesOfComments, changesOfTakeovers } from '../server/test/domain/recheck/commented-changes.ts'
import { changesOfPairs, lookAtPage } from '../server/test/domain/recheck/pair-changes.ts'
import { BAD, BENIGN, type LabelledPage, labelledPages } from '../server/test/domain/review/reviewers/pages.ts'

// Precision and recall of the offline reviewers, each alone and all together, on the labelled pages that the tests ship.
// `npm run bench:review -- missed` also lists what was missed, and what was rejected or flagged wrongly.

const REVIEWERS = [pageRules, new LookAlikes(), phrases]

interface Answer {
  page: LabelledPage
  /** Names of reviewers. */
  rejectedBy: string[]
  flaggedBy: string[]
}

async function answerTo(page: LabelledPage): Promise<Answer> {
  const url = new URL(`https://${page.host}/`)
  const read = readPage(Buffer.from(page.html), url, { 'content-type': 'text/html; charset=utf-8' })
  if (read.verdict !== 'pass') throw new Error(`${page.name} cannot be read`)
  const judged = { ...read.page, judged: judge(read.page) }
  const outcomes = REVIEWERS.map(async reviewer => {
    const reviewers = new Reviewers([{ reviewer, decides: true }])
    const { verdicts } = await reviewers.review(judged, parseDestination(url.href))
    return { name: reviewer.name, outcome: verdicts[0]?.outcome }
  })
  const by = Object.groupBy(await Promise.all(outcomes), ({ outcome }) => outcome ?? 'pass')
  const names = (all: { name: string }[] = []) => all.map(({ name }) => name)
  return { page, rejectedBy: names(by.reject), flaggedBy: names(by.flag) }
}

const answersTo = async (labels: readonly string[]): Promise<[label: string, answers: Answer[]][]> =>
  Promise.all(labels.map(async label => [label, await Promise.all(labelledPages(label).map(answerTo))]))
const benign = await answersTo(BENIGN)
const bad = await answersTo(BAD.flatMap(kind => [kind, `${kind}-held-out`]))

/** How many pages a reviewer rejects and flags; without a name, how many any of them does. */
function counts(answers: readonly Answer[], name?: string) {
  const isBy = (names: string[]) => (name === undefined ? names.length > 0 : names.includes(name))
  const rejected = answers.filter(({ rejectedBy }) => isBy(rejectedBy))
  const flagged = answers.filter(each => isBy(each.flaggedBy) && !rejected.includes(each))
  return { of: answers.length, rejected: rejected.length, flagged: flagged.length }
}
const percent = (part: number, of: number) => (of === 0 ? '–' : `${((100 * part) / of).toFixed(1)} %`)

console.log('Pages that should pass, and then pages that should be rejected')
console.table(Object.fromEntries([...benign, ...bad].map(([label, answers]) => [label, counts(answers)])))
const [allBenign, allBad] = [benign, bad].map(labels => labels.flatMap(([, answers]) => answers))
console.log('By reviewer, over all of them')
const rows = [...REVIEWERS.map(({ name }) => name), undefined].map(name => {
  const [wrong, right] = [counts(allBenign ?? [], name), counts(allBad ?? [], name)]
  const precision = percent(right.rejected, right.rejected + wrong.rejected)
  const recall = percent(right.rejected, right.of)
  const wrongly = { 'rejected wrongly': wrong.rejected, 'flagged wrongly': wrong.flagged }
  return [name ?? 'all', { rejected: right.rejected, flagged: right.flagged, ...wrongly, precision, recall }]
})
console.table(Object.fromEntries(rows))

const pairs = await changesOfPairs()
/** Of each hard benign page, as if an ordinary website had turned into it. */
const rewrites = ['hard', 'hard-held-out'].flatMap(labelledPages).map(async (page, nth) => {
  const ordinary = labelledPages('ordinary')[nth] as LabelledPage
  const { seen } = await lookAtPage(ordinary)
  const after = await lookAtPage({ ...page, host: ordinary.host })
  return { change: seen ? scoreChange(seen, after) : { verdict: 'unchanged', findings: [] } }
})
const changes = {
  ...Object.groupBy(pairs, ({ pair }) => pair.kind),
  'with comments': await changesOfComments(),
  'their takeover': await changesOfTakeovers(),
  'benign rewrite': await Promise.all(rewrites),
}
console.log('Listed websites before and after: what a recheck makes of them')
const rechecked = Object.entries(changes).map(([kind, all]) => {
  const hidden = all.filter(({ change }) => change.verdict === 'taken_over')
  const toOperator = all.filter(each => !hidden.includes(each as never) && each.change.findings.length > 0)
  return [kind, { of: all.length, hidden: hidden.length, 'to the operator': toOperator.length }]
})
console.table(Object.fromEntries(rechecked))

if (process.argv.includes('missed')) {
  for (const { pair, change } of pairs) {
    const isRight = (change.verdict === 'taken_over') === (pair.kind === 'takeover')
    const findings = change.findings.map(({ kind }) => kind)
    if (!isRight) console.log(`${pair.kind}: ${pair.before.host} – ${change.verdict} [${findings}]`)
  }
  for (const [label, answers] of [...benign, ...bad]) {
    const isBenign = benign.some(([each]) => each === label)
    for (const { page, rejectedBy, flaggedBy } of answers) {
      const isRight = isBenign ? rejectedBy.length + flaggedBy.length === 0 : rejectedBy.length > 0
      if (!isRight) console.log(`${label}: ${page.name} – ${page.title} [${[...rejectedBy, ...flaggedBy]}]`)
    }
  }
}

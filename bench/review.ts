import { parseDestination } from '../server/dist/domain/destinations/destination.js'
import { readPage } from '../server/dist/domain/review/page-parser/read-page.js'
import { judge } from '../server/dist/domain/review/reviewers/judge.js'
import { LookAlikes } from '../server/dist/domain/review/reviewers/look-alikes.js'
import { pageRules } from '../server/dist/domain/review/reviewers/page-rules.js'
import { phrases } from '../server/dist/domain/review/reviewers/phrases.js'
import { Reviewers } from '../server/dist/domain/review/reviewers/reviewers.js'
import { scoreChange } from '../server/src/domain/recheck/score-change.ts'
import { changesOfComments, changesOfTakeovers } from '../server/test/domain/recheck/commented-changes.ts'
import { changesOfPairs, lookAtPage } from '../server/test/domain/recheck/pair-changes.ts'
import {
  BAD,
  BENIGN,
  type LabelledPage,
  labelledPages,
  pageOf,
} from '../server/test/domain/review/reviewers/pages.ts'

// Precision and recall of the embedded reviewers, each alone and all together, on the labelled pages that the tests ship.
// `npm run bench:review -- missed` also lists what was missed and what was refused or flagged wrongly.

const REVIEWERS = [pageRules, new LookAlikes(), phrases]
/** The kinds that phrases are to find. */
const WORDY = ['adult', 'phishing', 'scam'] as const
const listsMissed = process.argv.includes('missed')

interface Answer {
  page: LabelledPage
  /** Reviewers that refuse it, and that flag it. */
  refusedBy: string[]
  flaggedBy: string[]
}

async function answerTo(page: LabelledPage): Promise<Answer> {
  const url = new URL(`https://${page.host}/`)
  const read = readPage(Buffer.from(page.html), url, { 'content-type': 'text/html; charset=utf-8' })
  if (read.verdict === 'reject') throw new Error(`${page.name} cannot be read`)
  const answer: Answer = { page, refusedBy: [], flaggedBy: [] }
  for (const reviewer of REVIEWERS) {
    const { verdicts } = await new Reviewers([{ reviewer, decides: true }]).review(
      { ...read.page, judged: judge(read.page) },
      parseDestination(url.href),
    )
    if (verdicts[0]?.outcome === 'reject') answer.refusedBy.push(reviewer.name)
    if (verdicts[0]?.outcome === 'flag') answer.flaggedBy.push(reviewer.name)
  }
  return answer
}

/** Ten pages as one, of some 250 words: a longer text has more chances to use a phrase. */
function longPages(pages: readonly LabelledPage[]): LabelledPage[] {
  return Array.from({ length: Math.floor(pages.length / 10) }, (_, at) => {
    const ten = pages.slice(at * 10, at * 10 + 10)
    const [first] = ten as [LabelledPage]
    const text = ten.map(page => `${page.title}. ${page.text}`).join(' ')
    return { ...first, text, html: pageOf({ ...first, text, extras: [] }) }
  })
}

const percent = (part: number, of: number) => (of === 0 ? '–' : `${((100 * part) / of).toFixed(1)} %`)
const answersTo = (pages: readonly LabelledPage[]) => Promise.all(pages.map(answerTo))
const refused = (answers: readonly Answer[], by?: string) =>
  answers.filter(({ refusedBy }) => (by === undefined ? refusedBy.length > 0 : refusedBy.includes(by)))
const flagged = (answers: readonly Answer[], by?: string) =>
  answers.filter(({ refusedBy, flaggedBy }) =>
    by === undefined ? refusedBy.length === 0 && flaggedBy.length > 0 : flaggedBy.includes(by),
  )

const benign = new Map<string, Answer[]>()
for (const label of BENIGN) benign.set(label, await answersTo(labelledPages(label)))
benign.set('long ordinary', await answersTo(longPages(labelledPages('ordinary'))))
const bad = new Map<string, Answer[]>()
for (const kind of BAD) {
  for (const label of [kind, `${kind}-held-out`]) bad.set(label, await answersTo(labelledPages(label)))
}
const longBad = new Map<string, Answer[]>()
for (const kind of WORDY) {
  const pages = [...labelledPages(kind), ...labelledPages(`${kind}-held-out`)]
  longBad.set(`long ${kind}`, await answersTo(longPages(pages)))
}

console.log('Pages that should pass\n')
console.log('pages             of   refused   flagged')
for (const [label, answers] of benign) {
  const counts = [answers.length, refused(answers).length, flagged(answers).length]
  console.log(label.padEnd(14), ...counts.map((count, at) => String(count).padStart([5, 9, 9][at] ?? 0)))
}
console.log('\nPages that should be refused: recall, by the embedded default\n')
console.log('pages                  of   refused   recall   only flagged')
for (const [label, answers] of [...bad, ...longBad]) {
  const caught = refused(answers).length
  console.log(
    `${label.padEnd(20)}${String(answers.length).padStart(5)}${String(caught).padStart(10)}${percent(caught, answers.length).padStart(9)}${String(flagged(answers).length).padStart(15)}`,
  )
}
const allBad = [...bad.values()].flat()
const allBenign = [...benign.values()].flat()
console.log('\nBy reviewer, over all of them\n')
console.log('reviewer        refused   wrongly   precision    recall   flagged   of them benign')
for (const name of [...REVIEWERS.map(reviewer => reviewer.name), undefined]) {
  const [right, wrong] = [refused(allBad, name).length, refused(allBenign, name).length]
  const [flaggedBad, flaggedBenign] = [flagged(allBad, name).length, flagged(allBenign, name).length]
  console.log(
    [
      (name ?? 'all').padEnd(14),
      String(right + wrong).padStart(9),
      String(wrong).padStart(10),
      percent(right, right + wrong).padStart(12),
      percent(right, allBad.length).padStart(10),
      String(flaggedBad + flaggedBenign).padStart(10),
      String(flaggedBenign).padStart(17),
    ].join(''),
  )
}
const pairs = await changesOfPairs()
const isHidden = ({ change }: Pick<(typeof pairs)[number], 'change'>) => change.verdict === 'taken_over'
console.log('\nListed websites before and after: what looking again makes of them\n')
console.log('pairs             of    hidden   to the operator')
const looks = {
  ...Object.groupBy(pairs, ({ pair }) => pair.kind),
  'with comments': await changesOfComments(),
  'their takeover': await changesOfTakeovers(),
}
for (const [kind, of] of Object.entries(looks)) {
  const hidden = of.filter(isHidden)
  const told = of.filter(each => !isHidden(each) && each.change.findings.length > 0)
  const counts = [of.length, hidden.length, told.length]
  console.log(kind.padEnd(14), ...counts.map((count, at) => String(count).padStart([5, 9, 17][at] ?? 0)))
}
const hard = ['hard', 'hard-held-out'].flatMap(labelledPages)
const rewritten = await Promise.all(
  hard.map(async (page, nth) => {
    const before = await lookAtPage(labelledPages('ordinary')[nth] as LabelledPage)
    const after = await lookAtPage({ ...page, host: labelledPages('ordinary')[nth]?.host ?? '' })
    return before.seen && scoreChange(before.seen, after).verdict === 'taken_over'
  }),
)
console.log(
  `\nOf ${hard.length} ordinary websites that turned into hard benign ones without a word in common, ${rewritten.filter(Boolean).length} would be hidden.`,
)
if (listsMissed) {
  for (const each of pairs) {
    const { pair, change } = each
    if (isHidden(each) !== (pair.kind === 'takeover')) {
      console.log(
        `${pair.kind}: ${pair.before.host} – ${change.verdict} [${change.findings.map(({ kind }) => kind)}]`,
      )
    }
  }
  for (const [label, answers] of [...benign, ...bad]) {
    const wrong = benign.has(label)
      ? [...refused(answers), ...flagged(answers)]
      : answers.filter(({ refusedBy }) => refusedBy.length === 0)
    for (const { page, refusedBy, flaggedBy } of wrong) {
      console.log(`${label}: ${page.name} – ${page.title} [${[...refusedBy, ...flaggedBy]}]`)
    }
  }
}

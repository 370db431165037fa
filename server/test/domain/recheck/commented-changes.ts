import type { Snapshot } from '../../../src/domain/listings/seen-page.ts'
import { type Change, type Observation, scoreChange } from '../../../src/domain/recheck/score-change.ts'
import { bodyOf, type LabelledPage, labelledPages } from '../review/reviewers/pages.ts'
import { lookAtPage } from './pair-changes.ts'

const commented = labelledPages('commented')
/** Honest pages, what visitors and advertisers add to them, and what strangers make of them. */
export const pages = commented.filter(({ category }) => category === 'Page')
export const additions = commented.filter(({ category }) => category !== 'Page')
export const takeovers = labelledPages('takeovers')

/** Above what was there, below it, and below it on a page without a description. */
const WAYS: readonly ((html: string, added: string) => string)[] = [
  (html, added) => html.replace('<h1>', `${added}\n<h1>`),
  (html, added) => `${html}\n${added}`,
  (html, added) => `${html.replace(/<meta name=description[^>]*>/, '')}\n${added}`,
]

/** What is made of every page with every addition, and with all of them, in every way. */
export async function changesOfComments(): Promise<{ name: string; isRefused: boolean; change: Change }[]> {
  const texts = additions.map(bodyOf)
  const changes: { name: string; isRefused: boolean; change: Change }[] = []
  for (const page of pages) {
    for (const way of WAYS) {
      const before = await snapshotOf({ ...page, html: way(page.html, '') })
      for (const added of [...texts, texts.join('\n')]) {
        const look = await lookAtPage({ ...page, html: way(page.html, added) })
        const isRefused = look.seen !== undefined && look.refusal !== undefined
        changes.push({ name: `${page.host}: ${added}`, isRefused, change: scoreChange(before, look) })
      }
    }
  }
  return changes
}

/** What is made of every takeover. */
export const changesOfTakeovers = (): Promise<{ name: string; change: Change }[]> =>
  Promise.all(
    takeovers.map(async takeover => {
      const page = pages.find(({ host }) => host === takeover.host)
      if (!page) throw new Error(`there is no page ${takeover.host}`)
      const change = scoreChange(await snapshotOf(page), await lookAfter(takeover))
      return { name: `${takeover.host} (${takeover.category})`, change }
    }),
  )

export async function snapshotOf(page: Pick<LabelledPage, 'host' | 'html'>): Promise<Snapshot> {
  const look = await lookAtPage(page)
  if (!look.seen) throw new Error(`${page.host} could not be read`)
  return look.seen
}

function lookAfter({ host, html, extras }: LabelledPage): Promise<Observation> {
  const of = (key: string) => extras.find(each => each.startsWith(`${key}=`))?.slice(key.length + 1)
  const finalHost = of('final') ?? host
  const names = of('names')?.split(',') ?? [finalHost]
  return lookAtPage({ host: finalHost, html }, { issuer: 'Somebody', names })
}

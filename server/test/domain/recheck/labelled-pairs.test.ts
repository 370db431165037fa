import { describe, expect, it } from 'vitest'
import { scoreChange } from '../../../src/domain/recheck/score-change.ts'
import { labelledPages } from '../review/reviewers/pages.ts'
import { changesOfPairs, lookAtPage } from './pair-changes.ts'

describe('of the labelled pairs', async () => {
  const changes = await changesOfPairs()
  const hidden = changes.filter(({ change }) => change.verdict === 'taken_over')

  it('no rebrand, redesign or outage is hidden', () => {
    expect(hidden.filter(({ pair }) => pair.kind !== 'takeover')).toEqual([])
  })

  it('most takeovers are, and the others are findings', () => {
    expect(hidden.length).toBeGreaterThanOrEqual(36)
    const unseen = changes.filter(({ pair, change }) => pair.kind === 'takeover' && change.findings.length === 0)
    expect(unseen).toEqual([])
  })
})

it('an honest website that becomes another honest one is not hidden', async () => {
  const pages = labelledPages('ordinary')
  const hidden: string[] = []
  for (const [nth, page] of pages.entries()) {
    const before = await lookAtPage(page)
    const after = await lookAtPage({ ...page, html: pages[(nth + 7) % pages.length]?.html ?? '' })
    if (!before.seen || scoreChange(before.seen, after).verdict === 'taken_over') hidden.push(page.name)
  }
  expect(hidden).toEqual([])
})

import { describe, expect, it } from 'vitest'
import { scoreChange } from '../../../src/domain/recheck/score-change.ts'
import { bodyOf, type LabelledPage } from '../review/reviewers/pages.ts'
import { additions, changesOfComments, changesOfTakeovers, pages, snapshotOf, takeovers } from './commented-changes.ts'
import { lookAtPage } from './pair-changes.ts'

describe('a page that visitors write on', () => {
  it('is in a corpus of at least 20 pages and 40 texts', () => {
    expect(pages.length).toBeGreaterThanOrEqual(20)
    expect(new Set(additions.map(({ text }) => text)).size).toBeGreaterThanOrEqual(40)
  })

  it('is hidden for none of the texts, nor for all of them, wherever they are', async () => {
    const changes = await changesOfComments()
    const hidden = changes.filter(({ change }) => change.verdict === 'taken_over')
    expect(hidden.map(({ name }) => name)).toEqual([])
    // Not because review finds nothing in them.
    const refused = new Set(changes.filter(({ isRefused }) => isRefused).map(({ name }) => name))
    expect(refused.size).toBeGreaterThanOrEqual(200)
    const untold = changes.filter(({ isRefused, change }) => isRefused && change.findings.length === 0)
    expect(untold.map(({ name }) => name)).toEqual([])
  })

  it('is a finding where review would refuse it now, with what was refused', async () => {
    const [page, added] = [pages[0], additions[0]] as [LabelledPage, LabelledPage]
    const look = await lookAtPage({ ...page, html: `${page.html}\n${bodyOf(added)}` })
    const phrases = expect.arrayContaining(['verify your account'])
    expect(scoreChange(await snapshotOf(page), look)).toMatchObject({
      verdict: 'changed',
      findings: [{ kind: 'fails_review', evidence: { reason: 'malicious', reviewer: 'phrases', phrases } }],
    })
  })
})

describe('a page that strangers took over', () => {
  it('is hidden, or a finding', async () => {
    expect(takeovers).toHaveLength(40)
    const changes = await changesOfTakeovers()
    const untold = changes.filter(({ change }) => change.findings.length === 0)
    expect(untold.map(({ name }) => name)).toEqual([])
    const visible = changes.filter(({ change }) => change.verdict !== 'taken_over')
    expect(visible.map(({ name }) => name)).toEqual([
      // Its new name has a word of its domain.
      'loafandladder.cafe (casino)',
      // Nothing but the title stayed, and its form is its own.
      'plainquestions.org (phishing form)',
      'papierdebaie.fr (empty)',
      'greenlanetrust.org (empty)',
      'vespadepoca.it (empty)',
    ])
  })
})

import { describe, expect, it } from 'vitest'
import { scoreChange, scoreFaces } from '../../src/continuity/score-change.ts'
import { pageOf } from '../review/pages.ts'
import { lookAtPage } from './pair-changes.ts'

const BAKERY =
  'Sourdough loaves, seeded rolls and cinnamon buns from a wood oven, collected before breakfast.'
const BOILERS = 'Boilers serviced, radiators bled, taps mended. Callouts at weekends.'
const CASINO = 'Play online slots for real money. No deposit bonus, free spins, live casino, sports betting.'

async function look(
  text: string,
  { title = 'Acme', host = 'acme.com', names }: { title?: string; host?: string; names?: string[] } = {},
) {
  const html = pageOf({ language: 'en', title, text, extras: [] })
  const found = await lookAtPage({ host, html }, { issuer: 'Somebody', names: names ?? [host] })
  if (!found.seen) throw new Error('the page must be readable')
  return found
}
const bakery = await look(BAKERY)

describe('a change of a listed page', () => {
  it('is none where only a date differs', async () => {
    const long = Array.from({ length: 30 }, (_, nth) => `${BAKERY} Loaf ${nth}.`).join(' ')
    const before = await look(`${long} Monday`)
    expect(scoreChange(before.seen, await look(`${long} Tuesday`))).toEqual({ verdict: 'same', findings: [] })
  })

  it('is a takeover wherever the page is malicious, changed or not', () => {
    const refusal = { reason: 'malicious', evidence: { list: 'x' } } as const
    expect(scoreChange(bakery.seen, { ...bakery, refusal })).toMatchObject({
      verdict: 'taken_over',
      reason: 'malicious',
      findings: [{ kind: 'taken_over', evidence: { list: 'x' } }],
    })
  })

  it.each(['adult_content', 'policy', 'parked_domain', 'blocklisted'] as const)(
    'is a takeover where another page is refused as %s, and a finding where the same one is',
    async reason => {
      const refusal = { reason, evidence: {} }
      const other = { ...(await look(BOILERS)), refusal }
      expect(scoreChange(bakery.seen, other)).toMatchObject({ verdict: 'taken_over', reason })
      expect(scoreChange(bakery.seen, { ...bakery, refusal })).toMatchObject({
        verdict: 'changed',
        findings: [{ kind: 'fails_review', evidence: { reason } }],
      })
    },
  )

  it('is a takeover on another domain, unless words, certificate or a link say that both belong together', async () => {
    const elsewhere = { host: 'other.com', title: 'Other' }
    expect(scoreChange(bakery.seen, await look(BOILERS, elsewhere))).toMatchObject({
      verdict: 'taken_over',
      reason: 'redirects_elsewhere',
    })
    const moved = { verdict: 'changed', findings: [{ kind: 'moved' }] }
    expect(scoreChange(bakery.seen, await look(BAKERY, elsewhere))).toMatchObject(moved)
    const covered = await look(BOILERS, { ...elsewhere, names: ['other.com', '*.acme.com'] })
    expect(scoreChange(bakery.seen, covered)).toMatchObject(moved)
    const casino = await look(CASINO, { ...elsewhere, names: ['other.com', 'acme.com'] })
    expect(scoreChange(bakery.seen, casino)).toMatchObject({ verdict: 'taken_over', reason: 'policy' })
  })
})

describe('a page with two faces', async () => {
  const casino = await look(CASINO, { title: 'Lucky slots' })
  const two = { findings: expect.arrayContaining([expect.objectContaining({ kind: 'two_faces' })]) }

  it('is a finding, whichever face we see', () => {
    expect(scoreFaces(bakery.seen, bakery, casino)).toMatchObject({ verdict: 'changed', ...two })
    expect(scoreFaces(bakery.seen, casino, bakery)).toMatchObject({ verdict: 'changed', ...two })
  })

  it('is none where both see the same, or browsers see nothing', () => {
    expect(scoreFaces(bakery.seen, bakery, bakery)).toEqual({ verdict: 'same', findings: [] })
    expect(scoreFaces(bakery.seen, casino, casino).verdict).toBe('taken_over')
    expect(scoreFaces(bakery.seen, casino, { why: 'HTTP status 403' }).verdict).toBe('taken_over')
  })
})

import { describe, expect, it } from 'vitest'
import { scoreChange, scoreFaces } from '../../../src/domain/recheck/score-change.ts'
import { pageOf } from '../review/reviewers/pages.ts'
import { lookAtPage } from './pair-changes.ts'

const BAKERY = 'Sourdough loaves, seeded rolls and cinnamon buns from a wood oven, collected before breakfast.'
const BOILERS = 'Boilers serviced, radiators bled, taps mended. Callouts at weekends.'
const CASINO = 'Play online slots for real money. No deposit bonus, free spins, live casino, sports betting.'

async function look(
  text: string,
  {
    title = 'Acme',
    host = 'acme.com',
    names,
    extras = [],
  }: { title?: string; host?: string; names?: string[]; extras?: string[] } = {},
) {
  const html = pageOf({ language: 'en', title, text, extras })
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

  it.each(['malicious', 'adult_content', 'policy', 'parked_domain', 'blocklisted'] as const)(
    'is a takeover where another page is refused as %s, and a finding where the same one is',
    async reason => {
      const refusal = { reviewer: 'x', version: '7', reason, evidence: { list: 'y' } }
      const other = { ...(await look(BOILERS)), refusal }
      expect(scoreChange(bakery.seen, other)).toMatchObject({
        verdict: 'taken_over',
        refusal,
        findings: [{ kind: 'taken_over', evidence: { reason, list: 'y' } }],
      })
      const judged = { reason, reviewer: 'x', version: '7', list: 'y' }
      expect(scoreChange(bakery.seen, { ...bakery, refusal })).toMatchObject({
        verdict: 'changed',
        findings: [{ kind: 'fails_review', evidence: judged, judged }],
      })
      const grown = await look(`${CASINO} ${BAKERY} ${BOILERS}`)
      expect(scoreChange(bakery.seen, { ...grown, refusal }).verdict).toBe('changed')
    },
  )

  it('is a takeover where a refused page has kept nothing but its title', async () => {
    const refusal = { reviewer: 'x', version: '7', reason: 'malicious', evidence: {} } as const
    const before = await look(BAKERY, { title: 'Rye and Barley Bakery' })
    const after = { ...(await look('Sign in to go on.', { title: 'Rye and Barley Bakery' })), refusal }
    expect(scoreChange(before.seen, after)).toMatchObject({ verdict: 'taken_over', refusal })
  })

  it('is a finding where a page with its old name asks for a password, and did not', async () => {
    const title = 'Rye and Barley Bakery'
    const before = await look(BAKERY, { title })
    const after = await look('Sign in to go on.', { title, extras: ['pw'] })
    const flagged = { verdict: 'changed', findings: [{ kind: 'flagged', evidence: { asksPassword: true } }] }
    expect(scoreChange(before.seen, after)).toMatchObject(flagged)
    // An older snapshot does not know whether it did.
    const { asksPassword: _, ...old } = before.seen
    expect(scoreChange(old, after).findings).toEqual([])
    expect(scoreChange(before.seen, await look(BAKERY, { title, extras: ['pw'] })).findings).toEqual([])
  })

  const elsewhere = { host: 'other.com', title: 'Other' }
  const moved = { verdict: 'changed', findings: [{ kind: 'moved' }] }
  const hidden = (reason: string) => ({ verdict: 'taken_over', refusal: { reviewer: 'recheck', reason } })

  it('is a takeover on another domain, unless words, or what it showed before, say that both belong together', async () => {
    const boilers = await look(BOILERS, elsewhere)
    expect(scoreChange(bakery.seen, boilers)).toMatchObject(hidden('redirects_elsewhere'))
    expect(scoreChange(bakery.seen, await look(BAKERY, elsewhere))).toMatchObject(moved)
    const covered = await look(BAKERY, { names: ['acme.com', '*.other.com'] })
    expect(scoreChange(covered.seen, boilers)).toMatchObject(moved)
    const linking = await look(BAKERY, { extras: ['link=www.other.com'] })
    expect(scoreChange(linking.seen, boilers)).toMatchObject(moved)
    expect(scoreChange(linking.seen, await look(CASINO, elsewhere))).toMatchObject(hidden('policy'))
  })

  it('is a takeover on another domain that only vouches for itself: by a link back, a certificate, or the old name', async () => {
    const names = ['other.com', 'acme.com', '*.acme.com']
    for (const self of [{ extras: ['link=acme.com'] }, { names }, { names, extras: ['link=www.acme.com'] }]) {
      const after = await look(BOILERS, { ...elsewhere, ...self })
      expect(scoreChange(bakery.seen, after)).toMatchObject(hidden('redirects_elsewhere'))
    }
    const before = await look(`Rye and barley at rye-and-barley.com. ${BAKERY}`, {
      host: 'rye-and-barley.com',
    })
    const naming = await look(`${BOILERS} Formerly rye-and-barley.com.`, elsewhere)
    expect(scoreChange(before.seen, naming)).toMatchObject(hidden('redirects_elsewhere'))
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

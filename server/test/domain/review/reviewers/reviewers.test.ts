import { describe, expect, it } from 'vitest'
import { parseDestination } from '../../../../src/domain/destinations/destination.ts'
import { type Reviewer, Reviewers } from '../../../../src/domain/review/reviewers/reviewers.ts'
import { cannotTell, flag, PASS, reject } from '../../../../src/domain/review/verdict.ts'
import { readers } from '../../../support/readers.ts'

const destination = parseDestination('https://acme.com/')
const fetched = await readers.read({ body: Buffer.from('<title>Acme'), url: destination.url, headers: {} })
if (fetched.verdict !== 'pass') throw new Error('the page must be readable')
const { page } = fetched

const asked: string[] = []
const reviewer = (name: string, review: Reviewer['review'], more: Partial<Reviewer> = {}): Reviewer => ({
  name,
  version: '7',
  limits: { timeoutMs: 50, failuresMax: 2, pauseMs: 60_000 },
  review: (...args) => {
    asked.push(name)
    return review(...args)
  },
  ...more,
})
const passes = reviewer('passes', () => PASS)
const refuses = reviewer('refuses', async () => reject('policy', 'No.', { seen: 'it' }))
const isUnsure = reviewer('is unsure', () => cannotTell('the list is gone'))
const flags = reviewer('flags', () => flag('malicious', { seen: 'half of it' }))
const fails = reviewer('fails', () => Promise.reject('a string'))
const online = (each: Reviewer): Reviewer => ({ ...each, isOnline: true })

const logged: unknown[] = []
const log = { warn: (facts: unknown) => logged.push(facts), info: (facts: unknown) => logged.push(facts) }

function seated(reviewers: Reviewer[], decides = true): Reviewers {
  const all = new Reviewers(reviewers.map(each => ({ reviewer: each, decides })))
  all.start(log as never)
  return all
}

async function review(...reviewers: Reviewer[]) {
  asked.length = 0
  logged.length = 0
  return seated(reviewers).review(page, destination)
}

describe('the reviewers', () => {
  it('let a page pass when all do', async () => {
    expect(await review(passes, passes)).toMatchObject(PASS)
    expect(await review()).toEqual({ ...PASS, verdicts: [] })
  })

  it('refuse it when one does, and ask no further', async () => {
    expect(await review(passes, refuses, passes)).toEqual({
      ...reject('policy', 'No.', { seen: 'it' }),
      verdicts: [
        { reviewer: 'passes', version: '7', outcome: 'pass', evidence: {} },
        { reviewer: 'refuses', version: '7', outcome: 'reject', reason: 'policy', evidence: { seen: 'it' } },
      ],
    })
    expect(asked).toEqual(['passes', 'refuses'])
  })

  it('send no page to other servers that is refused offline', async () => {
    expect(await review(online(passes), refuses)).toMatchObject({ verdict: 'reject' })
    expect(asked).toEqual(['refuses'])
  })

  it('cannot tell when one cannot, whatever the others say', async () => {
    const why = 'is unsure: the list is gone'
    expect(await review(isUnsure, passes)).toMatchObject({ verdict: 'cannot_tell', why })
    expect(asked).toEqual(['is unsure', 'passes'])
  })

  it('refuse it even after one could not tell', async () => {
    expect(await review(isUnsure, refuses)).toMatchObject({ verdict: 'reject' })
    expect(await review(online(isUnsure), online(refuses))).toMatchObject({ verdict: 'reject' })
  })

  it('let a flagged page pass, and log what was found', async () => {
    expect(await review(flags)).toMatchObject({
      verdict: 'pass',
      verdicts: [{ outcome: 'flag', reason: 'malicious', evidence: { seen: 'half of it' } }],
    })
    expect(logged).toEqual([
      { reviewer: 'flags', host: 'acme.com', reason: 'malicious', evidence: { seen: 'half of it' } },
    ])
  })

  it('only flag where one is not to decide', async () => {
    logged.length = 0
    expect(await seated([refuses], false).review(page, destination)).toMatchObject({
      verdict: 'pass',
      verdicts: [{ outcome: 'flag', reason: 'policy', evidence: { seen: 'it', detail: 'No.' } }],
    })
    expect(logged).toHaveLength(1)
  })

  it('go on without one that is not to decide and cannot tell', async () => {
    logged.length = 0
    expect(await seated([isUnsure], false).review(page, destination)).toEqual({ ...PASS, verdicts: [] })
    expect(logged).toEqual([{ reviewer: 'is unsure', why: 'the list is gone' }])
  })

  it('cannot tell when one throws', async () => {
    expect(await review(fails)).toMatchObject({ verdict: 'cannot_tell', why: 'fails: a string' })
  })

  it('cannot tell when one takes too long, and tell it to stop', async () => {
    let stopped = false
    const slow = reviewer('is slow', (_page, _destination, signal) => {
      signal.addEventListener('abort', () => {
        stopped = true
      })
      return new Promise(() => {})
    })
    expect(await review(slow)).toMatchObject({
      verdict: 'cannot_tell',
      why: 'is slow: no answer within 50 ms',
    })
    expect(stopped).toBe(true)
  })

  it('pause one that failed repeatedly', async () => {
    const all = seated([fails])
    asked.length = 0
    await all.review(page, destination)
    await all.review(page, destination)
    expect(await all.review(page, destination)).toMatchObject({
      verdict: 'cannot_tell',
      why: 'fails: it failed repeatedly and is paused for a while',
    })
    expect(asked).toHaveLength(2)
  })

  it('never pause one that works offline', async () => {
    let isBroken = true
    const local: Reviewer = {
      name: 'local',
      version: '1',
      review: () => {
        if (isBroken) throw new Error('this page is too much')
        return PASS
      },
    }
    const all = new Reviewers([{ reviewer: local, decides: true }])
    for (let time = 0; time < 6; time++) await all.review(page, destination)
    isBroken = false
    expect((await all.review(page, destination)).verdict).toBe('pass')
  })

  it('ask again about a refusal and a failure, but not about a pass', async () => {
    for (const [each, times] of [
      [passes, 1],
      [refuses, 2],
      [isUnsure, 2],
    ] as const) {
      const all = seated([{ ...each, cacheKey: () => 'the same' }])
      asked.length = 0
      await all.review(page, destination)
      await all.review(page, destination)
      expect(asked).toHaveLength(times)
    }
  })

  it('are shown the page and the destination', async () => {
    const seen: unknown[] = []
    await review(
      reviewer('looks', (...args) => {
        seen.push(...args)
        return PASS
      }),
    )
    expect(seen.slice(0, 2)).toEqual([page, destination])
  })
})

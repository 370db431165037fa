import { describe, expect, it } from 'vitest'
import { parseDestination } from '../../src/destinations/destination.ts'
import { cannotTell, PASS, reject } from '../../src/destinations/verdict.ts'
import { type Reviewer, reviewPage } from '../../src/review/reviewers.ts'
import { readers } from '../support/readers.ts'

const destination = parseDestination('https://acme.com/')
const fetched = await readers.read({ body: Buffer.from('<title>Acme'), url: destination.url, headers: {} })
if (fetched.verdict !== 'pass') throw new Error('the page must be readable')
const { page } = fetched

const asked: string[] = []
const reviewer = (name: string, review: Reviewer['review']): Reviewer => ({
  name,
  review: (...args) => {
    asked.push(name)
    return review(...args)
  },
})
const passes = reviewer('passes', () => PASS)
const refuses = reviewer('refuses', async () => reject('policy', 'No.'))
const isUnsure = reviewer('is unsure', () => cannotTell('the list is gone'))
const throws = reviewer('throws', () => {
  throw new Error('oops')
})
const fails = reviewer('fails', () => Promise.reject('a string'))

async function review(...reviewers: Reviewer[]) {
  asked.length = 0
  return reviewPage(reviewers, page, destination, 50)
}

describe('the reviewers', () => {
  it('let a page pass when all do', async () => {
    expect(await review(passes, passes)).toEqual(PASS)
    expect(await review()).toEqual(PASS)
  })

  it('refuse it when one does, and ask no further', async () => {
    expect(await review(passes, refuses, passes)).toEqual({
      verdict: 'reject',
      reason: 'policy',
      detail: 'No.',
    })
    expect(asked).toEqual(['passes', 'refuses'])
  })

  it('cannot tell when one cannot, whatever the others say', async () => {
    expect(await review(isUnsure, passes)).toEqual({
      verdict: 'cannot_tell',
      why: 'is unsure: the list is gone',
    })
    expect(asked).toEqual(['is unsure', 'passes'])
  })

  it('refuse it even after one could not tell', async () => {
    expect(await review(isUnsure, refuses)).toMatchObject({ verdict: 'reject' })
  })

  it('cannot tell when one throws', async () => {
    expect(await review(throws)).toEqual({ verdict: 'cannot_tell', why: 'throws: oops' })
    expect(await review(fails)).toEqual({ verdict: 'cannot_tell', why: 'fails: a string' })
  })

  it('cannot tell when one takes too long, and tell it to stop', async () => {
    let stopped = false
    const slow = reviewer('is slow', (_page, _destination, signal) => {
      signal.addEventListener('abort', () => {
        stopped = true
      })
      return new Promise(() => {})
    })
    expect(await review(slow)).toEqual({ verdict: 'cannot_tell', why: 'is slow: no answer within 50 ms' })
    expect(stopped).toBe(true)
  })

  it('are shown the page and the destination', async () => {
    const seen: unknown[] = []
    const looks = reviewer('looks', (...args) => {
      seen.push(...args)
      return PASS
    })
    await review(looks)
    expect(seen.slice(0, 2)).toEqual([page, destination])
  })
})

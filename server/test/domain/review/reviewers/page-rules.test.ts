import { describe, expect, it } from 'vitest'
import { parseDestination } from '../../../../src/domain/destinations/destination.ts'
import { pageRules } from '../../../../src/domain/review/reviewers/page-rules.ts'
import { readers } from '../../../support/readers.ts'
import { ADULT, EMPTY, HONEST, PARKED, PASSWORDS, type ReviewCase, SENT_AWAY } from './corpus.ts'

/** The verdict of the page rules, which must be as the case says. */
async function expectRuling({ html, headers, url = 'https://acme.com/', reason, detail }: ReviewCase) {
  const all = { 'content-type': 'text/html; charset=utf-8', ...headers }
  const fetched = await readers.read({ body: Buffer.from(html), url, headers: all })
  if (fetched.verdict !== 'pass') throw new Error(`not read: ${JSON.stringify(fetched)}`)
  const ruling = await pageRules.review(fetched.page, parseDestination(url), new AbortController().signal)
  if (reason === undefined) expect(ruling).toEqual({ verdict: 'pass' })
  else expect(ruling).toMatchObject({ verdict: 'reject', reason, ...(detail && { detail }) })
}

describe('an honest page passes', () => {
  it.each(HONEST)('$what', expectRuling)
})
describe('an empty page is refused', () => {
  it.each(EMPTY)('$what', expectRuling)
})
describe('a parked domain is refused', () => {
  it.each(PARKED)('$what', expectRuling)
})
describe('adult content is refused', () => {
  it.each(ADULT)('$what', expectRuling)
})
describe('a page that sends its visitors away is refused', () => {
  it.each(SENT_AWAY)('$what', expectRuling)
})
describe('a page that sends passwords elsewhere is refused', () => {
  it.each(PASSWORDS)('$what', expectRuling)
})

import { describe, expect, it } from 'vitest'
import { parseDestination } from '../../../../src/domain/destinations/destination.ts'
import { pageRules } from '../../../../src/domain/review/reviewers/page-rules.ts'
import { readers } from '../../../support/readers.ts'
import { ADULT, EMPTY, HONEST, PARKED, PASSWORDS, type ReviewCase, SENT_AWAY, SHARED_LOGINS } from './corpus.ts'

/** The verdict of the page rules, which must be as the case says. */
async function expectRuling({ reason, detail, ...given }: ReviewCase) {
  const ruling = await rulingOn(given)
  if (reason === undefined) expect(ruling).toEqual({ verdict: 'pass' })
  else expect(ruling).toMatchObject({ verdict: 'reject', reason, ...(detail && { detail }) })
}

async function rulingOn({ html, headers, url = 'https://acme.com/' }: ReviewCase) {
  const all = { 'content-type': 'text/html; charset=utf-8', ...headers }
  const fetched = await readers.read({ body: Buffer.from(html), url, headers: all })
  if (fetched.verdict !== 'pass') throw new Error(`not read: ${JSON.stringify(fetched)}`)
  return pageRules.review(fetched.page, parseDestination(url), new AbortController().signal)
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
describe('a page that signs its readers in at another website, which it links to or loads from, is flagged', () => {
  it.each(SHARED_LOGINS)('$what', async given => {
    const flag = { verdict: 'flag', reason: 'malicious', evidence: { hosts: ['login.hub.com'] } }
    expect(await rulingOn(given)).toEqual(flag)
    const adult = `<meta name=rating content=adult>${given.html}`
    expect(await rulingOn({ ...given, html: adult })).toMatchObject({ verdict: 'reject', reason: 'adult_content' })
  })
})

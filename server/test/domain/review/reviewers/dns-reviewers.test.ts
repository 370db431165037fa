import { describe, expect, it } from 'vitest'
import { parseDestination } from '../../../../src/domain/destinations/destination.ts'
import { DnsBlocklists } from '../../../../src/domain/review/reviewers/dns-blocklists.ts'
import { DnsFilter } from '../../../../src/domain/review/reviewers/dns-filter.ts'
import type { Reviewer } from '../../../../src/domain/review/reviewers/reviewers.ts'
import { Reviewers } from '../../../../src/domain/review/reviewers/reviewers.ts'
import { addresses, dnsServerForTest, type Lie, NXDOMAIN, REFUSED, SERVFAIL } from '../../../support/dns-server.ts'
import { readers } from '../../../support/readers.ts'

const destination = parseDestination('https://shop.acme.com/')
const fetched = await readers.read({ body: Buffer.from('<title>Acme'), url: destination.url, headers: {} })
if (fetched.verdict !== 'pass') throw new Error('the page must be readable')
const { page } = fetched

const opinionOf = async (reviewer: Reviewer) => {
  const { verdicts } = await new Reviewers([{ reviewer, decides: true }]).review(page, destination)
  return verdicts[0]
}
const none: Lie = { code: NXDOMAIN }

describe('a filtering resolver, compared with a plain one', () => {
  async function opinion(filtered: Lie | 'address', plain: Lie | 'address') {
    const [filtering, unfiltered] = await Promise.all(
      [filtered, plain].map(lie =>
        dnsServerForTest(question => (lie === 'address' ? addresses(question, '192.0.2.1') : lie)),
      ),
    )
    const reviewer = new DnsFilter({
      filtering: filtering?.address as string,
      plain: unfiltered?.address as string,
    })
    return { ...(await opinionOf(reviewer)), plainAsked: unfiltered?.questions.length }
  }

  it('passes what the filter knows, and does not ask the other', async () => {
    expect(await opinion('address', none)).toMatchObject({ outcome: 'pass', plainAsked: 0 })
    expect(await opinion({ records: [] }, none)).toMatchObject({ outcome: 'pass' })
  })

  it('refuses what only the filter hides', async () => {
    expect(await opinion(none, 'address')).toMatchObject({
      outcome: 'reject',
      reason: 'malicious',
      evidence: { host: 'shop.acme.com' },
    })
  })

  it.each<[string, Lie, Lie | 'address']>([
    ['neither knows it', none, none],
    ['the filter fails', { code: SERVFAIL }, 'address'],
    ['the filter refuses', { code: REFUSED }, 'address'],
    ['the other fails', none, { code: SERVFAIL }],
    ['the filter says nothing', 'silence', 'address'],
    ['the filter says rubbish', Buffer.from('rubbish'), 'address'],
  ])('cannot tell if %s', async (_what, filtered, plain) => {
    expect(await opinion(filtered, plain)).toMatchObject({ outcome: 'cannot_tell' })
  })

  it('is not paused when it fails for some names, because their owners can cause that', async () => {
    let fails = true
    const filter = await dnsServerForTest(question => (fails ? { code: SERVFAIL } : addresses(question, '192.0.2.1')))
    const reviewer = new DnsFilter({ filtering: filter.address, plain: filter.address })
    const all = new Reviewers([{ reviewer, decides: true }])
    for (let time = 0; time < 6; time++) expect((await all.review(page, destination)).verdict).toBe('cannot_tell')
    fails = false
    expect((await all.review(page, destination)).verdict).toBe('pass')
  })

  it('cannot tell if the filter answers 0.0.0.0, which is another rule', async () => {
    const filter = await dnsServerForTest(question => addresses(question, '0.0.0.0'))
    const reviewer = new DnsFilter({ filtering: filter.address, plain: filter.address })
    expect(await opinionOf(reviewer)).toMatchObject({ outcome: 'cannot_tell' })
  })
})

describe('DNS blocklists', () => {
  async function opinion(zone: string, lie: Lie | string) {
    const server = await dnsServerForTest(question =>
      typeof lie === 'string' && lie !== 'silence' ? addresses(question, lie) : (lie as Lie),
    )
    const given = await opinionOf(new DnsBlocklists([zone], [server.address]))
    return { ...given, asked: server.questions[0]?.name }
  }

  it('are asked for the domain', async () => {
    expect(await opinion('dbl.spamhaus.org', none)).toMatchObject({
      outcome: 'pass',
      asked: 'acme.com.dbl.spamhaus.org',
    })
  })

  it.each([
    ['dbl.spamhaus.org', '127.0.1.2', 'reject', 'blocklisted'],
    ['dbl.spamhaus.org', '127.0.1.4', 'reject', 'malicious'],
    ['key.dbl.dq.spamhaus.net', '127.0.1.5', 'reject', 'malicious'],
    ['dbl.spamhaus.org', '127.0.1.6', 'reject', 'malicious'],
    ['dbl.spamhaus.org', '127.0.1.104', 'flag', 'malicious'],
    ['key.zrd.dq.spamhaus.net', '127.0.2.2', 'flag', 'policy'],
    ['key.zrd.dq.spamhaus.net', '127.0.2.24', 'flag', 'policy'],
    ['multi.surbl.org', '127.0.0.8', 'reject', 'malicious'],
    ['multi.surbl.org', '127.0.0.80', 'reject', 'malicious'],
    ['multi.surbl.org', '127.0.0.64', 'reject', 'blocklisted'],
    ['multi.surbl.org', '127.0.0.128', 'flag', 'malicious'],
  ])('%s, %s: %s', async (zone, code, outcome, reason) => {
    const given = await opinion(zone, code)
    expect(given).toMatchObject({ outcome, reason, evidence: { code, domain: 'acme.com' } })
    // The zone of a customer holds a key.
    expect(JSON.stringify(given.evidence)).not.toContain('key')
  })

  it.each([
    ['dbl.spamhaus.org', '127.255.255.252'],
    ['dbl.spamhaus.org', '127.255.255.254'],
    ['dbl.spamhaus.org', '127.255.255.255'],
    ['dbl.spamhaus.org', '127.0.1.255'],
    ['dbl.spamhaus.org', '127.0.1.7'],
    ['dbl.spamhaus.org', '192.0.2.1'],
    ['key.zrd.dq.spamhaus.net', '127.0.2.25'],
    ['key.zrd.dq.spamhaus.net', '127.0.2.1'],
    ['multi.surbl.org', '127.0.0.1'],
    ['multi.surbl.org', '127.0.0.2'],
    ['multi.surbl.org', '127.0.0.9'],
  ])('%s, %s is no answer', async (zone, code) => {
    expect(await opinion(zone, code)).toMatchObject({ outcome: 'cannot_tell' })
  })

  it.each<[string, Lie]>([
    ['fails', { code: SERVFAIL }],
    ['refuses', { code: REFUSED }],
    ['says nothing', 'silence'],
  ])('cannot tell if the resolver %s', async (_what, lie) => {
    expect(await opinion('dbl.spamhaus.org', lie)).toMatchObject({ outcome: 'cannot_tell' })
  })
})

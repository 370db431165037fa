import { createServer, type Server } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseDestination } from '../../../../src/domain/destinations/destination.ts'
import {
  addresses,
  type DnsServer,
  dnsServerForTest,
  type Lie,
  NXDOMAIN,
  type Question,
  SERVFAIL,
} from '../../../support/dns-server.ts'
import { respond, startWebServer } from '../../../support/web-server.ts'
import { fetcherFor } from './fetching.ts'

const NOT_PUBLIC = { verdict: 'reject', reason: 'not_public' }
/** Only answered together with a private address or too late, so that no test leaves this machine. */
const PUBLIC = '93.184.216.34'

let dns: DnsServer

async function fetchByDns(answer: (question: Question, nth: number) => Lie, address = 'http://acme.com/') {
  dns = await dnsServerForTest(answer)
  const fetchPage = fetcherFor(undefined, { dnsServers: [dns.address], limits: { dnsMs: 500 } })
  return fetchPage(parseDestination(address))
}

describe('a name that leads inside', () => {
  let inside: Server
  let visits = 0
  beforeEach(async () => {
    visits = 0
    inside = createServer(socket => {
      visits++
      socket.destroy()
    })
    // The port that the fetcher would connect to. If we cannot bind it, nothing listens there anyway.
    await new Promise<void>(resolve => {
      inside.once('error', () => resolve())
      inside.listen(80, '127.0.0.1', resolve)
    })
  })
  afterEach(() => new Promise(resolve => inside.close(resolve)))

  it.each([
    ['loopback', ['127.0.0.1']],
    ['loopback in IPv6', ['::1']],
    ['mapped loopback', ['::ffff:127.0.0.1']],
    ['this host', ['0.0.0.0']],
    ['loopback after a public address', [PUBLIC, '127.0.0.1']],
    ['loopback before a public address', ['127.0.0.1', PUBLIC]],
    ['a private network', ['10.1.2.3']],
    ['the metadata service', ['169.254.169.254']],
  ])('(%s) is not public, and is not connected to', async (_where, ips) => {
    expect(await fetchByDns(question => addresses(question, ...ips))).toEqual(NOT_PUBLIC)
    expect(visits).toBe(0)
  })

  it('reads like a name that does not exist', async () => {
    expect(await fetchByDns(() => ({ code: NXDOMAIN }))).toEqual(NOT_PUBLIC)
  })

  it('only at first is asked once: no second answer can replace the checked one', async () => {
    const rebinding = (question: Question, nth: number) => addresses(question, nth <= 2 ? '127.0.0.1' : PUBLIC)
    expect(await fetchByDns(rebinding)).toEqual(NOT_PUBLIC)
    expect(dns?.questions).toHaveLength(2)
    expect(visits).toBe(0)
  })

  it('only after a redirect is caught at that hop', async () => {
    const outside = await startWebServer(socket =>
      respond(socket, { status: 302, headers: { Location: 'http://in.acme.com/' } }),
    )
    dns = await dnsServerForTest(question => addresses(question, '127.0.0.1'))
    const connectTo = [{ host: 'acme.com', port: 80, toHost: '127.0.0.1', toPort: outside.port }]
    const fetched = await fetcherFor(undefined, { dnsServers: [dns.address], connectTo })(
      parseDestination('http://acme.com/'),
    )
    await outside.close()
    expect(fetched).toEqual(NOT_PUBLIC)
    expect(dns.questions.map(({ name }) => name)).toEqual(['in.acme.com', 'in.acme.com'])
    expect(visits).toBe(0)
  })

  it('at another port than a rule names gets no exception', async () => {
    dns = await dnsServerForTest(question => addresses(question, '127.0.0.1'))
    const connectTo = [{ host: 'acme.com', port: 443, toHost: '127.0.0.1', toPort: 9 }]
    expect(
      await fetcherFor(undefined, { dnsServers: [dns.address], connectTo })(parseDestination('http://acme.com/')),
    ).toEqual(NOT_PUBLIC)
    expect(visits).toBe(0)
  })
})

describe('a name that cannot be resolved right now', () => {
  it.each<[string, Lie]>([
    ['fails', { code: SERVFAIL }],
    ['stays silent', 'silence'],
  ])('because the name server %s may work later', async (_what, lie) => {
    expect(await fetchByDns(() => lie)).toMatchObject({
      verdict: 'cannot_tell',
      why: expect.stringMatching(/^DNS: /),
    })
  })
})

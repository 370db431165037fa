import { type Answer, encode } from 'dns-packet'
import { describe, expect, it } from 'vitest'
import { resolvePublic } from '../../../../src/domain/review/fetcher/dns.ts'
import {
  addresses,
  type DnsServer,
  dnsServerForTest,
  type Lie,
  NXDOMAIN,
  type Question,
  REFUSED,
  SERVFAIL,
} from '../../../support/dns-server.ts'

let server: DnsServer

async function resolveWith(
  answer: (question: Question, nth: number) => Lie,
  { timeoutMs = 60_000, host = 'acme.com' } = {},
) {
  server = await dnsServerForTest(answer)
  return resolvePublic(host, {
    dnsServers: [server.address],
    timeoutMs,
    signal: new AbortController().signal,
  })
}

const PUBLIC = ['93.184.216.34', '2606:2800:220:1::1']
const NOT_PUBLIC = { verdict: 'reject', reason: 'not_public' }

describe('a name resolves', () => {
  it('to all its public addresses of both families', async () => {
    expect(await resolveWith(question => addresses(question, ...PUBLIC))).toEqual({
      verdict: 'pass',
      addresses: PUBLIC,
    })
    expect(server.questions.map(({ name, type }) => `${name} ${type}`).sort()).toEqual(['acme.com A', 'acme.com AAAA'])
  })

  it('through an alias', async () => {
    const alias = (question: Question): Answer[] => [
      { type: 'CNAME', name: question.name, data: 'cdn.acme.net' },
      ...addresses({ ...question, name: 'cdn.acme.net' }, '93.184.216.34').records,
    ]
    expect(await resolveWith(question => ({ records: alias(question) }))).toMatchObject({
      addresses: ['93.184.216.34'],
    })
  })

  it('to eight addresses at most', async () => {
    const many = Array.from({ length: 20 }, (_, n) => `93.184.216.${n}`)
    const resolved = await resolveWith(question => addresses(question, ...many))
    expect(resolved).toEqual({ verdict: 'pass', addresses: expect.objectContaining({ length: 8 }) })
  })

  it.each([
    ['does not answer', 'silence' as const],
    ['fails', { code: SERVFAIL }],
  ])('with one family when the question for the other %s', async (_what, lie) => {
    const answer = (question: Question) => (question.type === 'AAAA' ? lie : addresses(question, ...PUBLIC))
    const resolved = await resolveWith(answer, { timeoutMs: lie === 'silence' ? 3_000 : 60_000 })
    expect(resolved).toEqual({ verdict: 'pass', addresses: ['93.184.216.34'] })
  })
})

describe('a name is not public, said in one way,', () => {
  const after = (n: number, ip: string) => [...Array.from({ length: n }, (_, i) => `93.184.216.${i}`), ip]
  it.each<[string, (question: Question) => Lie]>([
    ['when there is no such name', () => ({ code: NXDOMAIN })],
    ['when it has no addresses', () => ({})],
    ['when it has one private address', question => addresses(question, '10.0.0.1')],
    ['when it is loopback', question => addresses(question, '127.0.0.1')],
    ['when it is the metadata service', question => addresses(question, '169.254.169.254')],
    ['when one of several answers is private', question => addresses(question, '93.184.216.34', '192.168.1.1')],
    ['when only the IPv6 answer is private', question => addresses(question, '93.184.216.34', '::1')],
    ['when the IPv6 answer carries IPv4', question => addresses(question, '::ffff:93.184.216.34')],
    ['when the ninth answer is private', question => addresses(question, ...after(8, '10.0.0.1'))],
    [
      'when its alias leads to a private name',
      question => ({
        records: [
          { type: 'CNAME', name: 'acme.com', data: 'localhost' },
          ...addresses({ ...question, name: 'localhost' }, '127.0.0.1').records,
        ],
      }),
    ],
    [
      'when one family is private and the other fails',
      question => (question.type === 'A' ? addresses(question, '10.0.0.1') : { code: SERVFAIL }),
    ],
  ])('%s', async (_when, answer) => {
    expect(await resolveWith(answer)).toEqual(NOT_PUBLIC)
  })
})

describe('a name cannot be told for now', () => {
  const truncated = { flags: 0x0200 }
  it.each<[string, (question: Question) => Lie]>([
    ['when the server fails', () => ({ code: SERVFAIL })],
    ['when the server refuses', () => ({ code: REFUSED })],
    ['when nothing answers', () => 'silence'],
    ['when only garbage answers', () => Buffer.from('garbage, garbage, garbage')],
    ['when the answer carries another id', question => ({ ...addresses(question, ...PUBLIC), id: 1 })],
    ['when the answer is cut and TCP is closed', question => ({ ...addresses(question, ...PUBLIC), ...truncated })],
    ['when one family has nothing and the other fails', ({ type }) => (type === 'A' ? {} : { code: SERVFAIL })],
  ])('%s', async (_when, answer) => {
    expect(await resolveWith(answer, { timeoutMs: 300 })).toMatchObject({ verdict: 'cannot_tell' })
  })

  it('when the answer is to another question', async () => {
    const other = encode({ type: 'response', flags: 0x0180, questions: [{ type: 'A', name: 'evil.com' }] })
    expect(await resolveWith(() => other, { timeoutMs: 300 })).toMatchObject({ verdict: 'cannot_tell' })
  })

  it('when the fetch is stopped', async () => {
    server = await dnsServerForTest(() => 'silence')
    const stopping = new AbortController()
    setTimeout(() => stopping.abort(), 50)
    const resolved = await resolvePublic('acme.com', {
      dnsServers: [server.address],
      timeoutMs: 600_000,
      signal: stopping.signal,
    })
    expect(resolved).toMatchObject({ verdict: 'cannot_tell' })
  })
})

describe('only the DNS answers:', () => {
  it.each(['localhost', '127.0.0.1', '93.184.216.34'])('%s is asked like any name', async host => {
    expect(await resolveWith(() => ({ code: NXDOMAIN }), { host })).toEqual(NOT_PUBLIC)
    expect(server.questions.map(question => question.name)).toContain(host)
  })
})

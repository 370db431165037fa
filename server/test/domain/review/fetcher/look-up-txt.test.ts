import { describe, expect, it } from 'vitest'
import { lookUpTxt } from '../../../../src/domain/review/fetcher/dns.ts'
import {
  type DnsServer,
  dnsServerForTest,
  type Lie,
  NXDOMAIN,
  type Question,
  REFUSED,
  SERVFAIL,
} from '../../../support/dns-server.ts'

let server: DnsServer

const NAME = '_placard-challenge.acme.com'

async function lookUp(answer: (question: Question) => Lie, { name = NAME, timeoutMs = 60_000 } = {}) {
  server = await dnsServerForTest(answer)
  return lookUpTxt(name, { dnsServers: [server.address], timeoutMs })
}

/** TXT records of the name asked for, each of one or several pieces. */
const records =
  (...texts: (string | string[])[]) =>
  ({ name }: Question): Lie => ({
    records: texts.map(data => ({ type: 'TXT' as const, name, ttl: 0, data })),
  })

describe('the texts of a name', () => {
  it('are those of all its records', async () => {
    expect(await lookUp(records('one', 'two'))).toEqual(['one', 'two'])
    expect(server.questions).toEqual([{ name: NAME, type: 'TXT' }])
  })

  it('are put together from their pieces', async () => {
    expect(await lookUp(records(['one ', 'and ', 'more'], ['', 'x', '']))).toEqual(['one and more', 'x'])
  })

  it('are found through an alias', async () => {
    const alias = ({ name }: Question): Lie => ({
      records: [
        { type: 'CNAME', name, data: 'proof.acme.net' },
        { type: 'TXT', name: 'proof.acme.net', ttl: 0, data: 'here' },
      ],
    })
    expect(await lookUp(alias)).toEqual(['here'])
  })

  it('are twenty at most', async () => {
    const many = Array.from({ length: 60 }, (_, n) => `${n}`)
    expect(await lookUp(records(...many))).toEqual(many.slice(0, 20))
  })

  it.each<[string, (question: Question) => Lie]>([
    ['when there is no such name', () => ({ code: NXDOMAIN })],
    ['when the name has other records only', () => ({})],
  ])('are none %s', async (_when, answer) => {
    expect(await lookUp(answer)).toEqual([])
  })

  it('are none for a name that cannot be', async () => {
    expect(await lookUp(records('no'), { name: `_placard-challenge.${'a'.repeat(64)}.com` })).toEqual([])
  })
})

describe('the DNS could not be asked', () => {
  it.each<[string, (question: Question) => Lie]>([
    ['when the server fails', () => ({ code: SERVFAIL })],
    ['when the server refuses', () => ({ code: REFUSED })],
    ['when nothing answers', () => 'silence'],
    ['when only garbage answers', () => Buffer.from('garbage, garbage, garbage')],
    ['when the answer carries another id', question => ({ ...(records('no')(question) as object), id: 1 })],
    [
      'when the answer is cut and TCP is closed',
      question => ({ ...(records('no')(question) as object), flags: 0x0200 }),
    ],
  ])('%s', async (_when, answer) => {
    expect(await lookUp(answer, { timeoutMs: 300 })).toBeUndefined()
  })
})

describe('hostile records', () => {
  it.each<[string, (question: Question) => Lie]>([
    ['a thousand of them', records(...Array.from({ length: 1_000 }, (_, n) => `record ${n}`))],
    ['one of 50,000 letters', records(Array.from({ length: 200 }, () => 'x'.repeat(250)))],
    ['an answer of 60,000 bytes', records(...Array.from({ length: 220 }, () => 'x'.repeat(250)))],
    ['bytes that are no text', records('\0\x01\xff\xfe\ud800')],
  ])('(%s) do no harm', async (_what, answer) => {
    const texts = await lookUp(answer, { timeoutMs: 300 })
    expect(texts === undefined || texts.length <= 20).toBe(true)
  })
})

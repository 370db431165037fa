// @module-tag slow
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseDestination } from '../../../src/domain/destinations/destination.ts'
import { createSiteProofChecker } from '../../../src/domain/ownership/check-site-proof.ts'
import {
  PROOF_LIFETIME_MS,
  type ProofPlace,
  SiteProofs,
  tokenMatcher,
} from '../../../src/domain/ownership/site-proof.ts'
import type { GuardedFetcherOptions } from '../../../src/domain/review/fetcher/guarded-fetcher.ts'
import type { FetchLimits } from '../../../src/domain/review/fetcher/limits.ts'
import { selfSigned } from '../../support/certificates.ts'
import {
  addresses,
  type DnsServer,
  type Lie,
  NXDOMAIN,
  type Question,
  REFUSED,
  SERVFAIL,
  startDnsServer,
} from '../../support/dns-server.ts'
import { FIXED_KEYS } from '../../support/keys.ts'
import { readers } from '../../support/readers.ts'
import { type Reply, respond, startWebServer, type WebServer } from '../../support/web-server.ts'
import { guardedFetcherFor, nothingLeftOpen } from '../review/fetcher/fetching.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const ACME = parseDestination('http://acme.com/')
const proofs = new SiteProofs(FIXED_KEYS)
const cookie = proofs.begin(NOW)
const tokenFor = (destination = ACME, browser = cookie, now = NOW) =>
  proofs.running(browser, destination.key, now)?.token ?? ''
const TOKEN = tokenFor()

/** What the website and its name servers show; the tests change it. */
let file: Reply
let page: Reply
let txt: (question: Question) => Lie
let server: WebServer
let dns: DnsServer
beforeEach(async () => {
  file = socket => respond(socket, { status: 404, body: TOKEN, headers: PLAIN })
  page = html('<title>Acme</title><p>Hello')
  txt = () => ({ code: NXDOMAIN })
  server = await startWebServer((socket, heard) =>
    (heard.target === '/.well-known/placard.txt' ? file : page)(socket, heard),
  )
  dns = await startDnsServer(question => txt(question))
})
afterEach(async () => {
  await server.close()
  await dns.close()
})

const PLAIN = { 'Content-Type': 'text/plain' }
const text =
  (body: string | Uint8Array): Reply =>
  socket =>
    respond(socket, { body, headers: PLAIN })
const html =
  (body: string): Reply =>
  socket =>
    respond(socket, { body })
const redirect =
  (location: string): Reply =>
  socket =>
    respond(socket, { status: 302, headers: { Location: location } })
const silence: Reply = () => {}
/** Replies that never end. */
const ENDLESS = new Set([silence])
const silentDns = (): Lie => 'silence'
const meta = (token = TOKEN) => `<meta name="placard-challenge" content="${token}">`
const records =
  (...texts: (string | string[])[]) =>
  ({ name }: Question): Lie => ({
    records: texts.map(data => ({ type: 'TXT' as const, name, ttl: 0, data })),
  })

/** Only checks that wait in vain are short. Others would fail on a busy machine. */
function limitsNow(): { fetch: Partial<FetchLimits>; proof: { dnsMs: number; fileMs: number } } {
  const isEndless = ENDLESS.has(file) || ENDLESS.has(page) || txt === silentDns
  const [partMs, wholeMs] = isEndless ? [500, 1_000] : [60_000, 60_000]
  return {
    fetch: { totalMs: wholeMs, connectMs: partMs, headersMs: partMs, dnsMs: wholeMs },
    proof: { dnsMs: wholeMs, fileMs: partMs },
  }
}

function checker({ limits, ...options }: Partial<GuardedFetcherOptions> = {}, dnsServers = [dns.address]) {
  const { fetch, proof } = limitsNow()
  const fetcher = guardedFetcherFor(server, { limits: { ...fetch, ...limits }, dnsServers: [dns.address], ...options })
  return createSiteProofChecker({ fetcher, readers, dnsServers, limits: proof })
}

/** Checks once, and verifies that nothing stays open. */
async function check(token = TOKEN, destination = ACME, options: Partial<GuardedFetcherOptions> = {}) {
  const outcome = await checker(options)(destination, tokenMatcher(token))
  await nothingLeftOpen(server)
  return outcome
}

/** The finding at one place, in a check without success. */
async function seenAt(place: ProofPlace, ...how: Parameters<typeof check>) {
  const outcome = await check(...how)
  expect(outcome.foundBy).toBeUndefined()
  const findings = outcome.foundBy === undefined ? outcome.findings : {}
  expect(Object.keys(findings)).toEqual(['well_known', 'meta_tag', 'dns_txt'])
  return findings[place]
}

const UNREACHABLE = 'We couldn’t reach the website.'
const NO_RECORD = 'There is no TXT record at _placard-challenge.acme.com.'
const NOT_OURS = 'No TXT record at _placard-challenge.acme.com has the token.'
const OTHER = 'The TXT record at _placard-challenge.acme.com has a different token.'
const NOT_ASKED = 'We couldn’t query the DNS right now. Try again in a minute.'

describe('a site is proved', () => {
  it.each([
    ['alone', (token: string) => token],
    ['with a line break', (token: string) => `${token}\n`],
    ['among other lines', (token: string) => `# Placard\r\n\r\n other \r\n  ${token}  \r\nother`],
    ['behind a byte order mark', (token: string) => `\ufeff${token}\n`],
    ['in 4 KiB', (token: string) => `${token}\n${'x'.repeat(4096 - token.length - 1)}`],
  ])('by the file, the token %s', async (_how, write) => {
    file = text(write(TOKEN))
    expect(await check()).toEqual({ foundBy: 'well_known' })
    expect(server.heard.map(({ target }) => target)).toEqual(['/.well-known/placard.txt'])
    expect(dns.questions).toEqual([])
  })

  it('by the file of its www twin', async () => {
    file = (socket, heard) =>
      (heard.headers.host === 'www.acme.com' ? text(TOKEN) : redirect('//www.acme.com/.well-known/placard.txt'))(
        socket,
        heard,
      )
    expect(await check()).toEqual({ foundBy: 'well_known' })
  })

  it.each([
    ['in its head', `<html><head><title>Acme</title>${meta()}</head>`],
    ['without a head tag', `<title>Acme</title>${meta()}<p>Hello`],
    ['with spaces', meta(` ${TOKEN}\n`)],
    ['beside tags of others', meta('another') + meta(tokenFor(ACME, proofs.begin(NOW))) + meta()],
  ])('by the tag of the page %s', async (_where, body) => {
    page = html(body)
    expect(await check()).toEqual({ foundBy: 'meta_tag' })
    expect(server.heard.map(({ target }) => target)).toEqual(['/.well-known/placard.txt', '/'])
    expect(dns.questions).toEqual([])
  })

  it('by the tag of the page that the destination leads to', async () => {
    page = (socket, heard) => (heard.target === '/' ? redirect('/en') : html(meta()))(socket, heard)
    expect(await check()).toEqual({ foundBy: 'meta_tag' })
  })

  it('by the tag of the page even if the file never ends', async () => {
    file = trickle('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n')
    page = html(meta())
    expect(await check()).toEqual({ foundBy: 'meta_tag' })
  })

  it.each<[string, (question: Question) => Lie]>([
    ['alone', records(`${TOKEN}`)],
    ['in pieces', records([TOKEN.slice(0, 9), TOKEN.slice(9)])],
    ['among others', records('v=spf1 -all', tokenFor(ACME, proofs.begin(NOW)), `${TOKEN}`)],
    ['behind a CNAME', question => behindCname(question, `${TOKEN}`)],
    ['as the twentieth', records(...Array.from({ length: 19 }, (_, n) => `${n}`), `${TOKEN}`)],
  ])('by a TXT record %s', async (_how, answer) => {
    txt = answer
    expect(await check()).toEqual({ foundBy: 'dns_txt' })
    expect(dns.questions).toEqual([{ name: '_placard-challenge.acme.com', type: 'TXT' }])
  })

  it('by a TXT record even if the website cannot be reached', async () => {
    txt = records(`${TOKEN}`)
    await server.close()
    expect(await check()).toEqual({ foundBy: 'dns_txt' })
  })

  it('by a TXT record of the name without www', async () => {
    const www = parseDestination('https://www.acme.com/')
    txt = records(`${tokenFor(www)}`)
    expect(await check(tokenFor(www), www, { connectTo: [] })).toEqual({ foundBy: 'dns_txt' })
    expect(dns.questions.at(-1)).toEqual({ name: '_placard-challenge.acme.com', type: 'TXT' })
  })
})

describe('what proves nothing is explained in one sentence for each place:', () => {
  it('an untouched site', async () => {
    expect(await check()).toEqual({
      foundBy: undefined,
      findings: {
        well_known: 'The file returned status 404.',
        meta_tag: 'The page’s head has no placard-challenge tag.',
        dns_txt: 'There is no TXT record at _placard-challenge.acme.com.',
      },
    })
  })

  it.each([
    ['of another destination', tokenFor(parseDestination('http://acme.com/shop'))],
    ['of another browser', tokenFor(ACME, proofs.begin(NOW))],
    ['of yesterday', tokenFor(ACME, proofs.begin(NOW - PROOF_LIFETIME_MS), NOW - 1)],
    ['of tomorrow', tokenFor(ACME, proofs.begin(NOW + 1), NOW + 1)],
    ['with a changed byte', TOKEN.replace(/.$/, last => (last === 'a' ? 'b' : 'a'))],
  ])('tokens %s', async (_whose, other) => {
    expect(other).toMatch(/^plc_[0-9a-f]{40}$/)
    file = text(other)
    page = html(meta(other))
    txt = records(`${other}`)
    expect(await check()).toEqual({
      foundBy: undefined,
      findings: {
        well_known: 'The file has a different token.',
        meta_tag: 'The tag has a different token.',
        dns_txt: 'The TXT record at _placard-challenge.acme.com has a different token.',
      },
    })
  })

  it.each<[string, Reply, string]>([
    ['is empty', text(''), 'The file doesn’t have the token.'],
    ['holds the token in a line with more', text(`token=${TOKEN}`), 'The file doesn’t have the token.'],
    ['holds the token on two lines', text(TOKEN.replace(/^.{20}/, '$&\n')), 'The file doesn’t have the token.'],
    ['is HTML', html(TOKEN), 'The file is not sent as text/plain.'],
    [
      'is of no kind',
      socket => socket.end(`HTTP/1.1 200 OK\r\n\r\n${TOKEN}`),
      'The website’s response has no Content-Type: it must be text/plain.',
    ],
    ['has 1 MiB of lines', text(`${TOKEN}\n`.repeat(1 << 15)), 'The file is larger than 4 KiB.'],
    ['is one byte too large', text(`${TOKEN}\n`.padEnd(4097)), 'The file is larger than 4 KiB.'],
    ['is binary', text(Buffer.from('\0\xff\xfe\x80', 'latin1')), 'The file doesn’t have the token.'],
    ['is busy', socket => respond(socket, { status: 503 }), 'The file returned status 503.'],
    ['is forbidden', socket => respond(socket, { status: 403 }), 'The file returned status 403.'],
    ['is no HTTP', socket => socket.end(`${TOKEN}\r\n\r\n`), 'The response of the website is not valid HTTP.'],
    ['never comes', silence, UNREACHABLE],
    ['breaks off', socket => socket.resetAndDestroy(), UNREACHABLE],
  ])('a file that %s', async (_what, reply, what) => {
    file = reply
    expect(await seenAt('well_known')).toBe(what)
  })

  it('a page at another host of the website', async () => {
    page = (socket, heard) =>
      (heard.headers.host === 'users.acme.com' ? html(meta()) : redirect('http://users.acme.com/'))(socket, heard)
    expect(await seenAt('meta_tag')).toBe('The page redirects to another host, users.acme.com.')
  })

  it('a file at another host of the website', async () => {
    file = (socket, heard) =>
      (heard.headers.host === 'users.acme.com'
        ? text(TOKEN)
        : redirect('http://users.acme.com/.well-known/placard.txt'))(socket, heard)
    expect(await seenAt('well_known')).toBe('The file redirects to another host, users.acme.com.')
  })

  it.each<[string, string]>([
    ['text', `<p>${TOKEN} ${meta().replace('<', '&lt;')}`],
    ['a comment', `<head><!-- ${meta()} --></head>`],
    ['an attribute', `<head><meta name="description" content='${meta()}'></head>`],
    ['a tag in its body', `<head></head><body>${meta()}`],
    ['a tag after its first words', `Hello ${meta()}`],
    ['a template', `<head><template>${meta()}</template></head>`],
    ['its title', `<head><title>${meta()}</title></head>`],
  ])('a page that holds the token in %s', async (_where, body) => {
    page = html(body)
    expect(await seenAt('meta_tag')).toBe('The page’s head has no placard-challenge tag.')
  })

  it('a website whose certificate is not trusted', async () => {
    const acme = parseDestination('https://acme.com/')
    await server.close()
    server = await startWebServer(text(tokenFor(acme)), { tls: await selfSigned('acme.com') })
    expect(await check(tokenFor(acme), acme)).toMatchObject({
      findings: {
        well_known: 'The website’s certificate is signed by itself.',
        meta_tag: 'The website’s certificate is signed by itself.',
        dns_txt: expect.any(String),
      },
    })
    expect(server.heard).toEqual([])
  })

  it('a page of 21 tags, the token last', async () => {
    page = html(meta('x').repeat(20) + meta())
    expect(await seenAt('meta_tag')).toBe('The tag has a different token.')
  })

  it.each<[string, Reply, string]>([
    ['is text', text(meta()), 'The page is not HTML.'],
    ['is larger than 1 MiB', html(meta().padEnd((1 << 20) + 1)), 'The page is too large.'],
    ['is nested too deep', html(meta() + '<div>'.repeat(300)), 'The page is too large.'],
    ['is gone', socket => respond(socket, { status: 410, body: meta() }), 'The page returned status 410.'],
    [
      'redirects in a circle',
      redirect('/'),
      'The website redirects in a circle, perhaps because it needs a cookie. Let it show the page without one.',
    ],
    ['trickles', trickle('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n'), UNREACHABLE],
  ])('a page that %s', async (_what, reply, what) => {
    page = reply
    expect(await seenAt('meta_tag')).toBe(what)
  })

  it.each<[string, (question: Question) => Lie, string]>([
    ['with a name before the token', records(`placard=${TOKEN}`), NOT_OURS],
    ['with more than the token', records(`${TOKEN} x`), NOT_OURS],
    ['with another token', records(tokenFor(ACME, proofs.begin(NOW))), OTHER],
    ['after twenty others', records(...Array(20).fill('x'), `${TOKEN}`), NOT_OURS],
    ['of one token in two', records(TOKEN.slice(0, 9), TOKEN.slice(9)), NOT_OURS],
    ['in bytes that are no text', records('\0\xff\ud800'), NOT_OURS],
    ['behind a CNAME that leads nowhere', question => behindCname(question), NO_RECORD],
    ['of a server that fails', () => ({ code: SERVFAIL }), NOT_ASKED],
    ['of a server that refuses', () => ({ code: REFUSED }), NOT_ASKED],
    ['of a server that is silent', silentDns, NOT_ASKED],
    ['of a server that sends garbage', () => Buffer.from('garbage, garbage'), NOT_ASKED],
  ])('TXT records %s', async (_what, answer, what) => {
    txt = answer
    expect(await seenAt('dns_txt')).toBe(what)
  })
})

function behindCname({ name }: Question, ...texts: string[]): Lie {
  const target = 'proofs.dns-host.com'
  const found = texts.map(data => ({ type: 'TXT' as const, name: target, ttl: 0, data }))
  return { records: [{ type: 'CNAME', name, ttl: 0, data: target }, ...found] }
}

function trickle(first: string): Reply {
  const reply: Reply = socket => {
    socket.write(first + meta())
    const timer = setInterval(() => socket.destroyed || socket.write('x'), 20)
    socket.on('close', () => clearInterval(timer))
  }
  ENDLESS.add(reply)
  return reply
}

describe('the check cannot be turned against the network it runs in:', () => {
  const both = (reply: Reply) => {
    file = reply
    page = reply
  }

  it.each<[string, string]>([
    ['loopback', '127.0.0.1'],
    ['a private network', '10.1.2.3'],
    ['the metadata service', '169.254.169.254'],
    ['loopback in IPv6', '::1'],
  ])('a name that leads to %s reads like one that does not exist', async (_where, ip) => {
    txt = question => (question.type === 'TXT' ? { code: NXDOMAIN } : addresses(question, ip))
    expect(await seenAt('well_known', TOKEN, ACME, { connectTo: [] })).toBe(UNREACHABLE)
    expect(await seenAt('meta_tag', TOKEN, ACME, { connectTo: [] })).toBe(UNREACHABLE)
    txt = () => ({ code: NXDOMAIN })
    expect(await seenAt('well_known', TOKEN, ACME, { connectTo: [] })).toBe(UNREACHABLE)
    expect(server.accepted()).toBe(0)
  })

  it('a redirect to a name that leads inside reads the same', async () => {
    const connectTo = [{ host: 'acme.com', port: 80, toHost: '127.0.0.1', toPort: server.port }]
    txt = question => (question.type === 'TXT' ? { code: NXDOMAIN } : addresses(question, '127.0.0.1'))
    both(redirect('http://in.acme.com/'))
    expect(await seenAt('well_known', TOKEN, ACME, { connectTo })).toBe(UNREACHABLE)
    expect(await seenAt('meta_tag', TOKEN, ACME, { connectTo })).toBe(UNREACHABLE)
    expect(server.accepted()).toBe(4)
  })

  it.each([
    ['another website', 'http://evil.com/', 'The website redirects to evil.com.'],
    ['loopback', 'http://127.0.0.1/', 'The website redirects to an address that cannot be listed.'],
    ['the metadata service', 'http://169.254.169.254/', 'The website redirects to an address that cannot be listed.'],
    [
      'another port',
      'http://acme.com:8080/',
      'The website redirects to port 8080, and only standard ports can be listed.',
    ],
  ])('a redirect to %s is not followed', async (_where, location, what) => {
    both((socket, heard) => (heard.headers.host === 'acme.com' ? redirect(location) : text(TOKEN))(socket, heard))
    expect(await seenAt('well_known')).toBe(what)
    expect(await seenAt('meta_tag')).toBe(what)
    expect(server.accepted()).toBe(4)
  })
})

describe('only the listed page itself can prove', () => {
  const everywhere = (token: string) => {
    file = text(token)
    txt = records(token)
  }

  it.each([
    ['a page of a host', 'http://acme.com/~alice'],
    ['a host that a service gave to its customer', 'http://alice.github.io/'],
  ])('%s', async (_what, address) => {
    const destination = parseDestination(address)
    const token = tokenFor(destination)
    everywhere(token)
    const outcome = await check(token, destination)
    expect(outcome).toMatchObject({
      foundBy: undefined,
      findings: { meta_tag: 'The page’s head has no placard-challenge tag.' },
    })
    expect(dns.questions.filter(({ type }) => type === 'TXT')).toEqual([])
    page = html(meta(token))
    expect(await check(token, destination)).toEqual({ foundBy: 'meta_tag' })
  })

  it('a page that leads to another author’s page proves nothing', async () => {
    const alice = parseDestination('http://acme.com/~alice')
    const token = tokenFor(alice)
    page = (socket, heard) => (heard.target === '/~alice' ? redirect('/~mallory') : html(meta(token)))(socket, heard)
    expect(await check(token, alice)).toMatchObject({
      findings: { meta_tag: 'The page redirects to another page, /~mallory.' },
    })
    page = (socket, heard) => (heard.target === '/~alice' ? redirect('/~alice/en') : html(meta(token)))(socket, heard)
    expect(await check(token, alice)).toEqual({ foundBy: 'meta_tag' })
  })
})

it('two resolvers must have the record', async () => {
  const other = await startDnsServer(question => second(question))
  let second: (question: Question) => Lie = () => ({ code: NXDOMAIN })
  txt = records(TOKEN)
  const checkSiteProof = checker({}, [dns.address, other.address])
  const seen = async () => {
    const outcome = await checkSiteProof(ACME, tokenMatcher(TOKEN))
    return outcome.foundBy ?? outcome.findings.dns_txt
  }
  expect(await seen()).toBe(
    'Not every resolver that we ask has the TXT record at _placard-challenge.acme.com yet. Try again in a few minutes.',
  )
  second = () => ({ code: SERVFAIL })
  expect(await seen()).toBe('One of our DNS resolvers couldn’t be queried right now. Try again in a minute.')
  second = records('other', TOKEN)
  expect(await seen()).toBe('dns_txt')
  await other.close()
})

describe('a check takes one turn at a website, and gives it back:', () => {
  const ONE = { atOnceMax: 1, waitersMax: 0 }

  it.each<[string, Reply]>([
    ['when the website is silent', silence],
    ['when it breaks off', socket => socket.resetAndDestroy()],
    ['when it never ends', trickle('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n')],
    ['when it answers', html('Hello')],
  ])('%s', async (_when, reply) => {
    file = reply
    page = reply
    const checkSiteProof = checker({ limits: ONE })
    for (let checks = 0; checks < 2; checks++) {
      expect(await checkSiteProof(ACME, tokenMatcher(TOKEN))).toMatchObject({ foundBy: undefined })
    }
    await nothingLeftOpen(server)
    file = text(TOKEN)
    // Polled, because its limits may be too short for a busy machine.
    await expect.poll(() => checkSiteProof(ACME, tokenMatcher(TOKEN))).toEqual({ foundBy: 'well_known' })
  })

  it('one check after another, if several come at once', async () => {
    file = text(TOKEN)
    const checkSiteProof = checker({ limits: { atOnceMax: 1 } })
    const outcomes = await Promise.all([1, 2, 3].map(() => checkSiteProof(ACME, tokenMatcher(TOKEN))))
    expect(outcomes).toEqual(Array(3).fill({ foundBy: 'well_known' }))
  })

  it('and asks only the DNS if the website stays busy too long', async () => {
    file = silence
    const checkSiteProof = checker({ limits: ONE })
    const first = checkSiteProof(ACME, tokenMatcher(TOKEN))
    const what = 'We couldn’t reach the website right now. Try again in a minute.'
    expect(await checkSiteProof(ACME, tokenMatcher(TOKEN))).toMatchObject({
      findings: {
        well_known: what,
        meta_tag: what,
        dns_txt: NO_RECORD,
      },
    })
    await first
  })
})

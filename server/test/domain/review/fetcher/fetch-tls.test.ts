import tls from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  type Authority,
  daysFromNow,
  type KeyAndCertificate,
  makeAuthority,
  selfSigned,
} from '../../../support/certificates.ts'
import { respond, startWebServer, type WebServer } from '../../../support/web-server.ts'
import { fetchFrom } from './fetching.ts'

let authority: Authority
let good: KeyAndCertificate
const before = tls.getCACertificates('default')
beforeAll(async () => {
  authority = await makeAuthority()
  good = await authority.issue('acme.com')
  tls.setDefaultCACertificates([...before, authority.cert])
})
afterAll(() => tls.setDefaultCACertificates(before))

let server: WebServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

const PAGE = '<title>Acme</title>'

async function fetchOverTls(certificate: KeyAndCertificate, address = 'https://acme.com/') {
  server = await startWebServer(socket => respond(socket, { body: PAGE }), { tls: certificate })
  return fetchFrom(server, {}, address)
}

describe('over https', () => {
  it('a page with a valid certificate is read', async () => {
    expect(await fetchOverTls(good)).toMatchObject({
      verdict: 'pass',
      page: { url: 'https://acme.com/' },
      certificate: { names: ['acme.com'], issuer: expect.stringMatching(/./) },
    })
  })

  const issueFrom = (from: number, to: number) =>
    authority.issue('acme.com', { notBefore: daysFromNow(from), notAfter: daysFromNow(to) })

  it.each<[string, () => Promise<KeyAndCertificate>, string]>([
    ['for another name', () => authority.issue('evil.com'), 'The website’s certificate is for another name.'],
    ['for a name below', () => authority.issue('www.acme.com'), 'The website’s certificate is for another name.'],
    ['that has expired', () => issueFrom(-9, -2), 'The website’s certificate has expired.'],
    ['that is not valid yet', () => issueFrom(2, 9), 'The website’s certificate is not valid yet.'],
    ['that is self-signed', () => selfSigned('acme.com'), 'The website’s certificate is signed by itself.'],
    [
      'of an issuer that is not sent',
      async () => (await makeAuthority('Unknown')).issue('acme.com'),
      'The website’s server sends a certificate without those of the issuers. Let it send the whole chain.',
    ],
    [
      'of an unknown authority',
      async () => {
        const other = await makeAuthority('Unknown')
        const { key, cert } = await other.issue('acme.com')
        return { key, cert: `${cert}\n${other.cert}` }
      },
      'The website’s certificate is from an issuer that is not trusted.',
    ],
    [
      'of an unknown authority, which is not sent',
      async () => {
        const root = await makeAuthority('Unknown')
        const issuer = await root.issueAuthority('Unknown issuer')
        const { key, cert } = await issuer.issue('acme.com')
        return { key, cert: `${cert}\n${issuer.cert}` }
      },
      'The website’s certificate is from an issuer that is not trusted, or its server does not send the whole chain.',
    ],
  ])('a certificate %s is refused with the reason, and nothing is sent', async (_what, issue, detail) => {
    expect(await fetchOverTls(await issue())).toEqual({ verdict: 'reject', reason: 'tls_invalid', detail })
    expect(server?.heard).toEqual([])
  })

  it('nothing leads back to http', async () => {
    server = await startWebServer(
      socket => respond(socket, { status: 301, headers: { Location: 'http://acme.com/' } }),
      { tls: good },
    )
    expect(await fetchFrom(server, {}, 'https://acme.com/')).toEqual({
      verdict: 'reject',
      reason: 'redirects_elsewhere',
      detail: 'The website redirects from https to http.',
    })
    expect(server.accepted()).toBe(1)
  })

  it.each([
    ['https', ['/', '/en/']],
    ['http', ['/']],
  ])('a page that sends its visitors on to %s is followed only if that is https', async (scheme, targets) => {
    const body = `<meta http-equiv=refresh content="0; url=${scheme}://acme.com/en/">Wait`
    server = await startWebServer((socket, { target }) => respond(socket, { body: target === '/' ? body : PAGE }), {
      tls: good,
    })
    expect(await fetchFrom(server, {}, 'https://acme.com/')).toMatchObject({
      page: { url: `https://acme.com${targets.at(-1)}` },
    })
    expect(server.heard.map(({ target }) => target)).toEqual(targets)
  })

  it('the limits hold', async () => {
    server = await startWebServer(
      socket => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n')
        const flood = () => {
          while (!socket.destroyed && socket.write(`1;${'x'.repeat(16_000)}\r\nx\r\n`));
        }
        socket.on('drain', flood)
        flood()
      },
      { tls: good },
    )
    expect(await fetchFrom(server, {}, 'https://acme.com/')).toEqual({
      verdict: 'reject',
      reason: 'too_large',
    })
  })

  it('http may lead to https', async () => {
    const secure = await startWebServer(socket => respond(socket, { body: PAGE }), { tls: good })
    server = await startWebServer(socket =>
      respond(socket, { status: 301, headers: { Location: 'https://acme.com/' } }),
    )
    const connectTo = [
      { host: 'acme.com', port: 443, toHost: '127.0.0.1', toPort: secure.port },
      { host: 'acme.com', port: 80, toHost: 'localhost', toPort: server.port },
    ]
    const fetched = await fetchFrom(server, { connectTo })
    await secure.close()
    expect(fetched).toMatchObject({ verdict: 'pass', page: { url: 'https://acme.com/' } })
  })

  it('only HTTP/1.1 is offered, for the name of the website', async () => {
    let offered: { servername: string; protocols: string[] } | undefined
    const listener = tls.createServer({
      ...good,
      ALPNCallback: hello => {
        offered = hello
        return 'http/1.1'
      },
    })
    listener.on('secureConnection', socket => respond(socket.resume(), { body: PAGE }))
    await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve))
    const { port } = listener.address() as { port: number }
    server = await startWebServer(() => {})
    const connectTo = [{ host: '', port: 443, toHost: '127.0.0.1', toPort: port }]
    const fetched = await fetchFrom(server, { connectTo }, 'https://acme.com/')
    listener.close()
    expect(offered).toEqual({ servername: 'acme.com', protocols: ['http/1.1'] })
    expect(fetched.verdict).toMatch(/pass|cannot_tell/)
  })

  it.each<[string, string | null, string]>([
    ['speaks plain HTTP', 'HTTP/1.1 400 Bad Request\r\n\r\n', 'site_tls'],
    ['sends garbage', '\x16\x03\x01\x00\x02garbage', 'site_tls'],
    ['hangs up', '', 'site_unreachable'],
    ['says nothing', null, 'site_slow'],
  ])('a server that %s instead may do better later', async (_what, bytes, fault) => {
    server = await startWebServer(() => {}, {
      onConnection: socket => void socket.once('data', () => bytes !== null && socket.end(bytes, 'latin1')),
    })
    const limits = { connectMs: 300 }
    expect(await fetchFrom(server, { limits }, 'https://acme.com/')).toMatchObject({ verdict: 'cannot_tell', fault })
  })

  it('a server that has no certificate for the name is refused, as with a wrong one', async () => {
    // A fatal alert: unrecognized_name.
    const alert = '\x15\x03\x03\x00\x02\x02\x70'
    server = await startWebServer(() => {}, {
      onConnection: socket => void socket.once('data', () => socket.end(alert, 'latin1')),
    })
    expect(await fetchFrom(server, {}, 'https://acme.com/')).toEqual({
      verdict: 'reject',
      reason: 'tls_invalid',
      detail: 'The website’s server has no certificate for this name.',
    })
  })

  const oldTls = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' } as const
  const forClients = { requestCert: true, rejectUnauthorized: true }

  it.each<[string, tls.TlsOptions, string]>([
    [
      'offers only old TLS',
      oldTls,
      'The website offers only old versions of TLS. Let its server offer TLS 1.2 or 1.3.',
    ],
    ['wants a certificate of its visitors', forClients, 'The website asks its visitors for a certificate.'],
  ])('a server that %s is told so', async (_what, options, detail) => {
    server = await startWebServer(() => {}, { tls: { ...options, ...good } })
    const fetched = await fetchFrom(server, {}, 'https://acme.com/')
    expect(fetched).toMatchObject({ verdict: 'cannot_tell', fault: 'site_tls', detail })
    expect(server.heard).toEqual([])
  })

  it('a server that speaks plain HTTP is reported as such', async () => {
    server = await startWebServer(() => {}, {
      onConnection: socket => void socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    })
    const detail = 'The website does not speak TLS on port 443.'
    expect(await fetchFrom(server, {}, 'https://acme.com/')).toMatchObject({ fault: 'site_tls', detail })
  })
})

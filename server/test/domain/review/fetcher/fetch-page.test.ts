import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { type Reply, respond, startWebServer, type WebServer } from '../../../support/web-server.ts'
import { fetchFrom } from './fetching.ts'

let server: WebServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

async function fetchWith(reply: Reply, address?: string) {
  server = await startWebServer(reply)
  return fetchFrom(server, {}, address)
}

/** A host whose own spelling the URL parser rejects, in UTF-8 as header bytes. */
const UNWRITABLE = Buffer.from('http://\u00fcxn--.com/').toString('latin1')
const PAGE = '<title>Acme</title><p>Widgets'
const redirect =
  (location: string, status = 302): Reply =>
  socket =>
    respond(socket, { status, headers: { Location: location } })
const missing: Reply = socket => respond(socket, { status: 404 })
const byPath =
  (replies: Record<string, Reply>): Reply =>
  (socket, heard) =>
    (replies[heard.target] ?? (s => respond(s, { body: PAGE })))(socket, heard)

describe('a page', () => {
  it.each([
    ['one without text', '<title>Redirecting…</title><meta http-equiv=refresh content="0; url=/en/?a=b">', 'Widgets'],
    ['one without a letter', '<meta http-equiv=refresh content="0; url=/de/">', 'Widgets'],
    [
      'one that loads itself again',
      '<title>Acme</title><meta http-equiv=refresh content="0; url=/?again">Live',
      'Live',
    ],
    ['one that names its language', '<meta http-equiv=refresh content="0; url=/?lang=en#top">Wait', 'Widgets'],
    ['one that stays for a while', '<title>Live</title><meta http-equiv=refresh content="99; url=/en/">Live', 'Live'],
    [
      'one with a login',
      '<meta http-equiv=refresh content="0; url=/en/">Log in<form><input type=password></form>',
      'Log in',
    ],
    ['one with a label', '<meta name=rating content=adult><meta http-equiv=refresh content="0; url=/en/">Hi', 'Hi'],
    ['one with text', `<meta http-equiv=refresh content="0; url=/en/">${'News. '.repeat(60)}`, 'News.'],
    ['one that leads to another website', '<meta http-equiv=refresh content="0; url=//other.com/">Wait', 'Wait'],
    ['one that leads to a port', '<meta http-equiv=refresh content="0; url=//acme.com:8080/en/">Wait', 'Wait'],
  ])('that refreshes is read as its visitors see it: %s', async (_what, body, text) => {
    const first: Reply = socket => respond(socket, { body })
    const fetched = await fetchWith(byPath({ '/': first, '/?again': first, '/en/': missing }))
    expect(fetched).toMatchObject({ verdict: 'pass', page: { text: expect.stringMatching(`^${text}`) } })
  })

  it('that sends its visitors on counts as the next one, also if that is missing or sends them on, too', async () => {
    const body = '<title>Redirecting…</title><meta http-equiv=refresh content="0; url=/en/">'
    const first: Reply = socket => respond(socket, { body })
    expect(await fetchWith(byPath({ '/': first, '/en/': missing }))).toMatchObject({ reason: 'not_found' })
    await server?.close()
    const again: Reply = socket => respond(socket, { body: body.replace('/en/', '/de/') })
    expect(await fetchWith(byPath({ '/': first, '/en/': again }))).toMatchObject({
      page: { url: 'http://acme.com/en/' },
    })
  })

  it('that sends its visitors on to this service is refused, and this service is not asked', async () => {
    const body = '<title>Redirecting…</title><meta http-equiv=refresh content="0; url=//placard.dev/product/a">'
    expect(await fetchWith(socket => respond(socket, { body }), 'http://blog.placard.dev/')).toMatchObject({
      reason: 'redirects_elsewhere',
      detail: 'The website redirects to an address that cannot be listed.',
    })
    expect(server?.heard.map(({ headers }) => headers.host)).toEqual(['blog.placard.dev'])
  })

  it('is fetched and read', async () => {
    const fetched = await fetchWith(socket => respond(socket, { body: PAGE, headers: { Rating: 'general' } }))
    expect(fetched).toMatchObject({
      verdict: 'pass',
      page: {
        url: 'http://acme.com/',
        metadata: { title: 'Acme' },
        text: 'Widgets',
        headers: { rating: 'general' },
      },
    })
  })

  it('is asked for once, with plain manners and no cookies', async () => {
    await fetchWith(socket => respond(socket, { body: PAGE, headers: { 'Set-Cookie': 'a=b' } }), 'http://acme.com/a/b')
    expect(server?.heard).toEqual([
      {
        method: 'GET',
        target: '/a/b',
        headers: {
          host: 'acme.com',
          connection: 'close',
          'user-agent': 'Placard/1.2.3 (+https://placard.dev/agent-guide.md)',
          accept: 'text/html, application/xhtml+xml',
          'accept-encoding': 'gzip, deflate, br',
          'accept-language': 'en, *;q=0.5',
        },
      },
    ])
  })

  it.each<[string, (page: Buffer) => Buffer]>([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['identity', page => page],
  ])('may be sent in %s', async (coding, encode) => {
    const body = encode(Buffer.from(PAGE))
    const fetched = await fetchWith(socket => respond(socket, { body, headers: { 'Content-Encoding': coding } }))
    expect(fetched).toMatchObject({ verdict: 'pass', page: { metadata: { title: 'Acme' } } })
  })

  it('may be followed by more than was compressed, or have a wrong checksum, as in browsers', async () => {
    const page = gzipSync(PAGE)
    const wrong = Buffer.from(page)
    wrong.writeUInt32LE(0, wrong.length - 8)
    for (const body of [Buffer.concat([page, Buffer.from('\n<!-- cached -->')]), wrong]) {
      const fetched = await fetchWith(socket => respond(socket, { body, headers: { 'Content-Encoding': 'gzip' } }))
      expect(fetched).toMatchObject({ verdict: 'pass', page: { metadata: { title: 'Acme' }, text: 'Widgets' } })
      await server?.close()
    }
  })

  it('may have a Content-Type with more than a type', async () => {
    const headers = { 'Content-Type': 'text/html, charset=utf-8' }
    expect(await fetchWith(socket => respond(socket, { body: PAGE, headers }))).toMatchObject({ verdict: 'pass' })
  })

  it('may come in chunks, or end with the connection', async () => {
    const chunked = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n'
    expect(await fetchWith(socket => socket.end(`${chunked}7\r\n<title>\r\n4;x=y\r\nAcme\r\n0\r\n\r\n`))).toMatchObject(
      {
        page: { metadata: { title: 'Acme' } },
      },
    )
    await server?.close()
    expect(
      await fetchWith(socket => socket.end(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n${PAGE}`)),
    ).toMatchObject({
      page: { metadata: { title: 'Acme' } },
    })
  })

  it('may follow informational responses', async () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n'.repeat(3)
    const fetched = await fetchWith(socket => {
      socket.write(hints)
      respond(socket, { body: PAGE })
    })
    expect(fetched.verdict).toBe('pass')
  })

  it('may be XHTML, or empty', async () => {
    expect(
      await fetchWith(socket => respond(socket, { headers: { 'Content-Type': 'Application/XHTML+XML' } })),
    ).toMatchObject({
      verdict: 'pass',
      page: { text: '', metadata: { title: '' } },
    })
  })
})

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('with status %i is followed', async status => {
    const fetched = await fetchWith(byPath({ '/': redirect('/home?from=root#top', status) }))
    expect(fetched).toMatchObject({ verdict: 'pass', page: { url: 'http://acme.com/home?from=root' } })
    expect(server?.heard.map(({ target }) => target)).toEqual(['/', '/home?from=root'])
  })

  it('may lead to another name of the same owner', async () => {
    const toWww: Reply = (socket, heard) =>
      heard.headers.host === 'www.acme.com'
        ? respond(socket, { body: PAGE })
        : redirect('//www.acme.com/')(socket, heard)
    expect(await fetchWith(toWww)).toMatchObject({ page: { url: 'http://www.acme.com/' } })
  })

  it('may be written in UTF-8', async () => {
    const fetched = await fetchWith(byPath({ '/': redirect(Buffer.from('/é').toString('latin1')) }))
    expect(fetched).toMatchObject({ page: { url: 'http://acme.com/%C3%A9' } })
  })

  it('is followed four times', async () => {
    const hop: Reply = (socket, { target }) => {
      const n = target.length
      return n < 5
        ? redirect(`/${'a'.repeat(n)}`)(socket, { method: '', target, headers: {} })
        : respond(socket, { body: PAGE })
    }
    expect((await fetchWith(hop)).verdict).toBe('pass')
    expect(server?.heard).toHaveLength(5)
  })

  const longer: Reply = (socket, heard) => redirect(`${heard.target}a`)(socket, heard)

  it.each<[string, Reply, string]>([
    ['a fifth time', longer, 'The website redirects more than 4 times.'],
    [
      'in a circle for ever',
      byPath({ '/': redirect('/a'), '/a': redirect('/') }),
      'The website redirects in a circle, perhaps because it needs a cookie. Let it show the page without one.',
    ],
  ])('is not followed %s', async (_what, reply, detail) => {
    expect(await fetchWith(reply)).toEqual({ verdict: 'reject', reason: 'not_a_web_page', detail })
    expect(server?.heard).toHaveLength(5)
  })

  it.each([
    ['another website', 'http://evil.com/', 'The website redirects to evil.com.'],
    ['another customer of a hosting service', 'http://b.github.io/', 'The website redirects to b.github.io.'],
    ['this service', 'https://placard.dev/', 'The website redirects to an address that cannot be listed.'],
    ['a name that cannot be written', UNWRITABLE, 'The website redirects to an address that cannot be listed.'],
    ['loopback', 'http://127.0.0.1/', 'The website redirects to an address that cannot be listed.'],
    ['a short number', 'http://2130706433/', 'The website redirects to an address that cannot be listed.'],
    ['the metadata service', '//169.254.169.254/latest/', 'The website redirects to an address that cannot be listed.'],
    [
      'another port',
      'http://a.github.io:8080/',
      'The website redirects to port 8080, and only standard ports can be listed.',
    ],
    ['a user', 'http://user:pass@a.github.io/', 'The website redirects to an address that cannot be listed.'],
    ['a file', 'file:///etc/passwd', 'The website redirects to an address that cannot be listed.'],
    ['a script', 'javascript:alert(1)', 'The website redirects to an address that cannot be listed.'],
    ['data', 'data:text/html,hello', 'The website redirects to an address that cannot be listed.'],
  ])('to %s ends the fetch', async (_what, location, detail) => {
    const fetched = await fetchWith(redirect(location), 'http://a.github.io/')
    // A look at a listed page goes on there, as a visit of its own.
    const evidence = detail.endsWith('be listed.') ? {} : { evidence: { to: location } }
    expect(fetched).toEqual({ verdict: 'reject', reason: 'redirects_elsewhere', detail, ...evidence })
    expect(server?.accepted()).toBe(1)
  })

  it.each([
    ['no address', 'http://[', 'The website redirects to an invalid address.'],
    ['nowhere', '', 'The website redirects without saying where.'],
  ])('to %s ends the fetch', async (_what, location, detail) => {
    expect(await fetchWith(redirect(location))).toEqual({
      verdict: 'reject',
      reason: 'not_a_web_page',
      detail,
    })
  })

  it('with two addresses ends the fetch', async () => {
    const two: Reply = socket =>
      socket.end('HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n')
    expect(await fetchWith(two)).toMatchObject({ detail: 'The website redirects without saying where.' })
  })
})

describe('a website says permanently that there is no page', () => {
  it.each([
    [400, ''],
    [401, ' It asks for a password.'],
    [403, ' If browsers are shown the page, let its firewall admit the User-Agent that starts with Placard.'],
    [404, ''],
    [405, ''],
    [410, ''],
    [418, ''],
    [451, ''],
  ])('with status %i', async (status, advice) => {
    expect(await fetchWith(socket => respond(socket, { status, body: PAGE }))).toEqual({
      verdict: 'reject',
      reason: 'not_found',
      detail: `The website returned status ${status}.${advice}`,
    })
  })

  it.each([204, 205, 300, 304])('with status %i', async status => {
    expect(await fetchWith(socket => socket.end(`HTTP/1.1 ${status} X\r\n\r\n`))).toMatchObject({
      reason: 'not_a_web_page',
    })
  })

  it('with no content type', async () => {
    const fetched = await fetchWith(socket => respond(socket, { body: PAGE, headers: { 'Content-Type': '' } }))
    expect(fetched).toMatchObject({
      reason: 'not_a_web_page',
      detail: 'The website’s response has no Content-Type: it must be text/html.',
    })
  })

  it.each(['text/plain', 'application/json', 'image/png', 'application/xml', 'text/htmlx', 'text/html, image/png'])(
    'with the content type "%s"',
    async type => {
      const fetched = await fetchWith(socket => respond(socket, { body: PAGE, headers: { 'Content-Type': type } }))
      expect(fetched).toEqual({ verdict: 'reject', reason: 'not_a_web_page' })
    },
  )

  it.each(['zstd', 'compress', 'gzip, gzip', 'gzip, br', 'nonsense'])('with the content coding %s', async coding => {
    const body = gzipSync(gzipSync(PAGE))
    const fetched = await fetchWith(socket => respond(socket, { body, headers: { 'Content-Encoding': coding } }))
    expect(fetched).toMatchObject({ verdict: 'reject', detail: 'The website uses an unknown content coding.' })
  })

  it.each(['gzip', 'deflate', 'br'])('with a broken body in %s', async coding => {
    const body = Buffer.from(`not ${coding} at all, but something else entirely`)
    const fetched = await fetchWith(socket => respond(socket, { body, headers: { 'Content-Encoding': coding } }))
    expect(fetched).toMatchObject({ verdict: 'reject', reason: 'not_a_web_page' })
  })
})

describe('a website may do better later', () => {
  it.each([408, 425, 429, 500, 502, 503, 504, 522, 999])('when it answers %i', async status => {
    expect(await fetchWith(socket => respond(socket, { status }))).toEqual({
      verdict: 'cannot_tell',
      why: `HTTP status ${status}`,
      fault: 'site_unreachable',
      detail: `The website answered with status ${status}.`,
    })
  })

  it('when nothing listens', async () => {
    server = await startWebServer(() => {})
    await server.close()
    expect(await fetchFrom(server)).toMatchObject({
      verdict: 'cannot_tell',
      why: expect.stringContaining('ECONNREFUSED'),
      fault: 'site_unreachable',
      detail: 'The website refused the connection.',
    })
  })
})

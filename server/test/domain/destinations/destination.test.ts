import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDestination } from '../../../src/domain/destinations/destination.ts'
import { Problem } from '../../../src/platform/http/problem.ts'
import { anyWebAddress } from '../../support/characters.ts'

const problemWith = (raw: string, ownHost?: string) => {
  try {
    parseDestination(raw, ownHost)
  } catch (error) {
    return error
  }
  return undefined
}

describe('the canonical address', () => {
  it.each([
    ['https://Shop.Acme.com', 'https://shop.acme.com/'],
    ['HTTP://ACME.com/About', 'http://acme.com/About'],
    ['https://acme.com:443/a', 'https://acme.com/a'],
    ['http://acme.com:80', 'http://acme.com/'],
    ['http://acme.com:0080', 'http://acme.com/'],
    ['http://acme.com:/', 'http://acme.com/'],
    ['https://acme.com./', 'https://acme.com/'],
    ['https://acme.com/a/../b/./c/%2e%2E/d', 'https://acme.com/b/d'],
    ['https://acme.com/?q=1#top', 'https://acme.com/'],
    ['https://acme.com?q=1', 'https://acme.com/'],
    ['https://acme.com/@user/', 'https://acme.com/@user/'],
    ['https://acme.com/?mail=a@b.com', 'https://acme.com/'],
    ['https://bücher.de/é', 'https://xn--bcher-kva.de/%C3%A9'],
    ['https://пример.рф', 'https://xn--e1afmkfd.xn--p1ai/'],
    ['https://acme。com', 'https://acme.com/'],
    ['https://someone.github.io/project', 'https://someone.github.io/project'],
    ['https://www.com', 'https://www.com/'],
    ['https://my--shop.co.uk', 'https://my--shop.co.uk/'],
  ])('of %s is %s', (raw, url) => {
    expect(parseDestination(raw).url).toBe(url)
  })

  it('names the host without scheme, port or dot', () => {
    expect(parseDestination('https://WWW.Acme.com.:443/x').hostname).toBe('www.acme.com')
  })
})

describe('the key', () => {
  const key = (raw: string) => parseDestination(raw).key

  it('carries its version', () => {
    expect(key('https://acme.com/a')).toBe('2:acme.com/a')
  })

  it.each([
    ['the scheme', 'http://acme.com/a', 'https://acme.com/a'],
    ['a leading www.', 'https://www.acme.com/a', 'https://acme.com/a'],
    ['a trailing slash', 'https://acme.com/a/', 'https://acme.com/a'],
    ['the slash of the bare host', 'https://acme.com/', 'https://acme.com'],
    ['doubled slashes', 'https://acme.com//a//b/', 'https://acme.com/a/b'],
    ['the case of the host', 'https://ACME.com/a', 'https://acme.com/a'],
    ['the case of escapes', 'https://acme.com/%c3%a9', 'https://acme.com/%C3%A9'],
    ['escapes of unreserved characters', 'https://acme.com/%61%2Db%5f%7E', 'https://acme.com/a-b_~'],
    ['escapes that are missing', 'https://acme.com/a|b[c]', 'https://acme.com/a%7Cb%5bc%5D'],
    ['a percent sign that starts no escape', 'https://acme.com/100%', 'https://acme.com/100%25'],
    ['encoded dot segments', 'https://acme.com/x/%2e%2e/a/%2E', 'https://acme.com/a'],
    ['query and fragment', 'https://acme.com/a?x=1#y', 'https://acme.com/a'],
    ['a trailing dot', 'https://acme.com./a', 'https://acme.com/a'],
    ['the standard port', 'https://acme.com:443/a', 'https://acme.com/a'],
    ['the alphabet of the host', 'https://xn--bcher-kva.de', 'https://BÜCHER.de'],
    ['more than one www.', 'https://www.www.WWW.acme.com/a', 'https://acme.com/a'],
    ['the page of the website', 'https://acme.com/index.html', 'https://acme.com'],
    ['the page of a folder', 'https://acme.com/a/Index.php/', 'https://acme.com/a'],
    ['the page of a folder elsewhere', 'https://acme.com/a/default.aspx', 'https://acme.com/a'],
    ['parameters without a name', 'https://acme.com/;/a;;/b;', 'https://acme.com/a/b'],
    ['blanks at the end', 'https://acme.com/a%20%09', 'https://acme.com/a'],
    ['blanks that do not break', 'https://acme.com/a%c2%a0%20;/%20/', 'https://acme.com/a'],
    ['all of these at once', 'https://www.www.acme.com/a;/index.htm;%0A', 'https://acme.com/a'],
    ['invisible letters of the host', 'https://xn--bcher-kva.de', 'https://bücher.de'],
  ])('ignores %s', (_what, a, b) => {
    expect(key(a)).toBe(key(b))
  })

  it.each([
    ['paths', 'https://acme.com/a', 'https://acme.com/b'],
    ['the case of the path', 'https://acme.com/A', 'https://acme.com/a'],
    ['subdomains', 'https://blog.acme.com', 'https://acme.com'],
    ['a www. further in', 'https://blog.www.acme.com', 'https://blog.acme.com'],
    ['other pages', 'https://acme.com/index.txt', 'https://acme.com'],
    ['what only ends like the page of a folder', 'https://acme.com/my-index.html', 'https://acme.com'],
    ['what stands below such a page', 'https://acme.com/index.php/a', 'https://acme.com/a'],
    ['parameters with a name', 'https://acme.com/a;b', 'https://acme.com/a'],
    ['blanks inside', 'https://acme.com/a%20b', 'https://acme.com/ab'],
    ['blanks before', 'https://acme.com/%20a', 'https://acme.com/a'],
    ['an escaped percent sign from a blank', 'https://acme.com/a%2520', 'https://acme.com/a'],
    ['a full stop', 'https://acme.com/Acme_Inc.', 'https://acme.com/Acme_Inc'],
    ['reserved characters from their escapes', 'https://acme.com/a/b', 'https://acme.com/a%2Fb'],
    ['an escaped percent sign from an escape', 'https://acme.com/%2541', 'https://acme.com/A'],
    ['a decoded pair from a new escape', 'https://acme.com/%%34%31', 'https://acme.com/A'],
  ])('tells %s apart', (_what, a, b) => {
    expect(key(a)).not.toBe(key(b))
  })

  it('keeps a www. without which no name would be left', () => {
    expect(key('https://www.com')).toBe('2:www.com')
    expect(key('https://www.co.uk')).toBe('2:www.co.uk')
    expect(key('https://www.www.www.com')).toBe('2:www.com')
  })
})

describe('an address is refused', () => {
  it.each([
    ['longer than 500 characters', `https://acme.com/${'a'.repeat(500)}`, /longer than 500/],
    ['longer than 500 once encoded', `https://acme.com/${'é'.repeat(100)}`, /once percent-encoded/],
    ['empty', '', /does not start/],
    ['a bare host', 'acme.com', /does not start/],
    ['another scheme', 'ftp://acme.com', /does not start/],
    ['a script', 'javascript:alert(1)', /does not start/],
    ['one slash', 'https:/acme.com', /does not start/],
    ['three slashes', 'https:///acme.com', /does not start/],
    ['no slashes', 'https:acme.com', /does not start/],
    ['a space before', ' https://acme.com', /space/],
    ['a space inside', 'https://acme.com/a b', /space/],
    ['a line break', 'https://acme.com/\n', /invisible/],
    ['a tab in the host', 'https://ac\tme.com', /invisible/],
    ['a null character', 'https://acme.com/\0', /invisible/],
    ['a soft hyphen in the host', 'https://ac\u00adme.com', /invisible/],
    ['a reversing mark', 'https://acme.com/\u202e', /invisible/],
    ['half a surrogate pair', 'https://acme.com/\ud800', /invisible/],
    ['a backslash', 'https://acme.com\\@evil.com', /backslash/],
    ['a user', 'https://user@acme.com', /credentials/],
    ['an empty user', 'https://@acme.com', /credentials/],
    ['a user and password', 'https://user:pass@acme.com', /credentials/],
    ['an escaped host', 'https://%61cme.com', /percent sign/],
    ['another port', 'https://acme.com:8443', /port/],
    ['the port of the other scheme', 'http://acme.com:443', /port/],
    ['an impossible port', 'http://acme.com:99999', /host or port/],
    ['IPv4', 'http://93.184.216.34', /IP address/],
    ['IPv4 in hex', 'http://0x5db8d822', /IP address/],
    ['IPv4 in octal', 'http://0135.0270.0330.042', /IP address/],
    ['IPv4 as one number', 'http://1572395042', /IP address/],
    ['IPv4 with a trailing dot', 'http://93.184.216.34.', /IP address/],
    ['IPv4 in full-width digits', 'http://９３.184.216.34', /IP address/],
    ['short IPv4', 'http://127.1', /IP address/],
    ['IPv6', 'http://[2606:2800:220:1::1]', /IP address/],
    ['mapped IPv6', 'http://[::ffff:127.0.0.1]', /IP address/],
    ['almost IPv4', 'http://1.2.3.4.5', /host or port/],
    ['two trailing dots', 'https://acme.com..', /part/],
    ['an empty label', 'https://shop..acme.com', /part/],
    ['one label', 'https://acme', /full domain name/],
    ['an underscore', 'https://my_shop.acme.com', /part/],
    ['a leading hyphen', 'https://-acme.com', /part/],
    ['a trailing hyphen', 'https://acme-.com', /part/],
    ['a label of 64 letters', `https://${'a'.repeat(64)}.com`, /part/],
    ['254 letters', `https://${'a.'.repeat(126)}com`, /longer than 253/],
    ['a name whose punycode is rejected', 'http://\u00fcxn--.com', /decoded/],
    ['punycode that does not decode', 'https://xn--0.com', /host or port|decoded/],
    ['a public suffix', 'https://co.uk', /public top-level/],
    ['an unknown top level', 'https://acme.notatld', /public top-level/],
    ['localhost', 'http://localhost', /full domain name/],
    ['below localhost', 'http://app.localhost', /reserved/],
    ['.local', 'http://printer.local', /reserved/],
    ['.internal', 'http://metadata.google.internal', /reserved/],
    ['.test', 'http://acme.test', /reserved/],
    ['.example', 'http://acme.example', /reserved/],
    ['.invalid', 'http://acme.invalid', /reserved/],
    ['.alt', 'http://acme.alt', /reserved/],
    ['.onion', 'http://duckduckgogg42xjoc72x3sjasowoarfbgcmvfimaftt6twagswzczad.onion', /reserved/],
    ['.arpa', 'http://1.0.0.127.in-addr.arpa', /reserved/],
    ['home.arpa', 'http://nas.home.arpa', /reserved/],
    ['example.com', 'https://example.com', /reserved/],
    ['below example.org', 'https://www.example.org', /reserved/],
  ])('for being or having %s', (_what, raw, detail) => {
    const problem = problemWith(raw)
    expect(problem).toBeInstanceOf(Problem)
    expect(problem).toMatchObject({ code: 'invalid_destination', status: 400, field: 'destination' })
    expect((problem as Problem).message).toMatch(detail)
  })

  it.each(['https://placard.dev', 'https://www.placard.dev/x', 'https://PLACARD.dev.'])(
    'for being this service: %s',
    raw => {
      expect(problemWith(raw, 'placard.dev')).toMatchObject({
        message: expect.stringMatching(/this service/),
      })
      expect(problemWith(raw, 'www.Placard.dev')).toMatchObject({
        message: expect.stringMatching(/this service/),
      })
      expect(problemWith(raw, 'other.dev')).toBeUndefined()
    },
  )
})

describe('for every text', () => {
  const piece = fc.constantFrom(
    ...[
      'acme.com',
      'www.',
      'WWW.',
      'co.uk',
      'github.io',
      'xn--bcher-kva',
      'xn--',
      'ü',
      '.',
      ':',
      '80',
      '443',
      '@',
      '%',
      '%2e',
      '%41',
      '%7c',
      '/',
      '//',
    ],
    ...[
      '?',
      '#',
      '..',
      '127.0.0.1',
      '[::1]',
      '0x7f',
      '１',
      '。',
      '|',
      '[',
      '\\',
      ' ',
      'a',
      'Z',
      '~',
      '_',
      '-',
      '\u{1F600}',
      '\u200d',
      '\ud800',
    ],
  )
  const address = fc
    .tuple(fc.constantFrom('http://', 'https://', 'HTTP://', 'https:/', ''), fc.array(piece, { maxLength: 12 }))
    .map(([scheme, pieces]) => scheme + pieces.join(''))
  const likelyAddress = fc
    .tuple(
      fc.constantFrom('http://', 'https://', 'HTTPS://'),
      fc.constantFrom('', 'www.', 'WWW.', 'www.www.', 'blog.'),
      fc.constantFrom('acme.com', 'Acme.co.uk', 'bücher.de', 'github.io', 'www.ck', 'co.uk', 'com'),
      fc.constantFrom('', '.', ':', ':80', ':443'),
      fc.array(fc.oneof(piece, fc.string({ unit: 'grapheme', maxLength: 3 })), { maxLength: 8 }),
    )
    .map(([scheme, www, host, end, path]) => `${scheme}${www}${host}${end}/${path.join('')}`)

  it('what is accepted is accepted again unchanged, and keeps nothing it should not', () => {
    let accepted = 0
    fc.assert(
      fc.property(fc.oneof(address, likelyAddress, anyWebAddress), raw => {
        let destination: ReturnType<typeof parseDestination>
        try {
          destination = parseDestination(raw)
        } catch (error) {
          expect(error).toBeInstanceOf(Problem)
          return
        }
        accepted++
        expect(parseDestination(destination.url)).toEqual(destination)
        const url = new URL(destination.url)
        expect([url.username, url.password, url.port, url.search, url.hash]).toEqual(['', '', '', '', ''])
        expect(url.href).toBe(destination.url)
        expect(url.hostname).toBe(destination.hostname)
        expect(destination.hostname).toMatch(/^(?:[a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]{1,62}$/)
        expect(destination.key).toMatch(/^2:[a-z0-9.-]+\.[a-z0-9-]+(?:\/[\w.~!$&'()*+,;=:@%-]+)*$/)
      }),
      { numRuns: 3_000 },
    )
    expect(accepted).toBeGreaterThan(300)
  })

  it('all spellings of one address have one key', () => {
    const segment = fc.string({
      unit: fc.constantFrom('a', 'B', '7', '-', '.', '_', '~', '!', '@', 'é', '|'),
      minLength: 1,
      maxLength: 6,
    })
    const spelling = fc.record({
      scheme: fc.constantFrom('http://', 'https://', 'hTTp://', 'HTTPS://'),
      www: fc.constantFrom('', 'www.', 'WwW.', 'www.Www.'),
      dot: fc.constantFrom('', '.'),
      idle: fc.constantFrom('', ';', ';;', '%20', '%c2%A0;', '%09%20'),
      page: fc.constantFrom('', '/index.html', '/INDEX.HTM', '/index.php;', '//default.aspx%20'),
      slash: fc.constantFrom('', '/', '//', '/./', '/x/..', '/%2E', '/;', '/%20/', '?q', '#f', '/?q#f'),
      upper: fc.boolean(),
      escaped: fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
    })
    const percentEncode = (character: string) =>
      character === '/' || character === '!' || character === '@'
        ? character
        : [...Buffer.from(character)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('')
    fc.assert(
      fc.property(
        fc.array(
          segment.filter(text => !/^\.+$/.test(text)),
          { maxLength: 4 },
        ),
        spelling,
        spelling,
        (segments, a, b) => {
          const write = ({ scheme, www, dot, idle, page, slash, upper, escaped }: typeof a) => {
            const host = upper ? 'SHOP.ACME.CO.UK' : 'shop.acme.co.uk'
            const path = segments.map(text => `/${text}`).join('')
            const written = [...path]
              .map((character, n) => (escaped[n] ? percentEncode(character) : character))
              .join('')
            // A host has no parameters, and no blanks.
            return `${scheme}${www}${host}${dot}${written}${path && idle}${page}${slash}`
          }
          expect(parseDestination(write(a)).key).toBe(parseDestination(write(b)).key)
        },
      ),
      { numRuns: 2_000 },
    )
  })
})

// @module-tag slow
import { hash } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { PageReaders } from '../../../../src/domain/review/page-parser/page-readers.ts'
import { readPage } from '../../../../src/domain/review/page-parser/read-page.ts'
import { judge } from '../../../../src/domain/review/reviewers/page-rules.ts'
import { anyCharacter } from '../../../support/characters.ts'
import { runs } from '../../../support/runs.ts'

/** Patient, for busy machines: anything worse than linear would take minutes. */
const readers = new PageReaders({ limits: { readMs: 30_000 } })
afterAll(() => readers.close())

const URL_TEXT = 'https://acme.com/shop/'
const PAGE_MAX_BYTES = 1024 * 1024
const NAMES = ['a', 'p', 'title', 'h1', 'meta', 'base', 'form', 'input', 'button', 'script', 'svg', 'math', 'template']
const RAW = [
  'noscript',
  'iframe',
  'noembed',
  'textarea',
  'select',
  'option',
  'table',
  'tr',
  'plaintext',
  'body',
  'head',
]
const ATTRIBUTES = [
  'name',
  'content',
  'property',
  'http-equiv',
  'href',
  'src',
  'action',
  'formaction',
  'type',
  'form',
  'id',
  'hidden',
  'lang',
]
const VALUES = [
  ...['refresh', 'rating', 'description', 'og:image', 'og:title', 'placard-challenge', 'password', 'adult'],
  ...[
    '0;url=//evil.com',
    '5',
    '//evil.com',
    'http://[',
    'http:',
    '\\\\evil.com',
    'javascript:1',
    'data:,',
    'http://üxn--.com/',
  ],
  ...[
    'text/javascript; charset=x',
    'module',
    'de_AT',
    'x',
    '',
    ' ',
    '\u202e',
    '\ud800',
    '&#0;',
    '&#x110000;',
    '&notin',
    '&amp',
  ],
]

const word = fc.oneof(
  fc.constantFrom(...VALUES),
  fc.string({ unit: anyCharacter, maxLength: 8 }),
  fc
    .constantFrom(' ', '\n', ';', '.', '-', '\u0301', '\u200d', '&', '<', '"', "'", 'a')
    .chain(unit => fc.integer({ min: 1, max: 6_000 }).map(times => unit.repeat(times))),
)
const quoted = fc.tuple(fc.constantFrom('"', "'", ''), word).map(([quote, text]) => `${quote}${text}${quote}`)
const attribute = fc
  .tuple(fc.oneof(fc.constantFrom(...ATTRIBUTES), fc.constantFrom('__proto__', 'constructor', 'toString')), quoted)
  .map(([name, value]) => `${name}=${value}`)
const tag = fc
  .tuple(
    fc.constantFrom('<', '</', '<!', '<?', '<!--', '<![CDATA['),
    fc.oneof(fc.constantFrom(...NAMES, ...RAW), fc.constantFrom('__proto__', 'constructor', 'x-y', 'h7', '')),
    fc.array(attribute, { maxLength: 4 }),
    fc.constantFrom('>', '/>', '-->', ']]>', ''),
  )
  .map(([open, name, attributes, close]) => `${open}${[name, ...attributes].join(' ')}${close}`)
/** HTML that nobody should write, and a lot of one kind of it. */
const html = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.oneof(tag, tag, word) },
      {
        weight: 1,
        arbitrary: fc.tuple(tag, fc.integer({ min: 2, max: 300 })).map(([one, times]) => one.repeat(times)),
      },
    ),
    { maxLength: 20 },
  )
  .map(parts => parts.join(''))
const body = fc.oneof(
  { weight: 8, arbitrary: html.map(text => Buffer.from(text)) },
  { weight: 1, arbitrary: html.map(text => Buffer.from(text, 'utf16le')) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 3_000 }).map(bytes => Buffer.from(bytes)) },
)
const contentType = fc.constantFrom(
  ...['text/html', 'text/html; charset=utf-8', 'text/html;charset=utf-16', 'text/html; charset=iso-2022-jp'],
  ...['application/xhtml+xml', 'text/html; charset="', 'text/html; charset=replacement', ''],
)
const headers = fc.record(
  {
    'content-type': contentType,
    refresh: fc.string({ maxLength: 200 }),
    rating: fc.string({ maxLength: 200 }),
  },
  { requiredKeys: ['content-type'] },
)

const isShown = (text: string, maxLength: number) => {
  expect(text.length).toBeLessThanOrEqual(maxLength)
  expect(text).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]|^\s|\s$/u)
}

describe('a page, whatever it is,', () => {
  it('is read within the bounds of each of its parts, and judged', () => {
    let deep = 0
    fc.assert(
      fc.property(body, headers, (bytes, sent) => {
        const read = readPage(bytes, new URL(URL_TEXT), sent)
        if (read.verdict !== 'pass') {
          deep++
          expect(read).toEqual({ verdict: 'reject', reason: 'too_large' })
          return
        }
        const { metadata, text, ...page } = read.page
        isShown(metadata.title, 200)
        isShown(metadata.description, 500)
        isShown(metadata.siteName, 200)
        isShown(text, 20_000)
        expect(Intl.getCanonicalLocales(metadata.language || 'en')).toHaveLength(1)
        const addresses = [metadata.imageUrl, page.refreshTo, ...page.passwordForms.map(form => form.action)]
        for (const address of addresses) {
          if (address !== null) expect(new URL(address).protocol).toMatch(/^https?:$/)
        }
        expect(page.linkedHosts.length).toBeLessThanOrEqual(500)
        expect(new Set(page.linkedHosts).size).toBe(page.linkedHosts.length)
        expect(page.verifications.every(one => one.length <= 200)).toBe(true)
        const { pageRules, phrases } = judge(read.page)
        expect(pageRules.verdict).toMatch(/^(pass|reject)$/)
        expect(phrases.verdict).toMatch(/^(pass|flag|reject)$/)
      }),
      // By chance, five hundred pages may have none that is nested too deeply.
      { numRuns: runs(500), examples: [[Buffer.from('<b>'.repeat(300)), { 'content-type': 'text/html' }]] },
    )
    expect(deep).toBeGreaterThan(0)
  })

  it('is read by a reader as it is read here', async () => {
    await fc.assert(
      fc.asyncProperty(body, headers, async (bytes, sent) => {
        const here = readPage(bytes, new URL(URL_TEXT), sent)
        const there = await readers.read({ body: bytes, url: URL_TEXT, headers: sent })
        expect(there).toEqual(
          here.verdict !== 'pass'
            ? here
            : {
                ...here,
                page: { ...here.page, judged: judge(here.page) },
                bodyHash: hash('sha256', bytes),
              },
        )
      }),
      { numRuns: runs(100) },
    )
  })

  it('takes a reader only a moment for a mebibyte of anything', async () => {
    const piece = fc.oneof(
      tag,
      word,
      fc.tuple(tag, word).map(parts => parts.join('')),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 3 }), headers, async (pieces, sent) => {
        const unit = pieces.join('') || ' '
        const text = unit.repeat(Math.ceil(PAGE_MAX_BYTES / unit.length))
        const body = Buffer.from(text).subarray(0, PAGE_MAX_BYTES)
        expect((await readers.read({ body, url: URL_TEXT, headers: sent })).verdict).not.toBe('cannot_tell')
      }),
      { numRuns: runs(20) },
    )
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '../../server/test/support/characters.ts'
import { CATEGORIES } from '../src/categories.ts'
import { suggestCategory, suggestDestination } from '../src/suggest.ts'

const anywhere = () => true

describe('of a category that is nearly right', () => {
  test.each([
    ['developer tools', 'Developer Tools'],
    ['DEVELOPER TOOLS', 'Developer Tools'],
    ['Develper Tools', 'Developer Tools'],
    ['Developper Tool', 'Developer Tools'],
    ['Developer-Tools', 'Developer Tools'],
    ['Food Drink', 'Food & Drink'],
    ['Food and Drink', 'Food & Drink'],
    ['Food &amp; Drink', 'Food & Drink'],
    ['  Games ', 'Games'],
    ['Gmaes', 'Games'],
    ['ecommerce & shopping', 'E-commerce & Shopping'],
    ['Business, Finance and Legal', 'Business, Finance & Legal'],
    ['AI Tool', 'AI Tools'],
  ])('%j suggests %j', (given, category) => {
    expect(suggestCategory(given)).toBe(category)
  })

  test.each(['', 'None', 'AI', 'Tools', 'Shoes', '&', 'ﷺ'.repeat(60), 'x'.repeat(1e6), null, 5, ['Games'], {}])(
    '%j suggests nothing',
    given => {
      expect(suggestCategory(given)).toBeUndefined()
    },
  )

  test('every one is suggested for itself with one letter left out, doubled, changed or swapped', () => {
    for (const category of CATEGORIES) {
      for (let at = 0; at < category.length; at++) {
        const [before, letter = '', next = '', after] = [
          category.slice(0, at),
          category[at],
          category[at + 1],
          category.slice(at + 2),
        ]
        const rest = next + after
        for (const typo of [
          before + rest,
          before + letter + letter + rest,
          `${before}q${rest}`,
          before + next + letter + after,
        ]) {
          expect([typo, suggestCategory(typo)]).toEqual([typo, category])
        }
      }
    }
  })

  test('only categories are ever suggested', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: anyCharacter }), fc.anything()), given => {
        expect([undefined, ...CATEGORIES]).toContain(suggestCategory(given))
      }),
    )
  })
})

describe('of an address without https://', () => {
  test.each([
    ['shop.com', 'https://shop.com/'],
    ['WWW.Shop.com', 'https://www.shop.com/'],
    ['//shop.com', 'https://shop.com/'],
    [' shop.com/about ', 'https://shop.com/about'],
    ['shop.com/about/index.html', 'https://shop.com/about/index.html'],
    ['shop.com./', 'https://shop.com/'],
    ['shop.com?utm=1', 'https://shop.com/'],
    ['shop.com/a?token=1234#owner=abcd', 'https://shop.com/a'],
    ['bücher.de', 'https://xn--bcher-kva.de/'],
  ])('%j suggests %j', (given, address) => {
    expect(suggestDestination(given, anywhere)).toBe(address)
  })

  test.each([
    ['a scheme', 'http://shop.com'],
    ['another scheme', 'ftp://shop.com'],
    ['a mailbox', 'mailto:a@shop.com'],
    ['a name and password', 'user:pass@shop.com'],
    ['a name', 'user@shop.com'],
    ['a port', 'shop.com:8080'],
    ['nothing', ''],
    ['a path', '/about'],
    ['escapes', 'shop%2ecom'],
    ['words', 'my shop.com'],
    ['a line break', 'shop.com/a\nb'],
    ['a key in the path', `shop.com/${'a1b2'.repeat(6)}`],
    ['a private link', 'placard.dev/manage/0199a0b0-0000-7000-8000-000000000001#owner=abc'],
    ['an escaped path', 'shop.com/%23owner%3Dabc'],
    ['a long host', `${'a.'.repeat(100)}com`],
  ])('with %s, nothing', (_what, given) => {
    expect(suggestDestination(given, anywhere)).toBeUndefined()
  })

  test('nothing that is not accepted', () => {
    expect(suggestDestination('shop.com', () => false)).toBeUndefined()
    expect(suggestDestination('shop.com', address => address === 'https://shop.com/')).toBeDefined()
  })

  test('whatever the text: printable, short, and without what was secret', () => {
    const piece = fc.constantFrom(
      'shop.com',
      '/',
      '?',
      '#',
      '@',
      ':',
      '\u202e',
      '\u001b[31m',
      '%41',
      '\\',
      'ü',
      ' ',
      '.',
    )
    const text = fc.oneof(
      fc.array(piece, { maxLength: 8 }).map(pieces => pieces.join('')),
      fc.string({ unit: anyCharacter }),
    )
    fc.assert(
      fc.property(text, given => {
        const suggestion = suggestDestination(given, anywhere) ?? 'https://none/'
        expect(suggestion).toMatch(/^https:\/\/[!-~]{1,112}$/)
        expect(suggestion).not.toMatch(/[?#@%\\]/)
      }),
      { numRuns: 2000 },
    )
  })
})

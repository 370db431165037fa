import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainText } from '../../src/destinations/plain-text.ts'

describe('plain text', () => {
  it.each([
    ['folds white space', '  a \t\r\n\u00a0\u2028 b\u3000', 'a b'],
    ['composes letters', 'e\u0301', '\u00e9'],
    ['drops control characters', 'a\0\u0007\u001b[31mb\u007f\u0085c', 'a[31mbc'],
    ['drops bidi marks', '\u202eab\u202c\u200ec\u200f\u061c\u2066d\u2069', 'abcd'],
    ['drops tags', 'a\u{e0001}\u{e0061}\u{e007f}b', 'ab'],
    ['drops halves of surrogate pairs', 'a\ud800b\udc00c', 'abc'],
    ['drops byte order marks, soft hyphens and fillers', '\ufeffa\u00adb\u3164c\u2060', 'abc'],
    ['drops idle joiners', '\u200da \u200cb', 'a b'],
    [
      'keeps joiners that work',
      '\u0645\u06cc\u200c\u062e \u{1f469}\u200d\u{1f4bb}',
      '\u0645\u06cc\u200c\u062e \u{1f469}\u200d\u{1f4bb}',
    ],
    ['keeps emoji as chosen', '\u2764\ufe0f', '\u2764\ufe0f'],
    ['keeps markup as text', '<b>&amp;</b>', '<b>&amp;</b>'],
    ['unpiles marks', `a${'\u0334'.repeat(50)}b`, `a${'\u0334'.repeat(8)}b`],
  ])('%s', (_what, raw, text) => {
    expect(plainText(raw, 100)).toBe(text)
  })

  it('is cut between visible characters', () => {
    const family = '\u{1f469}\u200d\u{1f469}\u200d\u{1f466}'
    expect(plainText(`abcde${family}x`, 10)).toBe('abcde')
    expect(plainText('abcde fgh', 6)).toBe('abcde')
    expect(plainText('a\u{1f600}b', 2)).toBe('a')
    expect(plainText('\u{1f469}\u200d'.repeat(20), 9)).toBe('\u{1f469}\u200d\u{1f469}\u200d\u{1f469}\u200d')
  })

  it('stays itself, well-formed, composed and short, whatever it was', () => {
    const odd = fc.constantFrom(
      ...'a \u200d\u0301\u0334\ud800\udc00\u202e\ufeff\u{1f469}\u{e0061}\u1100\u1161\ufe0f\n\u0bc6\u0bbe',
    )
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: odd, maxLength: 60 }), fc.string({ unit: 'binary' })),
        fc.integer({ min: 1, max: 30 }),
        (raw, max) => {
          const text = plainText(raw, max)
          expect(text.length).toBeLessThanOrEqual(max)
          expect(text.isWellFormed()).toBe(true)
          expect(text.normalize('NFC')).toBe(text)
          expect(text).not.toMatch(
            /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]|^\s|\s$|\s\s/u,
          )
          expect(plainText(text, max)).toBe(text)
        },
      ),
      { numRuns: 2_000 },
    )
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainText } from '../../../src/platform/lib/text.ts'
import { anyCharacter } from '../../support/characters.ts'

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
      'drops joiners in scripts that join nothing',
      'ca\u200dsi\u200cno ка\u200dзино 無\u200d修正 e\u0323\u200dt',
      'casino казино 無修正 ẹt',
    ],
    ['drops styles of what is no emoji', 'ca\ufe0fsi\ufe0eno 1\ufe0f8 \u2764\ufe0f\ufe0f', 'casino 18 \u2764\ufe0f'],
    ['drops marks of annotations and objects', 'ca\ufff9s\ufffai\ufffbn\ufffco', 'casino'],
    [
      'keeps joiners that work',
      '\u0645\u06cc\u200c\u062e \u{1f469}\u200d\u{1f4bb}',
      '\u0645\u06cc\u200c\u062e \u{1f469}\u200d\u{1f4bb}',
    ],
    ['keeps emoji as chosen', '\u2764\ufe0f 1\ufe0f\u20e3', '\u2764\ufe0f 1\ufe0f\u20e3'],
    [
      'keeps emoji that consist of others',
      '\u{1f441}\ufe0f\u200d\u{1f5e8}\ufe0f \u{1f9d1}\u{1f3fd}\u200d\u{1f680}',
      '\u{1f441}\ufe0f\u200d\u{1f5e8}\ufe0f \u{1f9d1}\u{1f3fd}\u200d\u{1f680}',
    ],
    ['keeps markup as text', '<b>&amp;</b>', '<b>&amp;</b>'],
    ['unpiles marks', `a${'\u0334'.repeat(50)}b`, `a${'\u0334'.repeat(5)}b`],
    ['unpiles marks with joiners between', `क${'\u093c\u200d'.repeat(50)}b`, `क${'\u093c\u200d'.repeat(5)}b`],
    ['unpiles marks of a letter that comes apart', `\u0958${'\u0301'.repeat(9)}`, `\u0915\u093c${'\u0301'.repeat(4)}`],
    [
      'keeps the five marks of Burmese and of pointed Hebrew',
      'လျှို့ဝှက် \u05e9\u05bc\u05c1\u05b8\u0591\u05bd',
      'လျှို့ဝှက် \u05e9\u05b8\u05bc\u05bd\u05c1\u0591',
    ],
  ])('%s', (_what, raw, text) => {
    expect(plainText(raw, 100)).toBe(text)
  })

  it('is cut after a word, and shows it', () => {
    expect(plainText('Bread and cinnamon rolls', 16)).toBe('Bread and…')
    expect(plainText('Bread and cinnamon rolls', 20)).toBe('Bread and cinnamon…')
    expect(plainText('Bread and cinnamon rolls', 24)).toBe('Bread and cinnamon rolls')
    expect(plainText(`Bread ${'a'.repeat(99)}`, 50)).toBe(`Bread ${'a'.repeat(43)}…`)
    expect(plainText('焼きたてのパンと菓子', 6)).toBe('焼きたての…')
  })

  it('is cut between visible characters', () => {
    const family = '\u{1f469}\u200d\u{1f469}\u200d\u{1f466}'
    expect(plainText(`abcde${family}x`, 10)).toBe('abcde…')
    expect(plainText('abcde\u0323\u0301fgh', 6)).toBe('abcd…')
    expect(plainText('a\u{1f600}bc', 3)).toBe('a…')
    expect(plainText('\u{1f469}\u200d'.repeat(20), 9)).toBe('\u{1f469}\u200d\u{1f469}\u200d\u{1f469}…')
  })

  it('stays itself, well-formed, composed and short, whatever it was', () => {
    const odd = fc.constantFrom(
      ...'a \u200d\u0301\u0334\ud800\udc00\u202e\ufeff\u{1f469}\u{e0061}\u1100\u1161\ufe0f\n\u0bc6\u0bbe',
    )
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: odd, maxLength: 60 }), fc.string({ unit: anyCharacter })),
        fc.integer({ min: 1, max: 30 }),
        (raw, max) => {
          const text = plainText(raw, max)
          expect(text.length).toBeLessThanOrEqual(max)
          expect(text.isWellFormed()).toBe(true)
          expect(text.normalize('NFC')).toBe(text)
          expect(text).not.toMatch(
            /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]|^\s|\s$|\s\s/u,
          )
          expect(text).not.toMatch(/(\p{M}[\u200c\u200d]*){6}/u)
          expect(plainText(text, max)).toBe(text)
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('loses only the words that do not fit', () => {
    const words = fc.array(fc.string({ unit: fc.constantFrom(...'abcdé'), minLength: 1, maxLength: 12 }), {
      minLength: 1,
      maxLength: 20,
    })
    fc.assert(
      fc.property(words, fc.integer({ min: 20, max: 60 }), (words, max) => {
        const whole = words.join(' ')
        const text = plainText(whole, max)
        if (whole.length <= max) {
          expect(text).toBe(whole)
          return
        }
        expect(text.endsWith('…')).toBe(true)
        const kept = text.slice(0, -1)
        expect(`${whole} `.startsWith(`${kept} `)).toBe(true)
        // The next word did not fit.
        expect(whole.slice(kept.length + 1).split(' ')[0]?.length).toBeGreaterThan(max - text.length - 1)
      }),
    )
  })
})

import { describe, expect, it } from 'vitest'
import { bitsBetween, GIST_WORDS_MAX, gistOf } from '../../../../src/domain/review/page-parser/fingerprint.ts'

const NO_NAME = { title: '', description: '' }
const fingerprint = (text: string) => gistOf(NO_NAME, text).fingerprint
const story = (word: string) =>
  Array.from({ length: 60 }, (_, nth) => `${word}${nth} and something about ${word}${(nth * 7) % 60}`).join('. ')

describe('the fingerprint of a text', () => {
  it('is 64 bits in hex, and zeros without words', () => {
    expect(fingerprint(story('oak'))).toMatch(/^[0-9a-f]{16}$/)
    expect(fingerprint('…')).toBe('0'.repeat(16))
  })

  it('differs in few bits where few words differ, and in about half of them where all do', () => {
    const [before, after] = [story('oak'), story('oak').replace('oak5 ', 'ash5 ')]
    expect(before).not.toBe(after)
    expect(bitsBetween(fingerprint(before), fingerprint(after))).toBeLessThanOrEqual(8)
    expect(bitsBetween(fingerprint(before), fingerprint(story('beech')))).toBeGreaterThan(16)
    expect(bitsBetween('0000000000000000', 'ffffffffffffffff')).toBe(64)
  })

  it('knows scripts that do not separate words', () => {
    const text = '今日はとても良い天気なので、庭で本を読みながらお茶を飲みました。'.repeat(3)
    expect(bitsBetween(fingerprint(text), fingerprint(text.replace('お茶', '珈琲')))).toBeLessThanOrEqual(20)
  })
})

describe('the words of a text', () => {
  it('are those of its name, then those it uses most, and only long ones', () => {
    const { words } = gistOf({ title: 'The Oak Bakery', description: '' }, 'rolls loaves rolls and rolls, loaves, buns')
    expect(words).toEqual(['bakery', 'rolls', 'loaves', 'buns'])
  })

  it('are pairs of characters where words are not separated', () => {
    expect(gistOf({ title: '東京案内', description: '' }, '').words).toEqual(['東京', '京案', '案内'])
  })

  it('are without particles and endings in Korean', () => {
    expect(gistOf(NO_NAME, '빵집에서 호밀빵과 빵을, 빵집은 호밀빵').words).toEqual(['빵집', '호밀', '빵을'])
  })

  it('are not many', () => {
    expect(gistOf(NO_NAME, story('tree')).words).toHaveLength(GIST_WORDS_MAX)
  })
})

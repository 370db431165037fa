import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { marker } from '../../../src/domain/search/highlights.ts'
import { mistyped, relaxedWord, wordsOf } from '../../../src/domain/search/query.ts'
import { anyCharacter } from '../../support/characters.ts'

const marked = (text: string, typed: string, inside: string[] = []) =>
  marker(wordsOf(typed).map(word => relaxedWord(word, inside)))(text, 'en')
    .map(part => (part.isMatch ? `[${part.text}]` : part.text))
    .join('')

describe('the words that were found', () => {
  it.each([
    ['A lamp, and LAMPS; a lampshade. Clamp', 'lamp', [], 'A [lamp], and [LAMPS]; a [lampshade]. Clamp'],
    ['Hexlantern – read', 'lantern', ['hexlantern'], '[Hexlantern] – read'],
    ['Café Crème', 'cafe', [], '[Café] Crème'],
    ['Recipes to recipe', 'recipe', [], '[Recipes] to [recipe]'],
    ['毎日新聞社です', '新聞', [], '毎日[新聞]社です'],
    ['ことばラボ', 'ことば', [], '[ことば]ラボ'],
    ['新聞紙と新聞と新聞', '新聞', [], '[新聞]紙と[新聞]と[新聞]'],
    ['ｶﾞｽ工事', 'ガス', [], '[ｶﾞｽ工事]'],
    ['حكايات — قصص', 'حكايات', [], '[حكايات] — [قصص]'],
    ['<mark>lamp</mark>', 'lamp', [], '<mark>[lamp]</mark>'],
    ['1,204 tonnes; 1 204', '1.204', [], '[1,204] tonnes; 1 204'],
    ['One e-mail, no mail', 'email', [], 'One [e-mail], no mail'],
    ['One e-mail, no male', 'mail', [], 'One e-[mail], no male'],
    ['<C++> or C', 'c++', [], '<[C++]> or C'],
    ['Golf ⛳️ 👋🏽', '👋 ⛳', [], 'Golf [⛳️] [👋🏽]'],
    ['Nothing', 'lamp', [], 'Nothing'],
    ['', 'lamp', [], ''],
  ])('in “%s” for “%s” are marked', (text, typed, inside, shown) => {
    expect(marked(text, typed, inside)).toBe(shown)
  })

  it('include the word that a typo was corrected to', () => {
    expect(marker([mistyped('sourdoh', [{ word: 'sourdough', isBeginning: false }])])('Sourdough', 'en')).toEqual([
      { text: 'Sourdough', isMatch: true },
    ])
  })

  it('leave every text as it is, whatever it holds', () => {
    const anything = fc.string({
      unit: fc.oneof(
        fc.constantFrom(...'<>&"lamp1 -.+#,⛳️🏽新聞ﾆｭｰ\ud800\u0301\ufdfaß'),
        fc.string({ unit: anyCharacter }),
      ),
    })
    fc.assert(
      fc.property(anything, anything, (text, typed) => {
        const parts = marker(wordsOf(typed).map(word => relaxedWord(word, [])))(text, 'en')
        expect(parts.map(part => part.text).join('')).toBe(text)
        expect(parts.every(part => part.text !== '')).toBe(true)
      }),
    )
  })
})

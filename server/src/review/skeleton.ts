import data from 'unhomoglyph/data.json' with { type: 'json' }

/** The confusable characters of UTS 39 and what each looks like. */
const CONFUSABLES: Readonly<Record<string, string>> = data

/** What looks alike at a glance, beyond UTS 39, which tells `i` from `l`. As browsers do it. */
const GLANCE: Readonly<Record<string, string>> = {
  i: 'l',
  '1': 'l',
  '|': 'l',
  j: 'l',
  '0': 'o',
  ı: 'l',
  ȷ: 'l',
}

/**
 * The shape of a word: two words that look alike have the same. The skeleton of UTS 39, without accents, and with the
 * pairs that people take for one another (rn and m, vv and w, 1, i and l).
 */
export function skeletonOf(word: string): string {
  let shape = ''
  for (const character of word.toLowerCase().normalize('NFD')) {
    for (const part of (CONFUSABLES[character] ?? character).toLowerCase().normalize('NFD')) {
      if (!/\p{Mn}/u.test(part)) shape += GLANCE[part] ?? part
    }
  }
  return shape.replaceAll('vv', 'w')
}

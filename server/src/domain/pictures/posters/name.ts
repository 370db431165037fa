/** Separates a website's name from the rest of its title. A figure such as 1,204 is not cut. */
const SEPARATOR = /\s[–—·|-]+\s|\s[–—]|[:,](?:\D|$)|[：｜|]/u
/** What home pages often write before the name of their website, and the signs between them. */
const PAGE_NAMES =
  `home, homepage, home page, startseite, accueil, inicio, início, strona główna, главная, 首页, ホーム,
  about, about us, über uns, blog, news`.split(/,\s+/)
const BETWEEN = / [–—·|-]+ /
/** With what surrounds or colours them. */
const EMOJI = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{RI}]|\ufe0f|\u20e3/gu
/** Never drawn: controls, directions, joiners, unassigned signs, lone surrogates. */
const UNSEEN = /\p{C}/gu
/** No language puts more marks on one letter. */
const MARKS_TOO_MANY = /(\p{M}{2})\p{M}+/gu
const SMALL_WORDS = /^(the|of|a|an|de|del|la|le|il|da|for|and)$/i
const NAME_MAX_LENGTH = 200

const byCharacter = new Intl.Segmenter('und', { granularity: 'grapheme' })

/** Returns the part of a title that can be drawn: no emoji, controls, or piles of marks. */
export const plainTitle = (title: string): string =>
  title
    .slice(0, NAME_MAX_LENGTH)
    .normalize()
    .replace(EMOJI, '')
    .replace(UNSEEN, '')
    .replace(MARKS_TOO_MANY, '$1')
    .replace(/\s+/g, ' ')
    .trim()

/** Returns a title without what stands before the name of the website, such as “Home | ”. */
export function withoutPageName(title: string): string {
  const between = BETWEEN.exec(title)
  const isPageName = between && PAGE_NAMES.includes(title.slice(0, between.index).toLowerCase())
  return isPageName ? title.slice(between.index + between[0].length) : title
}

/**
 * The name in a title: the part before a dash, colon, comma or bar, or after it in “Home | Acme”. Empty if that is only
 * signs.
 */
export function shortName(title: string): string {
  const plain = withoutPageName(plainTitle(title))
  const name = plain.slice(0, SEPARATOR.exec(plain)?.index).trim()
  return /[\p{L}\p{N}]/u.test(name) ? name : ''
}

/** Prepares a text for capitals: in Turkish and Azerbaijani, they keep the dot of an i. */
export const dotted = (text: string, language: string): string =>
  /^(?:tr|az)(?:-|$)/i.test(language) ? text.replaceAll('i', 'İ') : text

/** The first character of a text, with its marks. */
const firstCharacter = (text: string): string => [...byCharacter.segment(text)][0]?.segment ?? ''

/** Georgian has capitals only for whole texts, and most systems have no letters for them. */
const small = (letter: string) => letter.toLowerCase()

/**
 * A name where there is little room: `MC` for Marginalia Club, `S` for Stripeling, `LENA` for lena; the
 * first character in scripts without capitals. A bullet if the title has no name.
 */
export function initialsOf(title: string): string {
  const name = shortName(title).replace(/[^\p{L}\p{N}\p{M}\s&’'-]/gu, '')
  if (!/[\p{L}\p{N}]/u.test(name)) return '•'
  if (!/^[ -ɏ’]+$/.test(name))
    return firstCharacter(name.trim())
      .toUpperCase()
      .replace(/\p{sc=Geor}/u, small)
  const all = name.split(/[\s&-]+/).filter(word => word !== '')
  const words = all.filter(word => !SMALL_WORDS.test(word))
  const [first = '', second] = words.length > 0 ? words : all
  if (second !== undefined) return (firstCharacter(first) + firstCharacter(second)).toUpperCase()
  return (first.length < 5 ? first : firstCharacter(first)).toUpperCase()
}

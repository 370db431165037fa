import { readFileSync } from 'node:fs'
import { packageFile } from '../../platform/lib/package.ts'
import type { Brand } from './drawing.ts'
import type { Area, Sheet } from './sheet.ts'

/** All characters in our fonts. Pango would draw a box for any other. */
const IN_FONTS = new Set(readFileSync(packageFile('fonts/built/signs.txt'), 'utf8'))
const LENGTH_MAX = 200

/**
 * Never drawn: controls, directions, fillers, and skin tones, which would be boxes. Joiners stay, because they change how
 * others are drawn.
 */
const UNSEEN = /(?!\p{Join_Control})(?:[\p{Cc}\p{Cf}\p{DI}\p{Emoji_Modifier}\ufffd]|\u20e3)/gu
const SEEN = /[^\p{M}\p{Join_Control} ]/u

/** More marks than any language puts on one letter. A pile of them would cover the lines around it. */
const MARKS_TOO_MANY = /([\p{M}\p{Join_Control}]{6})[\p{M}\p{Join_Control}]+/gu

/** Scripts without spaces between words: ICU knows where lines may break, Pango does not. */
const UNPARTED = /[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]/u

/** Korean separates words by spaces, but Pango would break lines anywhere. */
const WITHIN_KOREAN = /(?<=\p{sc=Hang})(?=\p{sc=Hang})/gu
const HOST_MAX_LENGTH = 60

const byWord = new Intl.Segmenter('und', { granularity: 'word' })

/** The drawable part of any text: 𝓕 becomes F if no font has it. Empty if nothing visible remains. */
export function drawable(raw: string): string {
  const plain = raw
    .slice(0, 10 * LENGTH_MAX)
    .normalize()
    .replace(/[\s\u2800]+/g, ' ')
    .replace(UNSEEN, '')
  const signs = Array.from(plain.replace(MARKS_TOO_MANY, '$1'), inFonts).slice(0, LENGTH_MAX)
  const text = signs.join('').trim()
  return SEEN.test(text) ? text : ''
}

function inFonts(sign: string): string {
  return [sign, sign.normalize('NFKC')].find(each => Array.from(each).every(part => IN_FONTS.has(part))) ?? ''
}

/** The drawable part of a text, as Pango markup. */
export function markupOf(raw: string): string {
  const text = drawable(raw)
  const parts = UNPARTED.test(text) ? Array.from(byWord.segment(text), ({ segment }) => segment) : [text]
  return parts
    .join('\u200b')
    .replace(WITHIN_KOREAN, '\u2060')
    .replace(/[<>&]/g, sign => `&#${sign.charCodeAt(0)};`)
}

/**
 * Returns a host in ASCII, because an international name in its own letters could be mistaken for another. A long host
 * loses its beginning, because its end shows its owner.
 */
export function hostText(hostname: string): string {
  const host = hostname.replace(/^www\./, '')
  return host.length > HOST_MAX_LENGTH ? `…${host.slice(1 - HOST_MAX_LENGTH)}` : host
}

const RULE = { left: 40, top: 546, width: 1120, height: 3 }
const LEFT = { left: 40, top: 566, width: 740, height: 40 }
const RIGHT = { left: 800, top: 566, width: 360, height: 40 }

/** Invisible, and as tall as any letter, so that all lines of a size have the same height. */
const STRUT = '<span alpha="1">|</span>'

/** From a wide P to a narrow D. */
const WIDTHS = ['expanded', 'expanded', 'semiexpanded', 'normal', 'semicondensed', 'condensed', 'extracondensed']
const OUR_NAME = 'PLACARD'
const WORDMARK = WIDTHS.map(
  (width, place) => `<span weight="900" font_stretch="${width}">${OUR_NAME[place]}</span>`,
).join('')

/** Draws the foot of each picture: a rule, some words, and the site's name. */
export async function setImprint(sheet: Sheet, markup: string, brand: Brand): Promise<void> {
  sheet.fill(RULE)
  await sheet.set(markup + STRUT, LEFT, { style: 'speak', size: 30, wrap: 'none', inTheMiddle: true })
  await setName(sheet, brand, RIGHT)
}

/** Draws the site's name at the right of a room. */
const setName = (sheet: Sheet, { name }: Brand, room: Area) =>
  sheet.set(STRUT + nameMarkup(name), room, {
    style: 'speak',
    size: 40,
    wrap: 'none',
    toTheRight: true,
    inTheMiddle: true,
  })

const nameMarkup = (name: string) =>
  name.toUpperCase() === OUR_NAME
    ? WORDMARK
    : `<span weight="900" font_stretch="semicondensed">${markupOf(name)}</span>`

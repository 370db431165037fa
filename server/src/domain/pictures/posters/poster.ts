import { escapeText, fitLine, lineSvg, round } from './line.ts'
import { dotted, initialsOf, plainTitle, shortName } from './name.ts'
import { drawCorner, drawShapes, type Sheet, sheetOf } from './shapes.ts'
import { isMeasured } from './wood-type.ts'
import { drawBlock, drawRepeat, drawSpread, drawStack, drawVertical } from './words.ts'

/** How a placard is drawn. The first three spell the name out. */
export const KINDS = [
  'stack',
  'repeat',
  'vertical',
  'initials',
  'disc',
  'bleed',
  'corner',
  'characters',
  'shapes',
] as const
type Kind = (typeof KINDS)[number]

/** The kind for each part of a hash, whatever the name. */
const BY_HASH: readonly Kind[] = [
  'initials',
  'stack',
  'disc',
  'repeat',
  'bleed',
  'vertical',
  'corner',
  'stack',
  'repeat',
  'vertical',
]

/** Scripts in which one or two characters represent a name. */
const STANDING_ALONE =
  /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Cyrl}\p{sc=Grek}\p{sc=Hebr}\p{sc=Armn}\p{sc=Geor}]/u

/** The kind of a listing: that of its host's hash, if its name allows it. */
export function kindOf({ hostname, title }: { hostname: string; title: string }): Kind {
  const name = shortName(title)
  if (name === '') return 'shapes'
  if (!isMeasured(name)) return STANDING_ALONE.test(name) ? 'characters' : 'shapes'
  const kind = fitting(BY_HASH[hashOf(hostname) % BY_HASH.length] ?? 'initials', name.split(' '))
  // A short name stands for itself, and would be small in a corner.
  return kind === 'corner' && initialsOf(title).length > 2 ? 'initials' : kind
}

/** Longer words would be too small to spell out. */
function fitting(kind: Kind, words: readonly string[]): Kind {
  const [{ length: first }, longest] = [words[0] ?? '', Math.max(...words.map(word => word.length))]
  if (kind === 'stack') {
    if (words.length > 3 || longest > 11) return 'initials'
    if (words.length > 1) return 'stack'
    if (first >= 10) return 'bleed'
    return first % 2 === 0 ? 'repeat' : 'vertical'
  }
  if (kind === 'vertical') return first > 9 ? 'bleed' : 'vertical'
  if (kind === 'repeat') {
    if (first > 9) return 'bleed'
    return words.length > 2 || longest > 11 ? 'disc' : 'repeat'
  }
  return kind
}

const SHOW_INITIALS: ReadonlySet<Kind> = new Set(['initials', 'disc', 'bleed', 'corner'])

/** Whether a drawing spells the whole title, so that the page need not repeat it below. */
export function spellsTitle(kind: Kind, title: string): boolean {
  const isWhole = shortName(title) === title
  if (SHOW_INITIALS.has(kind)) return isWhole && isMeasured(title) && initialsOf(title) === title.toUpperCase()
  if (kind === 'vertical') return isWhole && !title.includes(' ')
  return isWhole && (kind === 'stack' || kind === 'repeat')
}

/** A whole number from 0 to 2³²−1 for a text, the same everywhere and always (FNV-1a, then mixed). */
export function hashOf(text: string): number {
  let hash = 2_166_136_261
  for (const sign of text) hash = Math.imul(hash ^ (sign.codePointAt(0) ?? 0), 16_777_619)
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_519)
  return (hash ^ (hash >>> 13)) >>> 0
}

/** What to draw: a stranger's words, which never leave their text node. */
export interface Drawn {
  hostname: string
  title: string
  language?: string
}

/**
 * Draws the placard of a listing, always the same for the same host and title. SVG with text takes microseconds and a
 * few hundred bytes in the page. As an image, each took 300 ms of CPU, a queue and a request.
 *
 * @param viewHeight of a sheet 400 wide
 * @param kind replaces the listing's own
 * @returns the content of an `svg` with that `viewBox`, to be filled with the ink, and `.spared` with the paper
 */
export function drawArt(drawn: Drawn, viewHeight: number, kind: Kind = kindOf(drawn)): string {
  const sheet = sheetOf(viewHeight)
  const title = dotted(drawn.title, drawn.language ?? '')
  const name = shortName(title).toUpperCase()
  const initials = initialsOf(title)
  const seed = hashOf(drawn.hostname)
  switch (kind) {
    case 'stack':
      return drawStack(name, sheet)
    case 'repeat':
      return drawRepeat(name, sheet)
    case 'vertical':
      return drawVertical(name, sheet)
    case 'initials':
      return drawInitials(initials, sheet)
    case 'disc':
      return drawDisc(initials, sheet)
    case 'bleed':
      return drawBleed(initials, sheet)
    case 'corner':
      return drawCorner(initials, seed, sheet)
    case 'characters':
      return drawCharacters(name, sheet)
    case 'shapes':
      return drawShapes(seed, sheet)
  }
}

const TITLE_MAX_LENGTH = 26
const TITLE_MAX_WORDS = 5
/** Of a name with the rest of its title below, which leaves it half of the height. */
const NAME_MAX_LENGTH = 18

/** The whole title, if it can be set like wood type: short, and in letters that our font has. */
export function settableTitle(title: string): string | undefined {
  const plain = plainTitle(title)
  const isShort = plain.length <= TITLE_MAX_LENGTH && plain.split(' ').length <= TITLE_MAX_WORDS
  return isShort && isMeasured(plain) && shortName(title) === plain ? plain : undefined
}

/**
 * Splits a title after its name, if that can be set like wood type.
 *
 * @returns undefined if it can't be set, or if the title does not begin with it
 */
export function settableName(title: string): { name: string; separator: string; rest: string } | undefined {
  const name = settableTitle(shortName(title))
  if (!name || name.length > NAME_MAX_LENGTH || !title.startsWith(name)) return undefined
  const [separator = '', rest = ''] = /^([\s\p{P}\p{S}]*)(.*)$/su.exec(title.slice(name.length))?.slice(1) ?? []
  return { name, separator, rest }
}

/** Sets such a title as a block as wide as the sheet, to be placed below a picture. Otherwise works like `drawArt`. */
export function drawTitle(title: string, viewHeight: number): string {
  const sheet = sheetOf(viewHeight)
  return drawBlock(title, { ...sheet, height: sheet.height + 6 })
}

/** Sets the service's own words below each other, each as wide as the sheet. */
export const drawSign = (words: string, viewHeight: number): string => drawSpread(words, sheetOf(viewHeight, 22))

function drawInitials(initials: string, { margin, width, height, viewWidth }: Sheet): string {
  const line = fitLine(initials, width, height)
  const y = margin + line.above + (height - line.above - line.below) / 2
  return line.isFull
    ? lineSvg(line, { x: margin, y, length: width })
    : lineSvg(line, { x: viewWidth / 2, y, isCentred: true })
}

function drawDisc(initials: string, { height, viewWidth, viewHeight }: Sheet): string {
  const radius = height / 2
  const line = fitLine(initials, radius * 1.28, radius * 1.02)
  const [x, middle] = [viewWidth / 2, viewHeight / 2]
  const y = middle + (line.above - line.below) / 2
  return (
    `<circle cx="${round(x)}" cy="${round(middle)}" r="${round(radius)}"/>` +
    lineSvg(line, { x, y, isCentred: true, isSpared: true })
  )
}

/** Initials that run over the lower edge of a printed sheet. */
function drawBleed(initials: string, { viewWidth, viewHeight }: Sheet): string {
  const line = fitLine(initials, viewWidth * 0.92, viewHeight * 0.98)
  return (
    `<path d="M-4 -4h${viewWidth + 8}v${viewHeight + 8}h-${viewWidth + 8}z"/>` +
    lineSvg(
      { ...line, size: line.size * 1.06 },
      { x: viewWidth / 2, y: viewHeight + 2, isCentred: true, isSpared: true },
    )
  )
}

/** Uses the system's type, whose width is unknown: no character is much wider than high. */
function drawCharacters(name: string, { viewWidth, viewHeight }: Sheet): string {
  const isSquare = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u.test(name)
  const characters = isSquare ? [...name].slice(0, 2).join('').trim() : initialsOf(name)
  const size = Math.min([...characters].length > 1 ? 186 : 300, viewHeight * 0.83)
  return (
    `<text x="${viewWidth / 2}" y="${round(viewHeight / 2 + size * 0.36)}" font-size="${round(size)}"` +
    ` font-weight="900" text-anchor="middle">${escapeText(characters)}</text>`
  )
}

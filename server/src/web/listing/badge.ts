import { readFileSync } from 'node:fs'
import type { Board } from '@placard/contract'
import type { Standing } from '../../domain/boards/standings.ts'
import { escapeText, round } from '../../domain/pictures/posters/line.ts'
import type { Accent } from '../../platform/config/accent.ts'
import { PLACARD, paidWords, type Site } from '../../platform/config/site.ts'
import { packageFile } from '../../platform/lib/package.ts'
import { dayText } from '../../platform/lib/text.ts'
import { xml } from '../ui/atom.ts'
import { WORDMARK_PATH } from '../ui/masthead.tsx'
import { shortDayText } from '../ui/time.tsx'

/** In pixels. */
export const BADGE_HEIGHT = 48

/** Paper, ink, and what a rank stands on: the colour of the board; marigold is for No. 1 alone. */
const STYLES = {
  light: ({ light }: Accent) => ({ paper: '#faf8f2', ink: '#16181a', rank: light.board, onRank: light.onBoard }),
  dark: ({ dark }: Accent) => ({ paper: '#0f1211', ink: '#f1eee4', rank: dark.onPage, onRank: '#0f1211' }),
  plain: () => ({ paper: '#fff', ink: '#000', rank: '#fff', onRank: '#000' }),
} as const
export const BADGE_STYLES = Object.keys(STYLES) as BadgeStyle[]
const FIRST = { rank: '#f2b705', onRank: '#16181a' }

type BadgeStyle = keyof typeof STYLES

export const isBadgeStyle = (text: unknown): text is BadgeStyle =>
  typeof text === 'string' && Object.hasOwn(STYLES, text)

interface Badge {
  title: string
  /** Its place on the board, if it has one. */
  standing: Standing | undefined
  board: Board
  /** The UTC day on which it was drawn by lot, to say that instead of a place. */
  drawnOn?: string | undefined
  style: BadgeStyle
  site: Site
}

const PAID_ON = { all: 'all time', today: 'today' }
export const ON = { all: 'of all time', today: 'today' }

/** Our wordmark, in pixels. */
const MARK = { width: 96 }
const PADDING = 12
const RANK_SIZE = 26
const WORDS_SIZE = 11
/** Of a name that is not our wordmark. */
const NAME_SIZE = 16
const NAME_MAX_WIDTH = 200

const rankText = ({ rank }: Standing) => `No. ${rank.toLocaleString('en-US')}`

/** What a badge says, for those who do not see it. */
export const badgeWords = ({ title, standing, board, drawnOn, site }: Omit<Badge, 'style'>): string =>
  standing
    ? `${title}: ${rankText(standing)} ${ON[board]} on ${site.name}, ${paidWords(site).place}`
    : `${title}, ${drawnOn ? `drawn by lot on ${dayText(Date.parse(drawnOn))},` : 'listed'} on ${site.name}`

/** A badge as SVG that needs no font, script or style sheet. All that it draws are our own words; the title is only its name. */
export function renderBadge(badge: Badge): string {
  const { standing, board, drawnOn, style, site } = badge
  const { paper, ink, ...rest } = STYLES[style](site.accent)
  const { rank, onRank } = standing?.rank === 1 && style !== 'plain' ? FIRST : rest
  const number = standing && outlined(rankText(standing), 'wood', RANK_SIZE)
  const left = number ? number.width + 2 * PADDING : 0
  const words = outlined(
    standing ? `${paidWords(site).label}, ${PAID_ON[board]}` : drawnOn ? `Drawn ${shortDayText(drawnOn)}` : 'Listed on',
    'text',
    WORDS_SIZE,
  )
  const name = nameOf(site)
  const width = left + Math.max(words.width, name.width) + 2 * PADDING
  const place = number
    ? `<rect x="1" y="1" width="${left}" height="46" fill="${rank}"/>${
        style === 'plain' ? `<path d="M${left} 1v46" stroke="${ink}" stroke-width="2"/>` : ''
      }${number.at(PADDING, 33, onRank)}`
    : ''
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${BADGE_HEIGHT}" viewBox="0 0 ${width} ${BADGE_HEIGHT}" role="img">
<title>${xml(badgeWords(badge))}</title>
<rect x="1" y="1" width="${width - 2}" height="46" fill="${paper}" stroke="${ink}" stroke-width="2"/>
${place}
${words.at(left + PADDING, 18, ink)}
${name.at(left + PADDING, 38, ink)}
</svg>
`
}

/** Our wordmark, or another name in type. */
function nameOf({ name }: Site): ReturnType<typeof outlined> {
  if (name !== PLACARD.name) {
    const { width } = outlined(name, 'text', NAME_SIZE)
    return outlined(name, 'text', NAME_SIZE * Math.min(1, NAME_MAX_WIDTH / width))
  }
  const scale = MARK.width / 4725
  return {
    width: MARK.width,
    at: (x, y, fill) =>
      `<path fill="${fill}" transform="translate(${x} ${y - 13}) scale(${scale}) translate(-60 2)" d="${WORDMARK_PATH}"/>`,
  }
}

/** Two cuts of our font: narrow and heavy for a rank, wider and lighter for words. */
type Cut = 'wood' | 'text'

/** The width and the outline of each printable character of ASCII, in thousandths of the letter size. */
type Letters = Readonly<Record<string, readonly [width: number, path: string]>>

const CUTS = JSON.parse(readFileSync(packageFile('fonts/built/letters.json'), 'utf8')) as Record<Cut, Letters>

interface Outlined {
  /** In pixels. */
  width: number
  /** Draws the words on a line that begins at `x` and `y`, in pixels. */
  at: (x: number, y: number, fill: string) => string
}

/** In a font whose width is unknown: the widest that a character may be, as a share of the letter size. */
const OTHER_WIDTH = 1

/**
 * Sets words as outlines, because an SVG in an `img` can use no font of a page. Words with other letters are set in the
 * reader's font, squeezed into room for the widest letters.
 *
 * @param size of the letters, in pixels
 */
export function outlined(words: string, cut: Cut, size: number): Outlined {
  const characters = [...words]
  const letters = characters.map(character => CUTS[cut][character])
  if (letters.some(letter => letter === undefined))
    return inAnyFont(words, characters.length * size * OTHER_WIDTH, size)
  let taken = 0
  let paths = ''
  for (const [width, path] of letters.filter(letter => letter !== undefined)) {
    if (path !== '') paths += `<path transform="translate(${taken})" d="${path}"/>`
    taken += width
  }
  const scale = size / 1000
  return {
    width: Math.ceil(taken * scale),
    at: (x, y, fill) => `<g fill="${fill}" transform="translate(${x} ${y}) scale(${scale} -${scale})">${paths}</g>`,
  }
}

const inAnyFont = (words: string, width: number, size: number): Outlined => ({
  width: Math.round(width),
  at: (x, y, fill) =>
    `<text x="${x}" y="${y}" font-family="Arial, Helvetica, sans-serif" font-size="${size}" font-weight="700"` +
    ` fill="${fill}" textLength="${round(width)}" lengthAdjust="spacingAndGlyphs">${escapeText(words)}</text>`,
})

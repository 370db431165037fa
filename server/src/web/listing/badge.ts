import type { Board } from '@placard/contract'
import type { Standing } from '../../domain/boards/standings.ts'
import type { Accent } from '../../platform/config/accent.ts'
import { PLACARD, type Site } from '../../platform/config/site.ts'
import { xml } from '../ui/atom.ts'
import { WORDMARK_PATH } from '../ui/masthead.tsx'
import { dayText, shortDayText } from '../ui/time.tsx'

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

export type BadgeStyle = keyof typeof STYLES

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

const PAID_ON = { all: 'Paid place, all time', today: 'Paid place, today' }
const ON = { all: 'of all time', today: 'today' }

const MARK = { width: 96, height: 14 }
const PADDING = 12
/** Of a letter in the system's fonts, bold, in parts of its size: `textLength` makes it true in every font. */
const LETTER_WIDTH = 0.58
/** Of one that is set wide, such as Han. */
const WIDE = /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]/
/** Of a name that is not our wordmark. */
const NAME_SIZE = 15

/** How wide a badge is, in pixels. */
const badgeWidth = ({ standing, site }: Pick<Badge, 'standing' | 'site'>): number =>
  rankWidth(standing) + wordsWidth(site) + 2 * PADDING

/** Of the words and of the name below them. */
const wordsWidth = (site: Site) => Math.max(MARK.width, nameWidth(site))

function nameWidth({ name }: Site): number {
  if (name === PLACARD.name) return MARK.width
  let letters = 0
  for (const letter of name) letters += WIDE.test(letter) ? 1 : LETTER_WIDTH
  return Math.round(letters * NAME_SIZE)
}

const rankText = ({ rank }: Standing) => `No. ${rank.toLocaleString('en-US')}`
const rankWidth = (standing: Standing | undefined) =>
  standing ? Math.round(rankText(standing).length * RANK_SIZE * LETTER_WIDTH) + 2 * PADDING : 0
const RANK_SIZE = 20

/** What a badge says, for those who do not see it. */
export const badgeWords = ({ title, standing, board, drawnOn, site }: Omit<Badge, 'style'>): string =>
  standing
    ? `${title}: ${rankText(standing)} ${ON[board]} on ${site.name}, a paid place`
    : `${title}, ${drawnOn ? `drawn by lot on ${dayText(Date.parse(drawnOn))},` : 'listed'} on ${site.name}`

/**
 * A badge as SVG that needs no font of ours, script or style sheet. All that it draws are our own words; the title is
 * only its name.
 */
export function renderBadge(badge: Badge): string {
  const { standing, board, drawnOn, style, site } = badge
  const { paper, ink, ...rest } = STYLES[style](site.accent)
  const { rank, onRank } = standing?.rank === 1 && style !== 'plain' ? FIRST : rest
  const [left, width] = [rankWidth(standing), badgeWidth(badge)]
  const place = standing
    ? `<rect x="1" y="1" width="${left}" height="46" fill="${rank}"/>${
        style === 'plain' ? `<path d="M${left} 1v46" stroke="${ink}" stroke-width="2"/>` : ''
      }${text(rankText(standing), { x: PADDING, y: 31, size: RANK_SIZE, width: left - 2 * PADDING, fill: onRank })}`
    : ''
  const words = standing ? PAID_ON[board] : drawnOn ? `Drawn ${shortDayText(drawnOn)}` : 'Listed on'
  const name = xml(badgeWords(badge))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${BADGE_HEIGHT}" viewBox="0 0 ${width} ${BADGE_HEIGHT}" role="img">
<title>${name}</title>
<rect x="1" y="1" width="${width - 2}" height="46" fill="${paper}" stroke="${ink}" stroke-width="2"/>
${place}
${text(words, { x: left + PADDING, y: 18, size: 10, width: standing || drawnOn ? MARK.width : 46, fill: ink })}
${nameSvg(site, left + PADDING, ink)}
</svg>
`
}

/** Our wordmark, or another name in type. */
const nameSvg = (site: Site, x: number, fill: string) =>
  site.name === PLACARD.name
    ? `<path fill="${fill}" transform="translate(${x} 25) scale(${MARK.width / 4725}) translate(-60 2)" d="${WORDMARK_PATH}"/>`
    : text(xml(site.name), { x, y: 38, size: NAME_SIZE, width: nameWidth(site), fill })

interface Set {
  x: number
  y: number
  size: number
  width: number
  fill: string
}

const text = (words: string, { x, y, size, width, fill }: Set) =>
  `<text x="${x}" y="${y}" font-family="Arial, Helvetica, sans-serif" font-size="${size}" font-weight="700" fill="${fill}" textLength="${width}" lengthAdjust="spacingAndGlyphs">${words}</text>`

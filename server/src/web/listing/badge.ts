import type { Standing } from '../../boards/standings.ts'
import { xml } from '../directory/xml.ts'
import { WORDMARK_PATH } from '../ui/wordmark.tsx'

/** In pixels. */
export const BADGE_HEIGHT = 48

/** Paper, ink, and what a rank stands on: marigold is for No. 1 alone. */
const STYLES = {
  light: { paper: '#faf8f2', ink: '#16181a', rank: '#0f4a3a', onRank: '#faf8f2' },
  dark: { paper: '#0f1211', ink: '#f1eee4', rank: '#4fa385', onRank: '#0f1211' },
  plain: { paper: '#fff', ink: '#000', rank: '#fff', onRank: '#000' },
} as const
const FIRST = { rank: '#f2b705', onRank: '#16181a' }

export type BadgeStyle = keyof typeof STYLES

export const isBadgeStyle = (text: unknown): text is BadgeStyle =>
  typeof text === 'string' && Object.hasOwn(STYLES, text)

interface Badge {
  title: string
  /** Its place on the board of all time, if it has one. */
  standing: Standing | undefined
  style: BadgeStyle
}

const MARK = { width: 96, height: 14 }
const PADDING = 12
/** Of a letter in the system's fonts, bold, in parts of its size: `textLength` makes it true in every font. */
const LETTER_WIDTH = 0.58

/** How wide a badge is, in pixels. */
export const badgeWidth = (standing: Standing | undefined): number =>
  rankWidth(standing) + MARK.width + 2 * PADDING

const rankText = ({ rank }: Standing) => `No. ${rank.toLocaleString('en-US')}`
const rankWidth = (standing: Standing | undefined) =>
  standing ? Math.round(rankText(standing).length * RANK_SIZE * LETTER_WIDTH) + 2 * PADDING : 0
const RANK_SIZE = 20

/** What a badge says, for those who do not see it. */
export const badgeWords = ({ title, standing }: Omit<Badge, 'style'>): string =>
  standing
    ? `${title}: ${rankText(standing)} of all time on Placard, a paid place`
    : `${title}, listed on Placard`

/**
 * A badge as SVG that needs no font of ours, script or style sheet. All that it draws are our own words; the title is
 * only its name.
 */
export function renderBadge(badge: Badge): string {
  const { standing, style } = badge
  const { paper, ink, ...rest } = STYLES[style]
  const { rank, onRank } = standing?.rank === 1 && style !== 'plain' ? FIRST : rest
  const [left, width] = [rankWidth(standing), badgeWidth(standing)]
  const place = standing
    ? `<rect x="1" y="1" width="${left}" height="46" fill="${rank}"/>${
        style === 'plain' ? `<path d="M${left} 1v46" stroke="${ink}" stroke-width="2"/>` : ''
      }${text(rankText(standing), { x: PADDING, y: 31, size: RANK_SIZE, width: left - 2 * PADDING, fill: onRank })}`
    : ''
  const words = standing ? 'Paid place, all time' : 'Listed on'
  const name = xml(badgeWords(badge))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${BADGE_HEIGHT}" viewBox="0 0 ${width} ${BADGE_HEIGHT}" role="img">
<title>${name}</title>
<rect x="1" y="1" width="${width - 2}" height="46" fill="${paper}" stroke="${ink}" stroke-width="2"/>
${place}
${text(words, { x: left + PADDING, y: 18, size: 10, width: standing ? MARK.width : 46, fill: ink })}
<path fill="${ink}" transform="translate(${left + PADDING} 25) scale(${MARK.width / 4725}) translate(-60 2)" d="${WORDMARK_PATH}"/>
</svg>
`
}

interface Set {
  x: number
  y: number
  size: number
  width: number
  fill: string
}

const text = (words: string, { x, y, size, width, fill }: Set) =>
  `<text x="${x}" y="${y}" font-family="Arial, Helvetica, sans-serif" font-size="${size}" font-weight="700" fill="${fill}" textLength="${width}" lengthAdjust="spacingAndGlyphs">${words}</text>`

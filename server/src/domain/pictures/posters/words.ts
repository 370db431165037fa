import { fitLine, heightOfAll, type Line, lineSvg, linesSvg, narrowestLine, round } from './line.ts'
import type { Sheet } from './shapes.ts'

const GAP = 12

/** The words of a name below each other, each as wide as the sheet. */
export function drawStack(name: string, { margin, width, height }: Sheet): string {
  const words = name.split(' ')
  const gaps = GAP * (words.length - 1)
  const lines = words.map(word => fitLine(word, width, (height - gaps) / words.length))
  const top = margin + (height - heightOfAll(lines) - gaps) / 2
  return linesSvg(lines, { x: margin, top, length: width, gap: GAP })
}

/** Returns the words from top to bottom of the sheet. */
export function drawSpread(name: string, { margin, width, height }: Sheet): string {
  const words = name.split(' ')
  const between = words.length - 1
  const lines = words.map(word => fitLine(word, width, (height - GAP * between) / words.length))
  const gap = between === 0 ? 0 : (height - heightOfAll(lines)) / between
  return linesSvg(lines, { x: margin, top: margin, length: width, gap })
}

/** How often each line repeats the name. */
const REPEATS = [
  [1, 2, 4, 8],
  [1, 2, 4, 8, 16],
  [1, 1, 2, 4],
  [1, 1, 2, 4, 8],
  [1, 1, 2, 2, 4, 4],
  [1, 1, 1, 2, 2],
  ...[4, 5, 6, 7, 9].map(lines => Array<number>(lines).fill(1)),
]
const REPEAT_GAP = 8
/** Shares of the sheet's height: the lowest line, and how much more a later sequence must fill. */
const LOWEST = 0.028
const BETTER = 0.02

/** The name over and over, in lines that fill the sheet best. */
export function drawRepeat(name: string, { margin, width, height, viewHeight }: Sheet): string {
  const { lines, gap } = setRepeat(name, { width, height, viewHeight })
  return linesSvg(lines, { x: margin, top: margin, length: width, gap })
}

/** Returns the repeated name as lines with their gaps, to be printed by other means. */
export function setRepeat(
  name: string,
  { width, height, viewHeight = height }: Pick<Sheet, 'width' | 'height'> & { viewHeight?: number },
): { lines: Line[]; gap: number } {
  let best: { lines: Line[]; left: number } | undefined
  for (const repeats of REPEATS) {
    const lines = repeats.map(times => fitLine(repeated(name, times), width, height * 0.62))
    const left = height - heightOfAll(lines) - REPEAT_GAP * (lines.length - 1)
    if (left < 0 || (lines.at(-1)?.above ?? 0) < viewHeight * LOWEST) continue
    if (!best || left < best.left - viewHeight * BETTER) best = { lines, left }
  }
  const { lines, left } = best ?? { lines: [fitLine(name, width, height)], left: 0 }
  const gap = REPEAT_GAP + Math.min(viewHeight * 0.06, lines.length > 1 ? left / (lines.length - 1) : 0)
  return { lines, gap }
}

const repeated = (name: string, times: number): string => Array(times).fill(name).join(' ')

const BESIDE_GAP = 20
const DISC_MAX = 150

/** The first word upright along the side, with a disc and a block beside it. */
export function drawVertical(name: string, { margin, height, viewWidth }: Sheet): string {
  const line = fitLine(name.split(' ')[0] ?? name, height, viewWidth * 0.46)
  const length = line.isFull ? { length: height } : {}
  const word = lineSvg(line, { x: 0, y: 0, ...length })
  const turned = `<g transform="translate(${round(margin + line.above)} ${margin + height}) rotate(-90)">${word}</g>`
  const x = round(margin + line.above + line.below + BESIDE_GAP)
  const room = round(viewWidth - margin - x)
  if (room <= 40) return turned
  const disc = Math.min(room, DISC_MAX)
  const top = margin + disc + 16
  return (
    `${turned}<circle cx="${round(x + disc / 2)}" cy="${round(margin + disc / 2)}" r="${round(disc / 2)}"/>` +
    `<path d="M${x} ${round(top)}h${room}v${round(margin + height - top)}h-${room}z"/>`
  )
}

const BLOCK_GAP = 11
const LINES_MAX = 4
/** A title is repeated if it fills less than this. */
const FILLED_MIN = 0.62
const WORD_REPEATS = [
  [1, 2],
  [1, 2, 4],
  [1, 2, 4, 8],
  [1, 1],
  [1, 1, 2],
  [1, 1, 2, 4],
  [1, 1, 1],
  [1, 1, 2, 2],
]

/** A whole short title like wood type, broken into the lines that fill the space best. */
export function drawBlock(title: string, { margin, width, height }: Sheet): string {
  const { lines, gap } = setBlock(title, { width, height })
  return linesSvg(lines, { x: margin, top: margin, length: width, gap })
}

/** Returns the block as lines with their gaps, to be printed by other means. */
export function setBlock(
  title: string,
  { width, height }: Pick<Sheet, 'width' | 'height'>,
): { lines: Line[]; gap: number } {
  const words = title.toUpperCase().split(' ')
  const broken = brokenInto(words).map(texts => {
    const lines = fitTogether(texts, width, height - BLOCK_GAP * (texts.length - 1))
    return { lines, total: heightOfAll(lines) + BLOCK_GAP * (texts.length - 1) }
  })
  let best = broken.reduce((one, other) =>
    scoreOf(other.lines, other.total / height) > scoreOf(one.lines, one.total / height) ? other : one,
  )
  if (best.total < height * FILLED_MIN) best = repeatedBest(words.join(' '), best)
  const { lines, total } = best
  const gap = BLOCK_GAP + (lines.length > 1 ? Math.min(10, (height - total) / (lines.length - 1)) : 0)
  return { lines, gap }

  function repeatedBest(word: string, single: { lines: Line[]; total: number }) {
    return WORD_REPEATS.map(repeats => {
      const lines = repeats.map(times => narrowestLine(repeated(word, times), width))
      return { lines, total: heightOfAll(lines) + REPEAT_GAP * (lines.length - 1) }
    })
      .filter(({ lines, total }) => total <= height && (lines.at(-1)?.above ?? 0) >= 9)
      .reduce((one, other) => (other.total > one.total ? other : one), single)
  }
}

/** All ways to break words into a number of lines. */
function brokenInto(words: readonly string[]): string[][] {
  const ways = Array.from({ length: 2 ** (words.length - 1) }, (_, breaks) => {
    const lines = [words[0] ?? '']
    for (const [place, word] of words.slice(1).entries()) {
      if ((breaks >> place) & 1) lines.push(word)
      else lines.push(`${lines.pop()} ${word}`)
    }
    return lines
  })
  return ways.filter(lines => lines.length <= LINES_MAX)
}

/** Lines as wide as the space. If they are too high, wider type makes each lower. */
function fitTogether(texts: readonly string[], width: number, height: number): Line[] {
  const narrow = texts.map(text => narrowestLine(text, width))
  const share = Math.min(1, height / heightOfAll(narrow))
  return narrow.map(line => fitLine(line.text, width, (line.above + line.below) * share + 0.01))
}

/** Full lines in narrow type that fill the space are best. */
const scoreOf = (lines: readonly Line[], filled: number): number =>
  filled - (lines.some(line => !line.isFull) ? 0.4 : 0) - (lines.some(line => line.width > 100) ? 0.15 : 0)

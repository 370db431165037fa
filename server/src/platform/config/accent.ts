/** The site's colour in one theme, and the colours on it and next to it. */
interface Shades {
  /** The background of the home page's top, and the footer. */
  board: Colour
  onBoard: Colour
  softOnBoard: Colour
  /** Lines on it, which are only decoration. */
  hairOnBoard: Colour
  /** Words about money on it. */
  cashOnBoard: Colour
  /** The same colour as words, bars and signs on the page. */
  onPage: Colour
}

export interface Accent {
  light: Shades
  dark: Shades
}

/** The page in both themes, as in `tokens.css`. In the dark one, sheets are lighter than the page. */
const PAPER = { light: '#faf8f2', dark: '#181c1a' } as const
const PAPER_ON_DARK_BOARD = '#f1eee4'
const CASH = '#ffa58c'
const [BLACK, WHITE] = ['#000000', '#ffffff'] as const

/** WCAG 2.2 AA requires this ratio for text. Borders and signs need 3, so what can be read can be seen. */
const WORDS_LEAST = 4.5

/** Placard's own colours, as in the style sheet. */
export const GREEN: Accent = {
  light: {
    board: '#0f4a3a',
    onBoard: '#faf8f2',
    softOnBoard: '#bfd2c6',
    hairOnBoard: '#3b6d5f',
    cashOnBoard: CASH,
    onPage: '#0f4a3a',
  },
  dark: {
    board: '#0d3d30',
    onBoard: '#f1eee4',
    softOnBoard: '#b4cabd',
    hairOnBoard: '#31604f',
    cashOnBoard: CASH,
    onPage: '#4fa385',
  },
}

/**
 * Returns the shades of an accent colour in both themes. It replaces only the green: money, the main action, No. 1 and
 * the groups of categories keep their colours, because each has a meaning. Text in this colour is on paper, and text on
 * this colour is in paper, so one ratio decides.
 *
 * @throws Error that continues after a setting's name, if it is not a colour, or too light
 */
export function accentOf(text: string): Accent {
  const colour = readColour(text)
  if (!colour) throw new Error(`must be a colour like #0f4a3a, not "${text}"`)
  const ratio = contrast(colour, PAPER.light)
  if (ratio < WORDS_LEAST) {
    // Rounded down: 4.49 is not 4.5.
    const has = (Math.floor(ratio * 100) / 100).toFixed(2)
    throw new Error(
      `needs a contrast of at least ${WORDS_LEAST}:1 with paper (${PAPER.light}), and ${text} has ${has}:1; choose a darker colour`,
    )
  }
  return { light: shadesOf(colour, PAPER.light, colour), dark: darkShadesOf(colour) }
}

/** The site's colour a little darker, as far as text on it needs; on the page, a lighter variant. */
function darkShadesOf(colour: Colour): Shades {
  const board = until(WORDS_LEAST, PAPER_ON_DARK_BOARD, [mix(colour, BLACK, 0.15), BLACK])
  return shadesOf(board, PAPER_ON_DARK_BOARD, until(WORDS_LEAST, PAPER.dark, [colour, WHITE]))
}

const shadesOf = (board: Colour, onBoard: Colour, onPage: Colour): Shades => ({
  board,
  onBoard,
  softOnBoard: until(WORDS_LEAST, board, [mix(onBoard, board, 0.25), onBoard]),
  hairOnBoard: mix(board, onBoard, 0.25),
  cashOnBoard: until(WORDS_LEAST, board, [CASH, onBoard]),
  onPage,
})

/** Returns the style sheet that replaces Placard's colours with an accent. */
export const accentStyles = ({ light, dark }: Accent): string => `${rules(light)}
@media screen and (prefers-color-scheme: dark) {
${rules(dark)}
}
`

const rules = (shades: Shades) => `:root {
  --green: ${shades.board};
  --on-green: ${shades.onBoard};
  --soft-on-green: ${shades.softOnBoard};
  --hair-on-green: ${shades.hairOnBoard};
  --cash-on-green: ${shades.cashOnBoard};
  --bar: ${shades.onPage};
}`

/** A colour as #rrggbb. */
export type Colour = `#${string}`

function readColour(text: string): Colour | undefined {
  const [, digits] = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text) ?? []
  if (digits === undefined) return undefined
  const six = digits.length === 6 ? digits : [...digits].map(digit => digit + digit).join('')
  return `#${six.toLowerCase()}`
}

/** Returns the contrast ratio of two colours, from 1 to 21 (WCAG 2.2). */
export function contrast(one: Colour, other: Colour): number {
  const [lower = 0, higher = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (higher + 0.05) / (lower + 0.05)
}

/** A colour between two: all of the first with a share of 0, all of the second with 1. */
function mix(one: Colour, other: Colour, share: number): Colour {
  const [from, to] = [channels(one), channels(other)]
  const mixed = from.map((value, channel) => Math.round(value + ((to[channel] ?? 0) - value) * share))
  return `#${mixed.map(value => value.toString(16).padStart(2, '0')).join('')}`
}

const STEPS = 50

/** Shifts a colour towards another until its contrast with a ground is enough, as little as possible. */
function until(least: number, ground: Colour, [from, to]: readonly [Colour, Colour]): Colour {
  for (let step = 0; step < STEPS; step++) {
    const colour = mix(from, to, step / STEPS)
    if (contrast(colour, ground) >= least) return colour
  }
  return to
}

const channels = (colour: Colour): number[] => [...Buffer.from(colour.slice(1), 'hex')]

function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map(value => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

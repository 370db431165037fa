/** A colour as #rrggbb. */
export type Colour = `#${string}`

/** Reads #rgb or #rrggbb, or undefined. */
export function readColour(text: string): Colour | undefined {
  const [, digits] = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text) ?? []
  if (digits === undefined) return undefined
  const six = digits.length === 6 ? digits : [...digits].map(digit => digit + digit).join('')
  return `#${six.toLowerCase()}`
}

/** How two colours stand out from each other, from 1 to 21 (WCAG 2.2, contrast ratio). */
export function contrast(one: Colour, other: Colour): number {
  const [lower = 0, higher = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (higher + 0.05) / (lower + 0.05)
}

/** A colour between two: all of the first with a share of 0, all of the second with 1. */
export function mix(one: Colour, other: Colour, share: number): Colour {
  const [from, to] = [channels(one), channels(other)]
  const mixed = from.map((value, channel) => Math.round(value + ((to[channel] ?? 0) - value) * share))
  return `#${mixed.map(value => value.toString(16).padStart(2, '0')).join('')}`
}

const STEPS = 50

/** A colour taken towards another until its contrast with a ground is enough: as little as does, or all of it. */
export function until(least: number, ground: Colour, [from, to]: readonly [Colour, Colour]): Colour {
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

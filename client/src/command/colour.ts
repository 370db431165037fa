import type { Io, Out } from './context.ts'

const CODES = { bold: [1, 22], red: [31, 39], dim: [2, 22] } as const

/** Colours a text for a stream: only on a terminal that shows colours, and never with NO_COLOR. */
export type Paint = (style: keyof typeof CODES, text: string) => string

export function painter({ env }: Io, out: Out): Paint {
  const isColourful = out.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
  return (style, text) => {
    const [on, off] = CODES[style]
    return isColourful ? `\u001b[${on}m${text}\u001b[${off}m` : text
  }
}

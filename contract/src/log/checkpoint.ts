/** The text of a checkpoint, by C2SP's `tlog-checkpoint`: what a log says of itself, and signs. */
import { fromBase64 } from './note.ts'
import { HASH_BYTES } from './tree.ts'

export interface Checkpoint {
  /** The name of the log. */
  origin: string
  /** How many entries it has. */
  size: number
  root: Buffer
}

export const checkpointText = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${root.toString('base64')}\n`

/** Reads the text of a checkpoint. Ignores lines after the first three. Throws a sentence if it is malformed. */
export function parseCheckpoint(text: string): Checkpoint {
  const [origin = '', sizeText = '', rootText = '', ...more] = text.split('\n')
  const root = fromBase64(rootText)
  const size = parseCount(sizeText)
  const isWhole = more.length > 0 && more.pop() === '' && more.every(line => line !== '')
  if (origin === '' || size === undefined || root?.length !== HASH_BYTES || !isWhole) {
    throw new Error('This is not a checkpoint: its lines are not a name, a size and a hash.')
  }
  return { origin, size, root }
}

/** Returns a whole number in its one decimal spelling. Undefined for any other text. */
export function parseCount(text: string): number | undefined {
  const count = Number(text)
  return Number.isSafeInteger(count) && count >= 0 && String(count) === text ? count : undefined
}

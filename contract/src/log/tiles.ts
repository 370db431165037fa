/** Tiles and bundles of entries as files, by C2SP's `tlog-tiles`. */
import { TILE_WIDTH } from './tree.ts'

export { TILE_WIDTH } from './tree.ts'

/** A tile of hashes on a level, or the bundle of entries under a tile of level 0. */
export interface TileName {
  level: number | 'entries'
  index: number
  width: number
}

/** Returns the path of a tile below the log's address, such as `tile/0/x001/067.p/8`. */
export function tilePath(level: number | 'entries', index: number, width: number): string {
  const thousands: string[] = []
  for (let left = index; left > 0 || thousands.length === 0; left = Math.floor(left / 1000)) {
    thousands.unshift(String(left % 1000).padStart(3, '0'))
  }
  const last = thousands.pop()
  const path = [...thousands.map(each => `x${each}`), last].join('/')
  return `tile/${level}/${path}${width === TILE_WIDTH ? '' : `.p/${width}`}`
}

const LEVEL_MAX = 63

/** Returns what a path names. Undefined if it is not the one path of a tile. */
export function parseTilePath(path: string): TileName | undefined {
  const [folder, levelText = '', ...rest] = path.split('/')
  const [last = '', widthText] = rest.at(-2)?.endsWith('.p')
    ? [rest.at(-2)?.slice(0, -2), rest.at(-1)]
    : [rest.at(-1), undefined]
  const elements = [...rest.slice(0, widthText === undefined ? -1 : -2), last]
  const name: TileName = {
    level: levelText === 'entries' ? levelText : Number(levelText),
    index: Number(elements.map(element => element.replace('x', '')).join('')),
    width: widthText === undefined ? TILE_WIDTH : Number(widthText),
  }
  const { level, index, width } = name
  const isTile =
    folder === 'tile' &&
    (level === 'entries' || (Number.isInteger(level) && level >= 0 && level <= LEVEL_MAX)) &&
    Number.isSafeInteger(index) &&
    Number.isInteger(width) &&
    width >= 1 &&
    width <= TILE_WIDTH
  // Writing it again leaves out all other spellings: more zeros, signs, exponents, a missing `x`.
  return isTile && tilePath(level, index, width) === path ? name : undefined
}

const LENGTH_BYTES = 2
/** The longest entry that a bundle can hold. */
export const ENTRY_MAX_BYTES = 0xffff

/** Returns entries as a bundle: each with its length in two bytes before it. */
export function writeBundle(entries: readonly (string | Uint8Array)[]): Buffer {
  return Buffer.concat(
    entries.flatMap(entry => {
      const bytes = Buffer.from(entry)
      if (bytes.length > ENTRY_MAX_BYTES) throw new RangeError(`An entry of ${bytes.length} bytes fits into no bundle.`)
      const length = Buffer.alloc(LENGTH_BYTES)
      length.writeUInt16BE(bytes.length)
      return [length, bytes]
    }),
  )
}

/** Returns the bytes of each entry of a bundle. Throws if it does not end with an entry. */
export function readBundle(bundle: Uint8Array): Buffer[] {
  const bytes = Buffer.from(bundle.buffer, bundle.byteOffset, bundle.byteLength)
  const entries: Buffer[] = []
  let at = 0
  while (at < bytes.length) {
    const start = at + LENGTH_BYTES
    const end = start <= bytes.length ? start + bytes.readUInt16BE(at) : Number.POSITIVE_INFINITY
    if (end > bytes.length) throw new Error('The bundle of entries ends within an entry.')
    entries.push(bytes.subarray(start, end))
    at = end
  }
  return entries
}

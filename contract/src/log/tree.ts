/**
 * The Merkle tree of RFC 6962, read through tiles. A tree is never held as a whole: whatever has its tiles, a database
 * or a server on the other side of the network, can give any root or proof of any size that it once had.
 */
import { hash } from 'node:crypto'

/** How many hashes a full tile has. A tile is a subtree of eight levels. */
export const TILE_WIDTH = 256
const TILE_HEIGHT = 8

export const HASH_BYTES = 32

/** The root of a tree without leaves. */
export const EMPTY_ROOT: Buffer = hash('sha256', '', 'buffer')

/** Reads the first `width` hashes of a tile: `width` times 32 bytes. */
export type ReadTile = (level: number, index: number, width: number) => Promise<Buffer>

const LEAF = Buffer.from([0])
const NODE = Buffer.from([1])

/** Returns the hash of a leaf. A text counts as its UTF-8 bytes. */
export const leafHash = (entry: string | Uint8Array): Buffer =>
  hash('sha256', Buffer.concat([LEAF, typeof entry === 'string' ? Buffer.from(entry) : entry]), 'buffer')

export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer =>
  hash('sha256', Buffer.concat([NODE, left, right]), 'buffer')

/** Returns how many hashes a tree of this size has on the level of a tile. Divides, since sizes exceed 32 bits. */
export const hashesOnLevel = (level: number, size: number): number => Math.floor(size / TILE_WIDTH ** level)

/** The largest power of two below `size`, where the left half of a tree ends. */
function splitOf(size: number): number {
  let split = 1
  while (split * 2 < size) split *= 2
  return split
}

/** Returns the root of the first `size` leaves. */
export const treeRoot = async (size: number, read: ReadTile): Promise<Buffer> =>
  size === 0 ? EMPTY_ROOT : rootOf(0, size, { size, read: readOnce(read) })

/** Returns the proof that a tree of `size` leaves has the leaf `index`, from its sibling up. */
export async function proveInclusion(index: number, size: number, read: ReadTile): Promise<Buffer[]> {
  if (!(index >= 0 && index < size)) throw new RangeError(`A log of ${size} entries has no entry ${index}.`)
  const tree = { size, read: readOnce(read) }
  const siblings: Promise<Buffer>[] = []
  let [start, end] = [0, size]
  while (end - start > 1) {
    const split = start + splitOf(end - start)
    siblings.push(index < split ? rootOf(split, end, tree) : rootOf(start, split, tree))
    if (index < split) end = split
    else start = split
  }
  return (await Promise.all(siblings)).reverse()
}

/** Returns the proof that a tree of `size` leaves begins with the whole tree of `oldSize` leaves. */
export async function proveConsistency(oldSize: number, size: number, read: ReadTile): Promise<Buffer[]> {
  if (!(oldSize >= 0 && oldSize <= size)) throw new RangeError(`A log of ${size} entries never had ${oldSize}.`)
  if (oldSize === 0 || oldSize === size) return []
  const tree = { size, read: readOnce(read) }
  const nodes: Promise<Buffer>[] = []
  let [start, end] = [0, size]
  while (end !== oldSize) {
    const split = start + splitOf(end - start)
    nodes.push(oldSize <= split ? rootOf(split, end, tree) : rootOf(start, split, tree))
    if (oldSize <= split) end = split
    else start = split
  }
  // The checker has the old root, which is this node if it begins at the first leaf.
  if (start > 0) nodes.push(rootOf(start, end, tree))
  return (await Promise.all(nodes)).reverse()
}

interface Tree {
  size: number
  read: ReadTile
}

/** Neighbouring nodes of a proof are often in one tile. */
function readOnce(read: ReadTile): ReadTile {
  const tiles = new Map<string, Promise<Buffer>>()
  return (level, index, width) => {
    const key = `${level}/${index}`
    const tile = tiles.get(key) ?? read(level, index, width)
    tiles.set(key, tile)
    return tile
  }
}

/** Returns the root of a range of leaves, as the tree divides them. */
async function rootOf(start: number, end: number, tree: Tree): Promise<Buffer> {
  const width = end - start
  const height = Math.log2(width)
  if (Number.isInteger(height)) return wholeNode(start, height, tree)
  const split = start + splitOf(width)
  const [left, right] = await Promise.all([rootOf(start, split, tree), rootOf(split, end, tree)])
  return nodeHash(left, right)
}

/** Returns the root of 2 ** height leaves from the tile that has it, or has the nodes below it. */
async function wholeNode(start: number, height: number, { size, read }: Tree): Promise<Buffer> {
  const level = Math.floor(height / TILE_HEIGHT)
  const first = start / TILE_WIDTH ** level
  const index = Math.floor(first / TILE_WIDTH)
  const width = Math.min(TILE_WIDTH, hashesOnLevel(level, size) - index * TILE_WIDTH)
  const tile = await read(level, index, width)
  if (tile.length !== width * HASH_BYTES) {
    throw new Error(`The tile ${level}/${index} has ${tile.length} bytes, not ${width * HASH_BYTES}.`)
  }
  const offset = first % TILE_WIDTH
  return rootOfHashes(tile.subarray(offset * HASH_BYTES, (offset + 2 ** (height % TILE_HEIGHT)) * HASH_BYTES))
}

/** Returns the root of hashes in a row, whose number is a power of two: of a full tile, its hash one level above. */
export function rootOfHashes(hashes: Buffer): Buffer {
  let row = Array.from({ length: hashes.length / HASH_BYTES }, (_, at) =>
    hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
  )
  while (row.length > 1) {
    row = Array.from({ length: row.length / 2 }, (_, at) => nodeHash(row[2 * at] as Buffer, row[2 * at + 1] as Buffer))
  }
  return row[0] as Buffer
}

/** Returns whether the proof leads from a leaf's hash to the root. */
export function isIncluded(claim: {
  leaf: Buffer
  index: number
  size: number
  root: Buffer
  proof: readonly Buffer[]
}): boolean {
  const { leaf, index, size, root } = claim
  if (!Number.isSafeInteger(size) || !Number.isSafeInteger(index) || index < 0 || index >= size) return false
  if (leaf.length !== HASH_BYTES) return false
  const proof = [...claim.proof]
  const climb = (at: number, width: number): Buffer | undefined => {
    if (width === 1) return proof.length === 0 ? leaf : undefined
    const sibling = takeHash(proof)
    const split = splitOf(width)
    const node = at < split ? climb(at, split) : climb(at - split, width - split)
    if (!node || !sibling) return undefined
    return at < split ? nodeHash(node, sibling) : nodeHash(sibling, node)
  }
  return climb(index, size)?.equals(root) ?? false
}

/** Returns whether the proof leads from an old root to a later one. */
export function isConsistent(claim: {
  oldSize: number
  oldRoot: Buffer
  size: number
  root: Buffer
  proof: readonly Buffer[]
}): boolean {
  const { oldSize, oldRoot, size, root } = claim
  if (!Number.isSafeInteger(size) || !Number.isSafeInteger(oldSize) || oldSize < 0 || oldSize > size) return false
  const proof = [...claim.proof]
  // Every tree continues the empty one.
  if (oldSize === 0) return proof.length === 0 && oldRoot.equals(EMPTY_ROOT) && (size > 0 || root.equals(EMPTY_ROOT))
  /** Returns the roots of the first `old` and of all `width` leaves of a subtree. */
  const climb = (old: number, width: number, isFirst: boolean): [Buffer, Buffer] | undefined => {
    if (old === width) {
      const node = isFirst ? oldRoot : takeHash(proof)
      return node && proof.length === 0 ? [node, node] : undefined
    }
    const sibling = takeHash(proof)
    const split = splitOf(width)
    const below = old <= split ? climb(old, split, isFirst) : climb(old - split, width - split, false)
    if (!below || !sibling) return undefined
    if (old <= split) return [below[0], nodeHash(below[1], sibling)]
    return [nodeHash(sibling, below[0]), nodeHash(sibling, below[1])]
  }
  const roots = climb(oldSize, size, true)
  return (roots?.[0].equals(oldRoot) && roots[1].equals(root)) ?? false
}

const takeHash = (proof: Buffer[]): Buffer | undefined => {
  const last = proof.pop()
  return last?.length === HASH_BYTES ? last : undefined
}

/**
 * Computes roots while leaves are added in their order. It keeps only the roots of whole subtrees, at most one of each
 * height, so a log of any length fits into 2 KB.
 */
export class TreeBuilder {
  readonly #subtrees: Buffer[]
  #size: number

  /** Continues a tree from the `subtrees()` of another builder at this size. */
  constructor(size = 0, subtrees: readonly Buffer[] = []) {
    this.#size = size
    this.#subtrees = [...subtrees]
  }

  get size(): number {
    return this.#size
  }

  add(leaf: Buffer): void {
    let node = leaf
    // As many subtrees join as the size ends in binary ones.
    for (let left = this.#size; left % 2 === 1; left = Math.floor(left / 2)) {
      node = nodeHash(this.#subtrees.pop() as Buffer, node)
    }
    this.#subtrees.push(node)
    this.#size++
  }

  subtrees(): Buffer[] {
    return [...this.#subtrees]
  }

  root(): Buffer {
    return this.#subtrees.length === 0 ? EMPTY_ROOT : this.#subtrees.reduceRight((right, left) => nodeHash(left, right))
  }
}

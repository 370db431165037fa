import { type ReadTile, rootOfHashes, TILE_WIDTH, treeRoot } from '@placard/contract/log'

/** A tile as it follows from the entries. */
export interface ComputedTile {
  level: number
  index: number
  hashes: Buffer
}

/**
 * Computes every tile of a tree while its leaves are added. It keeps only the tiles that are not full, from which the
 * root follows, and every later tile: at most 8 KB on each of a few levels.
 */
export class GrowingTree {
  /** By level. */
  readonly #open: Buffer[][]
  #size: number

  /** Continues a tree of this size from its `edge`. */
  constructor(size = 0, edge: readonly (readonly Buffer[])[] = []) {
    this.#size = size
    this.#open = edge.map(hashes => [...hashes])
  }

  get size(): number {
    return this.#size
  }

  /** Adds a leaf. @returns the tiles that it filled */
  add(leaf: Buffer): ComputedTile[] {
    this.#size++
    const filled: ComputedTile[] = []
    let hash = leaf
    for (let level = 0; ; level++) {
      const open = this.#open[level] ?? []
      this.#open[level] = open
      open.push(hash)
      if (open.length < TILE_WIDTH) return filled
      const hashes = Buffer.concat(open)
      this.#open[level] = []
      filled.push({ level, index: this.#size / TILE_WIDTH ** (level + 1) - 1, hashes })
      hash = rootOfHashes(hashes)
    }
  }

  /** Returns the hashes of the tiles that are not full, by level. */
  edge(): Buffer[][] {
    return this.#open.map(hashes => [...hashes])
  }

  /** Returns the tiles that are not full, without those that are empty. */
  partialTiles(): ComputedTile[] {
    return this.#open.flatMap((hashes, level) => {
      const index = Math.floor(this.#size / TILE_WIDTH ** (level + 1))
      return hashes.length === 0 ? [] : [{ level, index, hashes: Buffer.concat(hashes) }]
    })
  }

  root(): Promise<Buffer> {
    // The subtrees that a root is made of are all in tiles that are not full.
    const read: ReadTile = async level => Buffer.concat(this.#open[level] ?? [])
    return treeRoot(this.#size, read)
  }
}

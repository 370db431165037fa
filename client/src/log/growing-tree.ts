import { HASH_BYTES, hashesOnLevel, type ReadTile, rootOfHashes, TILE_WIDTH, treeRoot } from '@placard/contract/log'

/** A tile as it follows from the entries. */
export interface ComputedTile {
  level: number
  index: number
  hashes: Buffer
}

/**
 * Computes every tile of a tree while its leaves are added. It keeps only the tiles that are not full, from which the
 * root and every later tile follow: 8 KB on each of a few levels.
 */
export class GrowingTree {
  /** By level. The hashes are copied into one piece of memory, since a million small ones would scatter it. */
  readonly #open: Buffer[] = []
  #size: number

  /** Continues a tree of this size from its `edge`. */
  constructor(size = 0, edge: readonly Buffer[] = []) {
    this.#size = size
    for (const [level, hashes] of edge.entries()) hashes.copy(this.#tile(level))
  }

  #tile(level: number): Buffer {
    const tile = this.#open[level] ?? Buffer.alloc(TILE_WIDTH * HASH_BYTES)
    this.#open[level] = tile
    return tile
  }

  get size(): number {
    return this.#size
  }

  /** Adds a leaf. @returns the tiles that it filled */
  add(leaf: Buffer): ComputedTile[] {
    const filled: ComputedTile[] = []
    let hash = leaf
    for (let level = 0; ; level++) {
      const tile = this.#tile(level)
      const at = hashesOnLevel(level, this.#size) % TILE_WIDTH
      hash.copy(tile, at * HASH_BYTES)
      if (at < TILE_WIDTH - 1) break
      const hashes = Buffer.from(tile)
      filled.push({ level, index: Math.floor(this.#size / TILE_WIDTH ** (level + 1)), hashes })
      hash = rootOfHashes(hashes)
    }
    this.#size++
    return filled
  }

  /** Returns the hashes of the tiles that are not full, by level. */
  edge(): Buffer[] {
    return this.#open.map((tile, level) => {
      const width = hashesOnLevel(level, this.#size) % TILE_WIDTH
      return Buffer.from(tile.subarray(0, width * HASH_BYTES))
    })
  }

  /** Returns the tiles that are not full, without those that are empty. */
  partialTiles(): ComputedTile[] {
    return this.edge().flatMap((hashes, level) => {
      const index = Math.floor(this.#size / TILE_WIDTH ** (level + 1))
      return hashes.length === 0 ? [] : [{ level, index, hashes }]
    })
  }

  root(): Promise<Buffer> {
    // The subtrees that a root is made of are all in tiles that are not full.
    const edge = this.edge()
    const read: ReadTile = async level => edge[level] ?? Buffer.alloc(0)
    return treeRoot(this.#size, read)
  }
}

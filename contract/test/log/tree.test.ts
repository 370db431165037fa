import { readFileSync } from 'node:fs'
import {
  EMPTY_ROOT,
  hashesOnLevel,
  isConsistent,
  isIncluded,
  leafHash,
  nodeHash,
  parseTilePath,
  proveConsistency,
  proveInclusion,
  type ReadTile,
  readBundle,
  rootOfHashes,
  TILE_WIDTH,
  TreeBuilder,
  tilePath,
  treeRoot,
  writeBundle,
} from '@placard/contract/log'
import { describe, expect, it } from 'vitest'

// By others: the RFC 6962 trees of certificate-transparency, and the proofs of transparency-dev/merkle, as they are.
const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]
const vectors: {
  inclusion: Vector<{ leafIdx: number; treeSize: number; root: string; leafHash: string }>[]
  consistency: Vector<{ size1: number; size2: number; root1: string; root2: string }>[]
} = JSON.parse(readFileSync(new URL('merkle-vectors.json', import.meta.url), 'utf8'))
type Vector<T> = T & { proof: string[] | null; desc: string; wantErr: boolean }

const bytes = (text: string) => Buffer.from(text, 'base64')

/** Serves the tiles of a tree of any size, as a log does. */
function tilesOf(leaves: readonly Buffer[]): ReadTile {
  const levels = [leaves]
  for (let below = leaves; below.length >= TILE_WIDTH; ) {
    const full = Math.floor(below.length / TILE_WIDTH)
    const tiles = Array.from({ length: full }, (_, at) => below.slice(at * TILE_WIDTH, (at + 1) * TILE_WIDTH))
    below = tiles.map(tile => rootOfHashes(Buffer.concat(tile)))
    levels.push(below)
  }
  return async (level, index, width) => {
    const hashes = levels[level]?.slice(index * TILE_WIDTH, index * TILE_WIDTH + width) ?? []
    if (hashes.length !== width || width < 1 || width > TILE_WIDTH) throw new Error('there is no such tile')
    return Buffer.concat(hashes)
  }
}

const leavesOf = (size: number) => Array.from({ length: size }, (_, at) => leafHash(`leaf ${at}`))

/** The definition of RFC 6962, word for word. */
function definedRoot(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return EMPTY_ROOT
  if (leaves.length === 1) return leaves[0] as Buffer
  const split = 2 ** Math.ceil(Math.log2(leaves.length) - 1)
  return nodeHash(definedRoot(leaves.slice(0, split)), definedRoot(leaves.slice(split)))
}

describe('a tree', () => {
  it('has the roots of RFC 6962', async () => {
    const leaves = LEAVES.map(hex => leafHash(Buffer.from(hex, 'hex')))
    const built = new TreeBuilder()
    for (const [size, root] of ROOTS.entries()) {
      expect(built.root().toString('hex')).toBe(root)
      expect((await treeRoot(size, tilesOf(leaves))).toString('hex')).toBe(root)
      if (leaves[size]) built.add(leaves[size])
    }
  })

  it('accepts and rejects proofs of inclusion as others do', () => {
    for (const { desc, leafIdx, treeSize, root, leafHash, proof, wantErr } of vectors.inclusion) {
      const claim = { leaf: bytes(leafHash), index: leafIdx, size: treeSize, root: bytes(root) }
      expect(isIncluded({ ...claim, proof: (proof ?? []).map(bytes) }), desc).toBe(!wantErr)
    }
  })

  it('accepts and rejects proofs of consistency as others do', () => {
    for (const { desc, size1, root1, size2, root2, proof, wantErr } of vectors.consistency) {
      // C2SP's witnesses begin with the empty tree, which every tree continues.
      if (desc === 'additional/size1-is-zero-and-size2-is-not-zero') continue
      const claim = { oldSize: size1, oldRoot: bytes(root1), size: size2, root: bytes(root2) }
      expect(isConsistent({ ...claim, proof: (proof ?? []).map(bytes) }), desc).toBe(!wantErr)
    }
  })

  it('gives proofs from its tiles that fit its roots, and no other', async () => {
    const leaves = leavesOf(40)
    const read = tilesOf(leaves)
    for (let size = 1; size <= leaves.length; size++) {
      const root = definedRoot(leaves.slice(0, size))
      for (let index = 0; index < size; index++) {
        const proof = await proveInclusion(index, size, read)
        const claim = { leaf: leaves[index] as Buffer, index, size, root, proof }
        expect(isIncluded(claim)).toBe(true)
        for (const at of proof.keys()) expect(isIncluded({ ...claim, proof: withFlippedBit(proof, at) })).toBe(false)
      }
      for (let oldSize = 0; oldSize <= size; oldSize++) {
        const proof = await proveConsistency(oldSize, size, read)
        const claim = { oldSize, oldRoot: definedRoot(leaves.slice(0, oldSize)), size, root, proof }
        expect(isConsistent(claim)).toBe(true)
        for (const at of proof.keys()) expect(isConsistent({ ...claim, proof: withFlippedBit(proof, at) })).toBe(false)
      }
    }
  })

  it.each([255, 256, 257, 512, 70_000])('of %i leaves is read through tiles of each level', async size => {
    const leaves = leavesOf(size)
    const levels = new Set<number>()
    const tiles = tilesOf(leaves)
    const read: ReadTile = (level, index, width) => {
      levels.add(level)
      expect(width).toBeLessThanOrEqual(hashesOnLevel(level, size) - index * TILE_WIDTH)
      return tiles(level, index, width)
    }
    const root = definedRoot(leaves)
    const built = new TreeBuilder()
    for (const leaf of leaves) built.add(leaf)
    expect(built.root()).toEqual(root)
    expect(await treeRoot(size, read)).toEqual(root)
    for (const index of [0, 1, 255, 256, Math.floor(size / 2), size - 1].filter(at => at < size)) {
      const proof = await proveInclusion(index, size, read)
      expect(isIncluded({ leaf: leaves[index] as Buffer, index, size, root, proof })).toBe(true)
      const oldRoot = definedRoot(leaves.slice(0, index))
      const consistency = await proveConsistency(index, size, read)
      expect(isConsistent({ oldSize: index, oldRoot, size, root, proof: consistency })).toBe(true)
    }
    expect(levels.size).toBe(1 + Math.floor(Math.log(size) / Math.log(TILE_WIDTH)))
  })

  it('continues from the subtrees of another builder', () => {
    const leaves = leavesOf(300)
    const first = new TreeBuilder()
    for (const leaf of leaves.slice(0, 77)) first.add(leaf)
    const second = new TreeBuilder(first.size, first.subtrees())
    for (const leaf of leaves.slice(77)) second.add(leaf)
    expect(second.root()).toEqual(definedRoot(leaves))
    expect(first.root()).toEqual(definedRoot(leaves.slice(0, 77)))
  })

  it('rejects a tile that is too short', async () => {
    await expect(treeRoot(3, async () => Buffer.alloc(64))).rejects.toThrow('The tile 0/0 has 64 bytes, not 96.')
  })
})

const withFlippedBit = (proof: readonly Buffer[], at: number) =>
  proof.map((each, index) => (index === at ? Buffer.from(each.map((byte, place) => (place ? byte : byte ^ 1))) : each))

describe('the path of a tile', () => {
  it.each([
    // The examples of C2SP and of Go, whose paths also name the height.
    ['tile/0/x001/x234/067', { level: 0, index: 1_234_067, width: 256 }],
    ['tile/0/001', { level: 0, index: 1, width: 256 }],
    ['tile/0/001.p/5', { level: 0, index: 1, width: 5 }],
    ['tile/5/x123/x456/078', { level: 5, index: 123_456_078, width: 256 }],
    ['tile/5/x123/x456/078.p/2', { level: 5, index: 123_456_078, width: 2 }],
    ['tile/entries/x003/x057/500', { level: 'entries', index: 3_057_500, width: 256 }],
    ['tile/63/000.p/255', { level: 63, index: 0, width: 255 }],
  ] as const)('%s is written and read', (path, { level, index, width }) => {
    expect(tilePath(level, index, width)).toBe(path)
    expect(parseTilePath(path)).toEqual({ level, index, width })
  })

  it.each([
    ...['tile/5/123/456/078', 'tile/-1/123/456/078', 'tile/00/001', 'tile/0/1', 'tile/0/0001', 'tile/0/x000/001'],
    ...['tile/0/001.p/0', 'tile/0/001.p/256', 'tile/0/001.p/05', 'tile/0/001.p', 'tile/0/001.p/', 'tile/64/001'],
    ...['tile/0/', 'tile/0', 'tile//001', 'tiles/0/001', 'tile/0/x001', 'tile/0/001/x002', 'tile/data/001', ''],
    ...['tile/0/00-1', 'tile/0/1e3', 'tile/0/0x1', 'tile/ 0/001', 'tile/0/001.p/1/2', 'tile/0/xx01/002', '/tile/0/001'],
    'tile/0/x999/x999/x999/x999/x999/x999/999',
  ])('%s names no tile', path => {
    expect(parseTilePath(path)).toBeUndefined()
  })
})

describe('a bundle', () => {
  it('holds entries of any length up to the limit', () => {
    const entries = ['', 'a', 'ü', 'x'.repeat(65_535)]
    const bundle = writeBundle(entries)
    expect(bundle.subarray(0, 6).toString('hex')).toBe('000000016100')
    expect(readBundle(bundle).map(String)).toEqual(entries)
    expect(() => writeBundle(['x'.repeat(65_536)])).toThrow('An entry of 65536 bytes fits into no bundle.')
  })

  it('is rejected if it ends within an entry', () => {
    const bundle = writeBundle(['one', 'two'])
    for (const end of [1, 2, 4, 6, 7, 9])
      expect(() => readBundle(bundle.subarray(0, end))).toThrow('ends within an entry')
    expect(readBundle(bundle.subarray(0, 5)).map(String)).toEqual(['one'])
  })
})

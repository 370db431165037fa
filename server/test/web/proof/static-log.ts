import {
  checkpointText,
  cosignerOf,
  entryText,
  joinNote,
  type LogEntry,
  leafHash,
  nodeHash,
  parseTilePath,
  type ReadTile,
  signerOf,
  TILE_WIDTH,
  treeRoot,
  writeBundle,
} from '@placard/contract/log'
import type { LogNow, LogRow } from '../../../src/domain/log/read-log.ts'
import { NOON } from '../../support/service.ts'

const ORIGIN = 'placard.example.org/log'

/**
 * A log of `size` rows as the files that a service serves, signed by a key and by a witness.
 *
 * @param texts of rows that are others, by their index
 */
export async function staticLog(size: number, texts: ReadonlyMap<number, string> = new Map()) {
  const rows = Array.from({ length: size }, (_, index) => {
    const row = rowAt(index)
    return { ...row, text: texts.get(index) ?? row.text }
  })
  const levels = [rows.map(({ text }) => leafHash(text))]
  for (let level = levels[0]; level && level.length >= TILE_WIDTH; level = levels.at(-1)) {
    const tiles = Array.from({ length: Math.floor(level.length / TILE_WIDTH) }, (_, tile) =>
      subtreeRoot(level.slice(tile * TILE_WIDTH, (tile + 1) * TILE_WIDTH)),
    )
    levels.push(tiles)
  }
  const readTile: ReadTile = async (level, index, width) => {
    const hashes = levels[level]?.slice(index * TILE_WIDTH, index * TILE_WIDTH + width) ?? []
    if (hashes.length !== width) throw new Error(`there is no tile ${level}/${index} of ${width}`)
    return Buffer.concat(hashes)
  }
  const [signer, witness] = [signerOf(ORIGIN, Buffer.alloc(32, 1)), cosignerOf('witness.example', Buffer.alloc(32, 2))]
  const text = checkpointText({ origin: ORIGIN, size, root: await treeRoot(size, readTile) })
  const note = joinNote(text, [signer.sign(text), witness.cosign(text, NOON / 1000)])

  /** Returns a file below `/log/`, or undefined if there is none. */
  async function read(path: string): Promise<Buffer | undefined> {
    if (path === 'checkpoint') return Buffer.from(note)
    const name = parseTilePath(path)
    if (!name) return undefined
    const { level, index, width } = name
    if (level !== 'entries') return readTile(level, index, width).catch(() => undefined)
    const bundled = rows.slice(index * TILE_WIDTH, index * TILE_WIDTH + width)
    return bundled.length === width ? writeBundle(bundled.map(row => row.text)) : undefined
  }

  const now: LogNow = {
    origin: ORIGIN,
    size,
    note,
    at: NOON,
    keys: [signer.vkey],
    witnesses: [{ name: witness.name, verifierKey: witness.vkey, signedAt: NOON }],
  }
  return { rows, now, read, readTile }
}

export type StaticLog = Awaited<ReturnType<typeof staticLog>>

function rowAt(index: number): LogRow {
  const time = new Date(NOON - 60_000 + index).toISOString()
  const entry: LogEntry = {
    index,
    time,
    kind: 'counted',
    board: 'all',
    listing: 42,
    changeCents: 18_100,
    totalCents: 20_000,
    reachedAt: time,
    shown: true,
    notBefore: time,
  }
  return { index, entry, text: entryText(entry) }
}

function subtreeRoot(hashes: readonly Buffer[]): Buffer {
  const [only = Buffer.alloc(0)] = hashes
  if (hashes.length <= 1) return only
  const middle = hashes.length / 2
  return nodeHash(subtreeRoot(hashes.slice(0, middle)), subtreeRoot(hashes.slice(middle)))
}

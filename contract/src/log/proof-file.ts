/** Proofs as files, by C2SP's `tlog-proof`: that a log has an entry, to be checked offline. */
import { deflateSync, inflateSync } from 'node:zlib'
import { parseCount } from './checkpoint.ts'
import { fromBase64 } from './note.ts'
import { HASH_BYTES } from './tree.ts'

const HEADER = 'c2sp.org/tlog-proof@v1'

export interface ProofFile {
  index: number
  /** From the sibling of the leaf up to a child of the root. */
  hashes: readonly Buffer[]
  /** What the entry's hash is made of. Nothing signs it: compute the hash from it. */
  extra?: Buffer | undefined
  /** The signed note. */
  checkpoint: string
}

export function writeProof({ index, hashes, extra, checkpoint }: ProofFile): string {
  const lines = [HEADER, ...(extra ? [`extra ${extra.toString('base64')}`] : []), `index ${index}`]
  return `${[...lines, ...hashes.map(each => each.toString('base64')), '', checkpoint].join('\n')}`
}

/** Reads a proof file. Throws a sentence if it is malformed. */
export function parseProof(text: string): ProofFile {
  const end = text.indexOf('\n\n')
  const lines = text.slice(0, Math.max(end, 0)).split('\n')
  if (lines.shift() !== HEADER) throw new Error(`This is not a proof file: its first line is not ${HEADER}.`)
  const extraText = lines[0]?.startsWith('extra ') ? lines.shift()?.slice('extra '.length) : undefined
  const extra = extraText === undefined ? undefined : fromBase64(extraText)
  if (extraText !== undefined && !extra) throw new Error('This proof file is damaged: its extra data is not base64.')
  const indexLine = lines.shift()
  const index = indexLine?.startsWith('index ') ? parseCount(indexLine.slice('index '.length)) : undefined
  if (index === undefined) throw new Error('This proof file is damaged: it has no index of an entry.')
  const hashes = lines.map(line => {
    const bytes = fromBase64(line)
    if (bytes?.length !== HASH_BYTES)
      throw new Error(`This proof file is damaged: "${line.slice(0, 80)}" is not a hash.`)
    return bytes
  })
  return { index, hashes, extra, checkpoint: text.slice(end + 2) }
}

/** What a proof of this log has in `extra`: the entry, and what opens its private part. */
export interface OpenedEntry {
  entry: string
  /** Hex. */
  salt?: string
  /** With the salt before it, its SHA-256 is `private` of the entry. */
  private?: string
}

/** Far more than any entry and its private part. */
const OPENED_MAX_BYTES = 256 * 1024

/** Returns the extra data of a proof: JSON, compressed by zlib (RFC 1950), or long addresses would make proofs too long. */
export const writeExtra = (opened: OpenedEntry): Buffer => deflateSync(JSON.stringify(opened), { level: 9 })

/** Reads the extra data of a proof, compressed or not. Throws a sentence if it is malformed. */
export function parseExtra(extra: Uint8Array): OpenedEntry {
  try {
    const isJson = extra[0] === '{'.charCodeAt(0)
    const bytes = isJson ? Buffer.from(extra) : inflateSync(extra, { maxOutputLength: OPENED_MAX_BYTES })
    const { entry, salt, private: opened } = Object(JSON.parse(bytes.toString()))
    const isOpened = typeof salt === 'string' && typeof opened === 'string'
    if (typeof entry === 'string') return { entry, ...(isOpened && { salt, private: opened }) }
  } catch {
    // It gets the same error as data without an entry.
  }
  throw new Error('This proof file is damaged: its extra data does not have the entry.')
}

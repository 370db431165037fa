import { createHash } from 'node:crypto'
import { type JournalRecord, recordFrom } from '../submissions/record.ts'

/**
 * A line of the journal. `noted`: empty, or marked as cut off, so there is nothing to read. `newer`: complete, but of a
 * version that this package does not know.
 */
export type ReadLine = { is: 'whole'; record: JournalRecord } | { is: 'noted' | 'damaged' | 'newer' }

/** Version of new lines. Lines of the first version have neither a version nor a checksum. */
const VERSION = 2

/** Each line begins with its checksum and the length of the rest, so that a cut can be distinguished from damage. */
const HEAD = /^\{"sum":"([0-9a-f]{16})",("bytes":(\d{1,7}),)/
const HEAD_START = '{"sum":"'
const FIRST_VERSION_START = '{"type":"'
const HEAD_MAX_BYTES = '{"sum":"0123456789abcdef","bytes":1234567,'.length

/** A cut-off line, marked by `closeCutLine`. */
const CLOSED = /^(.*)\{"torn":"([0-9a-f]{16})"\}$/s

/** Returns the text of a line, without its line break. The checksum covers everything after it. */
export function formatLine(record: JournalRecord): string {
  const content = JSON.stringify({ v: VERSION, ...record }).slice(1)
  const summed = `"bytes":${Buffer.byteLength(content)},${content}`
  return `${HEAD_START}${checksum(Buffer.from(summed))}",${summed}`
}

/** Reads the bytes of one line, without its line break. */
export function readLine(bytes: Buffer): ReadLine {
  if (bytes.length === 0) return { is: 'noted' }
  // One character per byte, so that lengths agree and decoding loses nothing.
  const text = bytes.toString('latin1')
  const [, cut, cutSum] = CLOSED.exec(text) ?? []
  if (cut !== undefined) {
    // If two processes mark the same cut, the second mark is on a line of its own.
    return { is: cut === '' || checksum(bytes.subarray(0, cut.length)) === cutSum ? 'noted' : 'damaged' }
  }
  const value = parseJson(bytes)
  const [head, sum, length = ''] = HEAD.exec(text) ?? []
  if (head !== undefined) {
    if (checksum(bytes.subarray(head.length - length.length)) !== sum) return { is: 'damaged' }
    if (value?.v !== VERSION) return { is: 'newer' }
  }
  const record = value && recordFrom(value, head === undefined)
  return record ? { is: 'whole', record: withoutFrame(record) } : { is: 'damaged' }
}

/** Returns the record alone, so that it can be written to another journal. */
function withoutFrame(record: JournalRecord & { sum?: unknown; bytes?: unknown; v?: unknown }): JournalRecord {
  const { sum: _sum, bytes: _bytes, v: _v, ...rest } = record
  return rest as JournalRecord
}

/**
 * Returns whether the bytes after the last line break are the beginning of an unfinished line. Its request was never
 * sent, since requests wait for the whole line. A complete line without its line break does not count.
 */
export function isCutOff(tail: Buffer): boolean {
  const text = tail.toString('latin1')
  const [head, , , bytes] = HEAD.exec(text) ?? []
  if (head !== undefined) return tail.length < head.length + Number(bytes) && breaksOff(text)
  if (text.startsWith(FIRST_VERSION_START)) return breaksOff(text)
  if (text.startsWith(HEAD_START)) return tail.length < HEAD_MAX_BYTES
  return HEAD_START.startsWith(text) || FIRST_VERSION_START.startsWith(text)
}

/** Returns the mark to append to a cut-off line, so that it is recognised whatever is written after it. */
export function closeCutLine(tail: Buffer): string {
  return `{"torn":"${checksum(tail)}"}`
}

function breaksOff(text: string): boolean {
  let depth = 0
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[{}]/gs)) {
    if (token === '{') depth++
    if (token === '}' && --depth === 0) return false
  }
  return true
}

function parseJson(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)) ?? undefined
  } catch {
    return undefined
  }
}

const checksum = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex').slice(0, 16)

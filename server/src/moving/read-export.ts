import { createHash, type Hash } from 'node:crypto'
import { newestSchema } from '../storage/migrations/migrate.ts'
import {
  type BlockLine,
  type End,
  FORMAT,
  type Header,
  type HeaderLine,
  hashOfBlock,
  sha256,
} from './format.ts'
import { linesOf } from './lines.ts'
import type { Table } from './tables.ts'

interface Block {
  block: number
  table: Table
  /** JSON of an array of objects by column. */
  json: string
}

export interface ExportFile {
  header: Header
  /** Every block, in order, each checked. @throws Error in one line at the first that is damaged, or where the text ends too soon */
  blocks: AsyncGenerator<Block>
}

/**
 * Reads an export.
 *
 * @throws Error in one line if it is none, is damaged, or is from a newer version
 */
export async function readExport(chunks: AsyncIterable<Buffer>): Promise<ExportFile> {
  const lines = checkedLines(chunks)
  const hash = createHash('sha256')
  const first = parse<HeaderLine>(await next(lines, hash))
  if (first?.placard !== 'export' || typeof first.header !== 'object')
    throw new Error('this is no export of Placard')
  const { header } = first
  if (first.sha256 !== sha256(JSON.stringify(header))) throw damaged('its first line')
  refuseNewer(header)
  return { header, blocks: blocksOf(lines, hash, header) }
}

/** @throws Error in one line if this version cannot read it */
export function refuseNewer({
  format,
  schema,
  version,
}: Pick<Header, 'format' | 'schema' | 'version'>): void {
  if (format <= FORMAT && schema <= newestSchema()) return
  throw new Error(
    `it was made by a newer version, Placard ${version} (schema ${schema}): use that version or a later one`,
  )
}

async function* blocksOf(lines: AsyncGenerator<string>, hash: Hash, header: Header): AsyncGenerator<Block> {
  // An older version may have had others.
  const tables = new Set<string>(header.tables.map(({ table }) => table))
  let rows = 0
  for (let block = 1; ; block++) {
    const before = hash.copy().digest('hex')
    const line = parse<BlockLine | End>(await next(lines, hash))
    if (line && 'end' in line) {
      const isWhole = line.blocks === block - 1 && line.rows === rows && line.sha256 === before
      if (!isWhole) throw damaged('its last line')
      return
    }
    if (line?.block !== block || !tables.has(line.table) || !(line.rows > 0)) throw damaged(`block ${block}`)
    const found: string[] = []
    while (found.length < line.rows) found.push(await next(lines, hash))
    if (line.sha256 !== hashOfBlock(block, line.table, `${found.join('\n')}\n`))
      throw damaged(`block ${block}`)
    rows += line.rows
    yield { block, table: line.table, json: `[${found.join(',')}]` }
  }
}

async function next(lines: AsyncGenerator<string>, hash: Hash): Promise<string> {
  const { value, done } = await lines.next()
  if (done) throw new Error('it is cut off: its last line is missing')
  hash.update(`${value}\n`)
  return value
}

/** What unpacking throws says little: a file that is cut off, or damaged. */
async function* checkedLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  try {
    yield* linesOf(chunks)
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    if (code === 'Z_BUF_ERROR') throw new Error('it is cut off: its last line is missing', { cause: error })
    if (/^(Z_|ZSTD_)/.test(code)) throw new Error(`it is damaged: ${message}`, { cause: error })
    throw error
  }
}

const damaged = (where: string) => new Error(`it is damaged: ${where} does not match its checksum`)

/** @returns undefined for what is no JSON */
function parse<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T
  } catch {
    return undefined
  }
}

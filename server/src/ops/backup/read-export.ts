import { createHash, type Hash } from 'node:crypto'
import { StringDecoder } from 'node:string_decoder'
import { newestSchema } from '../../platform/db/migrate.ts'
import { refuseOtherTables, type Table } from '../../platform/db/tables/index.ts'
import { type BlockLine, type End, FORMAT, type Header, type HeaderLine, hashOfBlock, sha256 } from './export-format.ts'

interface Block {
  block: number
  table: Table
  /** JSON of an array of objects by column. */
  json: string
}

export interface ExportFile {
  header: Header
  /**
   * Every block, in order, each checked. @throws Error in one line at the first damaged one, or if the text ends too
   * soon
   */
  blocks: AsyncGenerator<Block>
}

/**
 * Reads an export.
 *
 * @throws Error in one line if it is not one, is damaged, or is from a newer version
 */
export async function readExport(chunks: AsyncIterable<Buffer>): Promise<ExportFile> {
  const lines = checkedLines(chunks)
  const hash = createHash('sha256')
  const first = parse<HeaderLine>(await next(lines, hash))
  if (first?.placard !== 'export' || typeof first.header !== 'object' || first.header === null)
    throw new Error('this is not an export of Placard')
  const { header } = first
  if (first.sha256 !== sha256(JSON.stringify(header))) throw damaged('its first line')
  refuseNewer(header)
  refuseOtherTables(header.tables)
  return { header, blocks: blocksOf(lines, hash, header) }
}

/** @throws Error in one line if this version cannot read it */
export function refuseNewer({ format, schema, version }: Pick<Header, 'format' | 'schema' | 'version'>): void {
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
    if (line.sha256 !== hashOfBlock(block, line.table, `${found.join('\n')}\n`)) throw damaged(`block ${block}`)
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

/** Errors of decompression say little: the file is cut off, or damaged. */
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

/** @returns undefined if it is not JSON */
function parse<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T
  } catch {
    return undefined
  }
}

/** Far longer than any row. */
const LINE_MAX = 2 ** 26

/** Splits a stream of bytes into lines. A last line without a line break is dropped, because it was cut off. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  // In pieces, because a line with a picture arrives in many.
  let begun: string[] = []
  let length = 0
  for await (const chunk of chunks) {
    const [rest = '', ...others] = decoder.write(chunk).split('\n')
    begun.push(rest)
    length += rest.length
    if (length > LINE_MAX) throw new Error('a line is too long')
    const last = others.pop()
    if (last === undefined) continue
    yield begun.join('')
    yield* others
    begun = [last]
    length = last.length
  }
}

import { constants, crc32, deflateRawSync } from 'node:zlib'
import type { ListingStreamEnd, ListingStreamHead } from '@placard/contract'
import { sql } from 'kysely'
import { statement } from '../../platform/db/statement.ts'
import type { DatabaseAddress, Runner, Snapshot } from '../../platform/db/store.ts'
import { Links } from '../../platform/http/links.ts'
import { joinPicture } from './listed-row.ts'
import { OVERLAP_MS, type PublicRow, publicColumns, publicListing } from './public-listing.ts'

/** What a stream contains. It is sent to the thread that reads it, so it can be cloned. */
export interface StreamWanted {
  database: DatabaseAddress
  isGzip: boolean
  /** Read before the snapshot is opened. */
  now: number
  /** Undefined for everything. */
  updatedSince: number | undefined
  /** Origin of the site. */
  base: string
  /** The setting DATA_LICENSE. */
  license: string | undefined
}

export interface StreamPart {
  bytes: Uint8Array<ArrayBuffer>
  isLast: boolean
}

/** A part takes the thread about 5 ms, and 40 KB compressed. */
const ROWS_PER_PART = 500

/** Reads a stream part by part. All parts show the database as of one moment, however long the reader takes. */
export class StreamParts {
  readonly #wanted: StreamWanted
  readonly #snapshot: Snapshot
  readonly #links: Links
  readonly #pack: (text: Buffer<ArrayBuffer>, isLast: boolean) => Buffer<ArrayBuffer>
  #after: Position
  #rows = 0
  #head: string
  #buffer = Buffer.alloc(0)

  static async open(wanted: StreamWanted): Promise<StreamParts> {
    return new StreamParts(wanted, await openSnapshot(wanted.database))
  }

  private constructor(wanted: StreamWanted, snapshot: Snapshot) {
    const { now, updatedSince = null, base, license = null, isGzip } = wanted
    this.#wanted = wanted
    this.#snapshot = snapshot
    this.#links = new Links({ baseUrl: base, supportUrl: undefined })
    this.#pack = isGzip ? gzipInParts() : text => text
    this.#after = { updatedAt: updatedSince ?? 0, id: 0 }
    this.#head = line({ site: base, license, updatedSince, asOf: now } satisfies ListingStreamHead)
  }

  async next(): Promise<StreamPart> {
    const { now, updatedSince } = this.#wanted
    const found = await changedAfter(this.#snapshot.runner, this.#after, ROWS_PER_PART)
    const isLast = found.length < ROWS_PER_PART
    let text = this.#head
    this.#head = ''
    for (const row of found) {
      const listing = publicListing(row, this.#links, now)
      // A mirror that starts has nothing to delete.
      if (listing.status !== 'published' && updatedSince === undefined) continue
      text += line(listing)
      this.#rows++
    }
    const { updatedAt, id } = found.at(-1) ?? this.#after
    this.#after = { updatedAt, id }
    if (isLast) {
      const end: ListingStreamEnd = { complete: true, rows: this.#rows, updatedSince: Math.max(0, now - OVERLAP_MS) }
      text += line(end)
    }
    return { bytes: new Uint8Array(this.#pack(this.#encoded(text), isLast)), isLast }
  }

  /** Uses one buffer again and again: memory outside of the heap is collected late, and would grow by megabytes. */
  #encoded(text: string): Buffer<ArrayBuffer> {
    const length = Buffer.byteLength(text)
    if (this.#buffer.length < length) this.#buffer = Buffer.allocUnsafe(2 * length)
    return this.#buffer.subarray(0, this.#buffer.write(text))
  }

  close(): Promise<void> {
    return this.#snapshot.close()
  }
}

const line = (value: object): string => `${JSON.stringify(value)}\n`

interface Position {
  updatedAt: number
  id: number
}

/** Reads what follows a position, in the order of changes. */
async function changedAfter(runner: Runner, { updatedAt, id }: Position, limit: number): Promise<PublicRow[]> {
  const same = await changedAt(runner, { updatedAt, id, limit })
  const missing = limit - same.length
  return missing > 0 ? [...same, ...(await changedLater(runner, { updatedAt, limit: missing }))] : same
}

// Two statements: for a comparison of both columns at once, SQLite reads all rows of that time from the first one.
const changedAt = statement(
  { updatedAt: 'bigint', id: 'bigint', limit: 'bigint' },
  ({ updatedAt, id, limit }) => sql<PublicRow>`
    select ${publicColumns} from listing ${joinPicture}
    where "updatedAt" = ${updatedAt} and listing.id > ${id} order by listing.id limit ${limit}`,
)
const changedLater = statement(
  { updatedAt: 'bigint', limit: 'bigint' },
  ({ updatedAt, limit }) => sql<PublicRow>`
    select ${publicColumns} from listing ${joinPicture}
    where "updatedAt" > ${updatedAt} order by "updatedAt", listing.id limit ${limit}`,
)

/**
 * Returns a function that compresses texts one by one into one gzip file (RFC 1952). Node's streams would use the
 * threads on which the service resolves names and reads files, and several files in a row confuse some programs.
 */
function gzipInParts() {
  let header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
  let [checksum, length] = [0, 0]
  return (text: Buffer, isLast: boolean) => {
    checksum = crc32(text, checksum)
    length += text.length
    const body = deflateRawSync(text, {
      level: LEVEL,
      finishFlush: isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH,
    })
    const end = Buffer.alloc(isLast ? 8 : 0)
    if (isLast) end.writeUInt32LE(length % 2 ** 32, end.writeUInt32LE(checksum))
    const packed = Buffer.concat([header, body, end])
    header = Buffer.alloc(0)
    return packed
  }
}

/** Higher levels save a few percent and take up to three times as long. */
const LEVEL = 4

/** Close it soon: while it is open, SQLite's log grows, and PostgreSQL keeps rows that were replaced. */
async function openSnapshot({ engine, at }: DatabaseAddress): Promise<Snapshot> {
  // Each driver is loaded only where it is used, because the thread that reads should be small.
  if (engine === 'postgres') return (await import('../../platform/db/postgres-snapshot.ts')).openPostgresSnapshot(at)
  return (await import('../../platform/db/sqlite-connection.ts')).openSqliteSnapshot(at)
}

import { type LogEntry, openNote, parseEntry } from '@placard/contract/log'
import { sql } from 'kysely'
import type { Config } from '../../platform/config/config.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import type { Database, Engine } from '../../platform/db/tables/index.ts'
import type { Secret } from '../../platform/lib/secret.ts'
import { logSigners, signingSeeds } from './signing-keys.ts'

/** The latest checkpoint of the log, and who signed it. Its size is how many rows it covers. */
export interface LogNow extends Pick<Database['log_checkpoint'], 'origin' | 'size' | 'note' | 'at'> {
  /** The verifier keys of this site, newest first. */
  keys: readonly string[]
  witnesses: readonly Witness[]
}

interface Witness {
  name: string
  verifierKey: string
  /** Undefined if it has not signed this checkpoint. */
  signedAt: number | undefined
}

interface LogDependencies {
  store: Store
  config: Pick<Config, 'log'>
  serviceKeys: readonly Secret[]
}

/** Returns the latest checkpoint, or undefined before the first. Only valid cosignatures of our witnesses count. */
export async function readLogNow({ store, config, serviceKeys }: LogDependencies): Promise<LogNow | undefined> {
  const [checkpoint] = await latest(store, {})
  if (!checkpoint) return undefined
  const { origin, note, size, at } = checkpoint
  const witnesses = config.log.witnesses.map(({ vkey }) => vkey)
  const { signatures } = openNote(note, witnesses)
  return {
    origin,
    note,
    size,
    at,
    keys: logSigners(signingSeeds(config.log, serviceKeys), origin).map(({ vkey }) => vkey),
    witnesses: witnesses.map(verifierKey => {
      const { time } = signatures.find(({ vkey }) => vkey === verifierKey) ?? {}
      return {
        verifierKey,
        name: verifierKey.split('+')[0] ?? '',
        signedAt: time === undefined ? undefined : time * 1000,
      }
    }),
  }
}

const latest = statement({}, (_, db) => db.selectFrom('log_checkpoint').select(['origin', 'size', 'note', 'at']))

/** A row of the log: an entry, and its text as it is hashed. */
export interface LogRow {
  index: number
  entry: LogEntry
  text: string
}

/** Returns a row, or undefined if there is none yet. */
export const readRow = async (store: Store, index: number): Promise<LogRow | undefined> =>
  (await read(store, sql`position = ${index}`))[0]

/** Returns the latest rows about a listing that a checkpoint covers, latest first. @param size of the checkpoint */
export const rowsOfListing = (
  store: Store,
  { listingId, size, limit }: { listingId: number; size: number; limit: number },
): Promise<LogRow[]> =>
  read(
    store,
    sql`${listingOf(store.engine)} = ${listingId} and position < ${size} order by position desc limit ${sql.lit(limit)}`,
  )

/**
 * Returns the rows that the payment of an order caused, oldest first. The log names neither orders nor payments: the
 * rows have the listing, and the time at which an event of the payment arrived.
 */
export async function rowsOfOrder(store: Store, checkoutId: string): Promise<LogRow[]> {
  const events = await store.db
    .selectFrom('payment')
    .innerJoin('listing', 'listing.destinationKey', 'payment.destinationKey')
    .innerJoin('processor_event as event', join =>
      join.onRef('event.processor', '=', 'payment.processor').onRef('event.paymentId', '=', 'payment.paymentId'),
    )
    .select(['listing.id', 'payment.day', 'event.receivedAt'])
    .where('payment.checkoutId', '=', checkoutId)
    .execute()
  const [first] = events
  if (!first) return []
  const times = new Set(events.map(({ receivedAt }) => new Date(receivedAt).toISOString()))
  // A listing may have very many rows: only those of these times are worth parsing.
  const isThen = sql.join(
    [...times].map(time => sql`entry like ${`%"time":"${time}"%`}`),
    sql` or `,
  )
  const rows = await read(store, sql`${listingOf(store.engine)} = ${first.id} and (${isThen}) order by position`)
  return rows.filter(({ entry }) => times.has(entry.time) && (entry.board === 'all' || entry.board === first.day))
}

/** As in the index `log_entry_of_listing`. */
const listingOf = (engine: Engine) =>
  engine === 'postgres'
    ? sql`(substring(entry from '"listing":([0-9]+)')::bigint)`
    : sql`json_extract(entry, '$.listing')`

async function read({ db }: Store, where: ReturnType<typeof sql>): Promise<LogRow[]> {
  const { rows } = await sql<{ position: number; entry: string }>`
    select position, entry from log_entry where ${where}`.execute(db)
  return rows.map(({ position, entry }) => ({ index: position, entry: parseEntry(entry), text: entry }))
}

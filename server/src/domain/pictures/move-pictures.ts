import { sql } from 'kysely'
import { DueQueue, workOnRows } from '../../platform/db/due-queue.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Store, Trx } from '../../platform/db/store.ts'
import { DAY_MS, HOUR_MS } from '../../platform/lib/time.ts'
import { FAILURES_MAX, type PictureStorage, readObject } from './storage.ts'

/**
 * How long an object stays after its row no longer names it: for requests and backups that have just read the row, and
 * for a failover that loses the last seconds.
 */
const UNUSED_MS = DAY_MS

const AT_ONCE = 4
const BATCH = 100

interface Move {
  store: Store
  storage: PictureStorage
  clock: () => number
}

export type Destination = 'storage' | 'database'

/**
 * Moves every picture that is elsewhere, while the service runs. A picture is readable at every moment, and after a
 * kill, the next run continues.
 *
 * @returns how many it moved; fewer than there were if another process moves them, too
 * @throws Error in one line at the end if some could not be moved, or as soon as storage seems to be away
 */
export async function movePictures(move: Move, to: Destination): Promise<number> {
  let moved = 0
  const one = to === 'storage' ? moveToStorage : moveToDatabase
  const failures: Error[] = []
  const stop = new AbortController()
  for (let after = 0; !stop.signal.aborted; ) {
    const rows = await picturesFor(move.store, { after, inBytes: to === 'storage' ? 1 : 0 })
    await workOnRows(rows, AT_ONCE, stop.signal, async ({ listingId }) => {
      try {
        if (await one(move, listingId)) moved++
      } catch (error) {
        if (failures.push(error as Error) >= FAILURES_MAX) stop.abort()
      }
    })
    const last = rows.at(-1)
    if (!last) break
    after = last.listingId
  }
  const [first] = failures
  if (first) throw new Error(`pictures moved: ${moved}, failed: ${failures.length}: ${first.message}`)
  return moved
}

const picturesFor = statement(
  { after: 'bigint', inBytes: 'bigint' },
  ({ after, inBytes }) => sql<{ listingId: number }>`
    select "listingId" from picture
    where "listingId" > ${after} and case when bytes is not null then 1 when "objectName" is not null then 0 end = ${inBytes}
    order by "listingId" limit ${sql.lit(BATCH)}`,
)

const rowOf = ({ db }: Store, listingId: number) =>
  db
    .selectFrom('picture')
    .select(['version', 'bytes', 'objectName'])
    .where('listingId', '=', listingId)
    .executeTakeFirst()

/**
 * Moves the picture of a listing to object storage: stores it, reads it back, then replaces it in the row.
 *
 * @returns false if there is nothing to move, or the row has changed
 * @throws Error in one line if storage does not have it; then the row is unchanged
 */
export async function moveToStorage({ store, storage, clock }: Move, listingId: number): Promise<boolean> {
  const { version, bytes } = (await rowOf(store, listingId)) ?? {}
  if (!version || !bytes) return false
  const name = storage.nameFor(bytes)
  // First, so that an object of a killed process is deleted, too.
  const unused = { name, tryAt: clock() + UNUSED_MS }
  await store.transact(trx => trx.insertInto('unused_object').values(unused).execute())
  await storage.put(name, bytes)
  await readObject(storage, name)
  return store.transact(async trx => {
    const { numUpdatedRows } = await trx
      .updateTable('picture')
      .set({ bytes: null, objectName: name })
      .where('listingId', '=', listingId)
      .where('version', '=', version)
      .where('bytes', 'is not', null)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    const used = await sql`delete from unused_object where name = ${name} and "tryAt" = ${unused.tryAt}`.execute(trx)
    if (used.numAffectedRows !== 1n) throw new Error(`storing ${name} took too long: repeat the move`)
    return true
  })
}

/**
 * Moves the picture of a listing to the database.
 *
 * @returns false if there is nothing to move, or the row has changed
 * @throws Error in one line if it cannot be read; then the row is unchanged
 */
async function moveToDatabase({ store, storage, clock }: Move, listingId: number): Promise<boolean> {
  const { objectName } = (await rowOf(store, listingId)) ?? {}
  if (!objectName) return false
  const bytes = await readObject(storage, objectName)
  return store.transact(async trx => {
    const { numUpdatedRows } = await trx
      .updateTable('picture')
      .set({ bytes, objectName: null })
      .where('listingId', '=', listingId)
      .where('objectName', '=', objectName)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    await dropObject(trx, objectName, clock())
    return true
  })
}

/** Locks the row of a picture that is about to change. @returns the name of its object; null without one */
export async function lockObject(trx: Trx, listingId: number): Promise<string | null> {
  const { rows } = await sql<{ objectName: string | null }>`
    update picture set attempts = attempts where "listingId" = ${listingId} returning "objectName"`.execute(trx)
  return rows[0]?.objectName ?? null
}

/** Has an object deleted later, because its row no longer names it. */
export async function dropObject(trx: Trx, name: string, now: number): Promise<void> {
  await trx
    .insertInto('unused_object')
    .values({ name, tryAt: now + UNUSED_MS })
    .execute()
}

const unused = new DueQueue({ table: 'unused_object', key: 'name', dueAt: 'tryAt' })

const dueObjects = statement(
  { now: 'bigint' },
  ({ now }) => sql<{ name: string; tryAt: number }>`
    select name, "tryAt" ${unused.from(now)} order by "tryAt" limit ${sql.lit(BATCH)}`,
)

/** Deletes objects that no row names any more. @throws Error in one line if storage cannot; they stay due */
export async function deleteUnusedObjects({ store, storage, clock }: Move): Promise<void> {
  for (const due of await dueObjects(store, { now: clock() })) {
    // The lease also stops a move that has not named its object in all this time.
    const lease = await unused.lease(store, due, { tryAt: clock() + HOUR_MS })
    if (!lease) continue
    if (storage.isOurs(due.name)) await storage.delete(due.name)
    await store.transact(trx => trx.deleteFrom('unused_object').where('name', '=', due.name).execute())
  }
}

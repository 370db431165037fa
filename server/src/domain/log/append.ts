import { setTimeout as sleep } from 'node:timers/promises'
import { entryText, LATE_MAX_MS, type LogEntry, rootOfHashes, TILE_WIDTH } from '@placard/contract/log'
import { sql } from 'kysely'
import { statement, statementOfRows } from '../../platform/db/statement.ts'
import type { Store, Trx } from '../../platform/db/store.ts'
import { MINUTE_MS, SECOND_MS } from '../../platform/lib/time.ts'
import { countDecisions } from '../decisions/counts.ts'
import type { Decision } from '../decisions/record.ts'
import { entryOfEffect, type PendingEffect } from './outbox.ts'
import { entryOfDecision, type LoggedDecision, newSalt } from './private-part.ts'
import { logTree } from './tree-of-store.ts'

/** After the clock was set back, one process may notice it this much later than another. */
const CLOCK_SEEN_MS = SECOND_MS

/** After the clock was set forwards, transactions that began by the old clock may take this long. */
const UNDER_WAY_MS = MINUTE_MS

/** How old `seenAt` of the head may become. Renewing it costs a write. */
const SEEN_AGAIN_AFTER_MS = 10 * SECOND_MS

export interface LogWriter {
  clock: () => number
  /** Returns the name of the log and its signing key, for the first entry. */
  begins: () => { origin: string; vkey: string }
  /** Called in the transaction in which decisions become entries. */
  onLogged?: (trx: Trx, decisions: readonly Decision[], now: number) => Promise<void>
}

/**
 * Adds entries for all pending decisions and effects, and the nodes of the log's tree. Then it records that nothing is
 * pending, which exposes a decision that is inserted later with an earlier date. Transactions that make decisions don't
 * touch the log, so they never wait for each other. If two processes append at once, one rolls back and retries.
 *
 * @returns how many entries it added
 */
export async function appendEntries(
  store: Store,
  writer: LogWriter,
  { signal, underWayMs = UNDER_WAY_MS }: { signal?: AbortSignal; underWayMs?: number } = {},
): Promise<number> {
  let appended = 0
  let hasWaited = false
  while (!signal?.aborted && (await findPending(store, {})).length > 0) {
    const batch = await store
      .transact(trx => appendBatch(trx, writer, hasWaited))
      .catch(error => {
        if (error instanceof PlaceTaken) return 0
        if (error instanceof DatedBack) return undefined
        throw error
      })
    hasWaited = batch === undefined
    if (batch === undefined) await sleep(CLOCK_SEEN_MS)
    appended += batch ?? 0
  }
  if (!signal?.aborted) await recordHeadSeen(store, writer.clock, underWayMs)
  return appended
}

/** When a process first saw a time far after the recorded one, by its monotonic clock. */
const jumpedAt = new WeakMap<Store['db'], number>()

/**
 * Records that nothing is pending behind the head. If the clock was set back, this happens at once, because all new
 * decisions have earlier dates. If the clock was set forwards, or nothing was recorded for long, transactions that
 * began before may end first.
 */
async function recordHeadSeen(store: Store, clock: () => number, underWayMs: number): Promise<void> {
  const [head] = await readHead(store, {})
  if (!head) return
  const { size, seenAt } = head
  // Read after the head, so that a pass that took long does not look like a clock that was set back.
  const now = clock()
  if (seenAt !== null && now >= seenAt && now < seenAt + SEEN_AGAIN_AFTER_MS) return
  if (seenAt !== null && now > seenAt + LATE_MAX_MS) {
    const since = jumpedAt.get(store.db) ?? performance.now()
    jumpedAt.set(store.db, since)
    if (performance.now() - since < underWayMs) return
  }
  jumpedAt.delete(store.db)
  await store.transact(trx => moveHead(trx, { before: size, seen: seenAt, size, seenAt: now }))
}

/** Fills one tile at most, so that a transaction takes some milliseconds. */
async function appendBatch(trx: Trx, { clock, begins, onLogged }: LogWriter, mayBeDatedBack: boolean): Promise<number> {
  const now = clock()
  const [head] = await readHead(trx, {})
  const size = head?.size ?? 0
  const seenAt = head?.seenAt == null ? null : Math.min(head.seenAt, now)
  const [effects, decisions] = [await nextEffects(trx, {}), await nextDecisions(trx, {})]
  const pending = inOrder(effects, decisions, TILE_WIDTH - (size % TILE_WIDTH) - (head ? 0 : 1))
  if (!mayBeDatedBack && seenAt !== null && pending.some(({ at }) => at < seenAt - LATE_MAX_MS)) throw new DatedBack()

  const entries: { position: number; entry: string; decisionId: string | null }[] = []
  const place = () => ({
    index: size + entries.length,
    ...(seenAt !== null && { notBefore: new Date(seenAt).toISOString() }),
  })
  const add = (entry: LogEntry, decisionId: string | null = null) =>
    entries.push({ position: entry.index, entry: entryText(entry), decisionId })
  const [logged, taken]: [Required<PlacedDecision>[], number[]] = [[], []]
  // A store with history has this effect from the migration that made its log.
  const isReplayed = effects[0]?.kind === 'began'
  if (!head) add({ ...place(), time: new Date(now).toISOString(), kind: 'began', ...begins(), replayed: isReplayed })
  for (const each of pending) {
    if ('factsHash' in each) {
      const decision = { ...each, position: size + entries.length, salt: newSalt() }
      add(entryOfDecision(decision, place()), decision.id)
      logged.push(decision)
    } else {
      if (each.kind !== 'began') add(entryOfEffect(each, place()))
      taken.push(each.id)
    }
  }

  const next = { size: size + entries.length, seenAt }
  const moved = head ? await moveHead(trx, { before: size, seen: head.seenAt, ...next }) : await putHead(trx, next)
  if (moved.length === 0) throw new PlaceTaken()
  if (entries.length > 0) await putEntries(trx, entries)
  if (taken.length > 0) {
    await removeEffects(
      trx,
      taken.map(id => ({ id })),
    )
  }
  if (logged.length > 0) {
    await placeDecisions(
      trx,
      logged.map(({ id, position, salt }) => ({ id, position, salt })),
    )
    await countDecisions(trx, logged)
    await onLogged?.(trx, logged, now)
  }
  if (next.size % TILE_WIDTH === 0) await putNodes(trx, next.size)
  return entries.length
}

type PlacedDecision = LoggedDecision & { position: number; salt: string }

/** Merges both by time. Effects stay in the order of the ledger. */
function inOrder(effects: PendingEffect[], decisions: LoggedDecision[], count: number) {
  const merged: (PendingEffect | LoggedDecision)[] = []
  let [effectAt, decisionAt] = [0, 0]
  while (merged.length < count) {
    const [effect, decision] = [effects[effectAt], decisions[decisionAt]]
    const isEffect = effect !== undefined && (decision === undefined || effect.at <= decision.at)
    const next = isEffect ? effect : decision
    if (!next) break
    if (isEffect) effectAt++
    else decisionAt++
    merged.push(next)
  }
  return merged
}

/** Stores the root of the full tile, and the roots of the tiles above that are full as well. */
async function putNodes(trx: Trx, size: number): Promise<void> {
  const { readTile } = logTree(trx)
  for (let [level, width] = [1, size / TILE_WIDTH]; ; level++, width /= TILE_WIDTH) {
    const hash = rootOfHashes(await readTile(level - 1, width - 1, TILE_WIDTH))
    await trx
      .insertInto('log_node')
      .values({ level, index: width - 1, hash })
      .execute()
    if (width % TILE_WIDTH !== 0) return
  }
}

/** Rolls back a batch with an old date: either that date is wrong, or the clock was just set back. */
class DatedBack extends Error {}

/** Rolls back a batch if another process was faster. */
class PlaceTaken extends Error {}

const findPending = statement(
  {},
  () => sql<{ one: number }>`
    select 1 as one where exists (select 1 from decision where position is null)
      or exists (select 1 from log_outbox) or not exists (select 1 from log_head)`,
)

const readHead = statement({}, (_, db) => db.selectFrom('log_head').select(['size', 'seenAt']))

const putHead = statement({ size: 'bigint', seenAt: 'bigint?' }, (head, db) =>
  db
    .insertInto('log_head')
    .values({ id: 1, ...head })
    .onConflict(conflict => conflict.doNothing())
    .returning('id'),
)

/** Changes nothing if another process has appended, or recorded another time. */
const moveHead = statement(
  { before: 'bigint', seen: 'bigint?', size: 'bigint', seenAt: 'bigint?' },
  ({ before, seen, ...head }, db) =>
    db
      .updateTable('log_head')
      .set(head)
      .where('size', '=', before)
      .where('seenAt', 'is not distinct from', seen)
      .returning('id'),
)

const nextEffects = statement({}, (_, db) =>
  db.selectFrom('log_outbox').selectAll().orderBy('id').limit(sql.lit(TILE_WIDTH)),
)

const nextDecisions = statement(
  {},
  () => sql<LoggedDecision>`
    select decision.*, listing.url from decision left join listing on listing.id = decision."listingId"
    where decision.position is null order by decision.id limit ${sql.lit(TILE_WIDTH)}`,
)

const putEntries = statementOfRows({ position: 'bigint', entry: 'text', decisionId: 'text?' }, (entries, db) =>
  db.insertInto('log_entry').values(entries),
)

const removeEffects = statementOfRows({ id: 'bigint' }, (effects, db) =>
  db.deleteFrom('log_outbox').where(
    'id',
    'in',
    effects.map(({ id }) => id),
  ),
)

const placeDecisions = statementOfRows(
  { id: 'text', position: 'bigint', salt: 'text' },
  decisions => sql`
    with given (id, position, salt) as (values ${sql.join(
      decisions.map(({ id, position, salt }) => sql`(${id}, ${position}, ${salt})`),
    )})
    update decision set position = given.position, salt = given.salt from given where decision.id = given.id`,
)

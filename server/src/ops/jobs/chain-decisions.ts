import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { isDatedBack, LATE_MAX_MS, NO_HASH, nextHash } from '../../domain/decisions/chain.ts'
import { countDecisions } from '../../domain/decisions/counts.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Store, Trx } from '../../platform/db/store.ts'

/** How many one transaction chains: some milliseconds, since others may wait for it. */
const BATCH = 100

/** How much later than another process this one may notice that the clock was set back. */
const CLOCK_SEEN_MS = 1000

/** How long what began by the old clock may take, after the clock was set forwards. */
const UNDER_WAY_MS = 60_000

/** How old what is known of the head may become: it costs a write. */
const SEEN_AGAIN_AFTER_MS = 10_000

/**
 * Chains every decision not chained yet, and notes with the last link that no other waits. So a decision that comes later
 * with an earlier date shows. The deciding transactions take no part, so none waits for another. If two do it at
 * once, whoever is second to a position rolls back, and comes again.
 *
 * @param clock in Unix milliseconds
 * @returns how many it chained
 */
export async function chainDecisions(
  store: Store,
  clock: () => number,
  { signal, underWayMs = UNDER_WAY_MS }: { signal?: AbortSignal; underWayMs?: number } = {},
): Promise<number> {
  let chained = 0
  let hasWaited = false
  while (!signal?.aborted && (await unchained(store, {})).length > 0) {
    const batch = await store
      .transact(trx => chainSome(trx, clock(), hasWaited))
      .catch(error => {
        if (error instanceof PositionTaken) return 0
        if (error instanceof DatedBack) return undefined
        throw error
      })
    hasWaited = batch === undefined
    if (batch === undefined) {
      await sleep(CLOCK_SEEN_MS)
      continue
    }
    chained += batch
    if (batch < BATCH) break
  }
  if (!signal?.aborted) await seeHead(store, clock(), underWayMs)
  return chained
}

/** Since when a process has known of a time far after the one that is noted, by its monotonic clock. */
const jumpedAt = new WeakMap<Store['db'], number>()

/**
 * Notes that nothing waits behind the head. If the clock was set back, that is noted at once, since what is decided from
 * now on has earlier dates. If it was set forwards, or nothing was noted for long, what has begun before may end first.
 */
async function seeHead(store: Store, now: number, underWayMs: number): Promise<void> {
  const [head] = await lastLink(store, {})
  if (!head) return
  const { position, seenAt } = head
  if (seenAt !== null && now >= seenAt && now < seenAt + SEEN_AGAIN_AFTER_MS) return
  if (seenAt !== null && now > seenAt + LATE_MAX_MS) {
    const since = jumpedAt.get(store.db) ?? performance.now()
    jumpedAt.set(store.db, since)
    if (performance.now() - since < underWayMs) return
  }
  jumpedAt.delete(store.db)
  await store.transact(trx => noteSeen(trx, { position, now }))
}

async function chainSome(trx: Trx, now: number, mayBeDatedBack: boolean): Promise<number> {
  const [head = { position: 0, hash: NO_HASH, seenAt: null }] = await lastLink(trx, {})
  let { position, hash: last } = head
  const notBefore = head.seenAt === null ? null : Math.min(head.seenAt, now)
  const decisions = await nextDecisions(trx, {})
  if (!mayBeDatedBack && decisions.some(({ at }) => isDatedBack(at, notBefore))) throw new DatedBack()
  for (const decision of decisions) {
    position++
    last = nextHash(last, decision, notBefore)
    const added = await addLink(trx, {
      position,
      decisionId: decision.id,
      hash: last,
      notBefore,
      seenAt: notBefore,
    })
    if (added.length === 0) throw new PositionTaken()
    await place(trx, { id: decision.id, position })
  }
  await countDecisions(trx, decisions)
  return decisions.length
}

/** Rolls back a pass with such a decision: either that is not true, or the clock has just been set back. */
class DatedBack extends Error {}

/** Rolls back a pass that another was ahead of. */
class PositionTaken extends Error {}

const unchained = statement({}, (_, db) =>
  db.selectFrom('decision').select('id').where('position', 'is', null).limit(sql.lit(1)),
)

const nextDecisions = statement({}, (_, db) =>
  db.selectFrom('decision').selectAll().where('position', 'is', null).orderBy('id').limit(sql.lit(BATCH)),
)

const lastLink = statement({}, (_, db) =>
  db.selectFrom('decision_chain').select(['position', 'hash', 'seenAt']).orderBy('position', 'desc').limit(sql.lit(1)),
)

const addLink = statement(
  { position: 'bigint', decisionId: 'text', hash: 'text', notBefore: 'bigint?', seenAt: 'bigint?' },
  (link, db) =>
    db
      .insertInto('decision_chain')
      .values(link)
      .onConflict(conflict => conflict.column('position').doNothing())
      .returning('position'),
)

const noteSeen = statement({ position: 'bigint', now: 'bigint' }, ({ position, now }, db) =>
  db.updateTable('decision_chain').set({ seenAt: now }).where('position', '=', position),
)

const place = statement({ id: 'text', position: 'bigint' }, ({ id, position }, db) =>
  db.updateTable('decision').set({ position }).where('id', '=', id),
)

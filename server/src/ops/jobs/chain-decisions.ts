import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { isDatedBack, LATE_MAX_MS, NO_HASH, nextHash } from '../../domain/decisions/chain.ts'
import { countDecisions } from '../../domain/decisions/counts.ts'
import { lookAfter } from '../../domain/publishing/submission-webhooks.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Store, Trx } from '../../platform/db/store.ts'
import { MINUTE_MS, SECOND_MS } from '../../platform/lib/time.ts'
import { DUE_COUNT_MAX, type JobDefinition } from './runner.ts'

/** How many decisions one transaction chains: it takes some milliseconds, because others may wait for it. */
const BATCH = 100

/** How much later than another process this one may notice that the clock was set back. */
const CLOCK_SEEN_MS = SECOND_MS

/** After the clock was set forwards: how long transactions that began by the old clock may take. */
const UNDER_WAY_MS = MINUTE_MS

/** How old `seenAt` of the head may become. Renewing it costs a write. */
const SEEN_AGAIN_AFTER_MS = 10 * SECOND_MS

/** Adds new decisions to the hash chain. */
export const chainNewDecisions: JobDefinition<{ clock: () => number }> = {
  name: 'chain',
  does: 'chains decisions',
  everyMs: SECOND_MS,
  countDue: async store => (await countUnchained(store, {}))[0]?.count ?? 0,
  start: ({ clock }) => {
    return async ({ store, signal }) => {
      await chainDecisions(store, clock, { signal })
    }
  },
}

/**
 * Chains all decisions that are not in the chain yet. Then it records in the last link that no others were pending,
 * which exposes a decision that is added later with an earlier date. The transactions that decide don't touch the
 * chain, so they never wait for each other. If two processes take the same position, the second one rolls back and
 * retries.
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
  while (!signal?.aborted && (await firstUnchained(store, {})).length > 0) {
    const batch = await store
      .transact(trx => chainBatch(trx, clock(), hasWaited))
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
  if (!signal?.aborted) await recordHeadSeen(store, clock(), underWayMs)
  return chained
}

/** When a process first saw a time far after the recorded one, by its monotonic clock. */
const jumpedAt = new WeakMap<Store['db'], number>()

/**
 * Records that no decision is pending behind the head. If the clock was set back, this happens at once, because all new
 * decisions have earlier dates. If the clock was set forwards, or nothing was recorded for long, transactions that
 * began before may end first.
 */
async function recordHeadSeen(store: Store, now: number, underWayMs: number): Promise<void> {
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
  await store.transact(trx => setSeen(trx, { position, now }))
}

async function chainBatch(trx: Trx, now: number, mayBeDatedBack: boolean): Promise<number> {
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
    await setPosition(trx, { id: decision.id, position })
  }
  await countDecisions(trx, decisions)
  await lookAfter(trx, decisions, now)
  return decisions.length
}

/** Rolls back a batch with a decision that is dated back. Either its date is wrong, or the clock was just set back. */
class DatedBack extends Error {}

/** Rolls back a batch if another process was faster. */
class PositionTaken extends Error {}

const countUnchained = statement(
  {},
  () => sql<{ count: number }>`
    select count(*) as count
    from (select 1 from decision where position is null limit ${sql.lit(DUE_COUNT_MAX)}) as due`,
)

const firstUnchained = statement({}, (_, db) =>
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

const setSeen = statement({ position: 'bigint', now: 'bigint' }, ({ position, now }, db) =>
  db.updateTable('decision_chain').set({ seenAt: now }).where('position', '=', position),
)

const setPosition = statement({ id: 'text', position: 'bigint' }, ({ id, position }, db) =>
  db.updateTable('decision').set({ position }).where('id', '=', id),
)

import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { operatorNamed, recordDecision } from '../decisions/record.ts'
import { deleteSome } from '../storage/delete-some.ts'
import type { Actor } from '../storage/schema.ts'
import type { Store, Trx } from '../storage/store.ts'
import type { Finding, FindingKind } from './score-change.ts'

/** A finding in the operator's queue. Titles in its evidence come from the web: treat them as hostile. */
export interface OpenFinding extends Finding {
  id: number
  slug: string
  url: string
  firstSeenAt: number
  lastSeenAt: number
}

/**
 * Puts findings into the operator's queue. One that is open already is only seen again. One that has been settled since
 * the trouble began is not told again.
 */
export async function raiseFindings(
  trx: Trx,
  listingId: number,
  findings: readonly Finding[],
  { since, now }: { since: number; now: number },
): Promise<void> {
  for (const { kind, evidence } of findings) {
    const settled = await trx
      .selectFrom('finding')
      .select('id')
      .where('listingId', '=', listingId)
      .where('firstSeenAt', '>=', since)
      .where('kind', '=', kind)
      .where('settledAt', 'is not', null)
      .executeTakeFirst()
    if (settled) continue
    const values = { listingId, kind, evidence: JSON.stringify(evidence), firstSeenAt: now, lastSeenAt: now }
    await trx
      .insertInto('finding')
      .values(values)
      .onConflict(conflict =>
        conflict
          .columns(['listingId', 'kind'])
          .where('settledAt', 'is', null)
          .doUpdateSet({ lastSeenAt: now, evidence: values.evidence }),
      )
      .execute()
  }
}

/** Settles what is over by itself. */
export async function settleOver(
  trx: Trx,
  listingId: number,
  kinds: readonly FindingKind[],
  now: number,
): Promise<void> {
  await trx
    .updateTable('finding')
    .set({ settledAt: now, settledBy: 'automatic', settlement: 'The page is as it was.' })
    .where('listingId', '=', listingId)
    .where('kind', 'in', kinds)
    .where('settledAt', 'is', null)
    .execute()
}

/** Whether the operator has yet to see something about a listing. */
export async function hasOpenFinding(trx: Trx, listingId: number): Promise<boolean> {
  const open = await trx
    .selectFrom('finding')
    .select('id')
    .where('listingId', '=', listingId)
    .where('settledAt', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return open !== undefined
}

/** Open findings, oldest first. */
export async function openFindings({ db }: Store, count: number): Promise<OpenFinding[]> {
  const rows = await db
    .selectFrom('finding')
    .innerJoin('listing', 'listing.id', 'finding.listingId')
    .select(['finding.id', 'slug', 'url', 'kind', 'evidence', 'firstSeenAt', 'lastSeenAt'])
    .where('settledAt', 'is', null)
    .orderBy('finding.id')
    .limit(count)
    .execute()
  return rows.map(({ kind, evidence, ...row }) => ({
    ...row,
    kind: kind as FindingKind,
    evidence: JSON.parse(evidence),
  }))
}

/**
 * Closes a finding with what was done about it, and records that.
 *
 * @param by an operator's name
 * @returns the stored settlement, the first one if it was settled already; undefined if there is no such finding
 */
export function settleFinding(
  store: Store,
  id: number,
  settlement: string,
  by: string,
  now: number,
): Promise<{ slug: string; settlement: string; changed: boolean } | undefined> {
  return store.transact(async trx => {
    const decisionId = uuidv7()
    const { numUpdatedRows } = await trx
      .updateTable('finding')
      .set({ settledAt: now, settledBy: by, settlement, decisionId })
      .where('id', '=', id)
      .where('settledAt', 'is', null)
      .executeTakeFirst()
    const found = await trx
      .selectFrom('finding')
      .innerJoin('listing', 'listing.id', 'finding.listingId')
      .select(['listingId', 'slug', 'hiddenAt', 'kind'])
      .select(sql<string>`coalesce(settlement, '')`.as('settlement'))
      .where('finding.id', '=', id)
      .executeTakeFirst()
    if (!found) return undefined
    const changed = numUpdatedRows > 0n
    if (changed) {
      const { listingId, hiddenAt, kind } = found
      await recordDecision(trx, {
        ...{ id: decisionId, kind: 'settle_finding', listingId, ground: 'rules/review-again' },
        reason: hiddenAt === null ? 'listing_kept' : 'listing_hidden',
        ...{ facts: { explanation: settlement, finding: kind }, actor: operatorNamed(by), at: now },
      })
    }
    return { slug: found.slug, settlement: found.settlement, changed }
  })
}

/** Opens a finding again that was settled by mistake, unless the same is open by now, and records that. */
export async function reopenFinding(
  store: Store,
  id: number,
  explanation: string,
  now: number,
  actor: Actor,
): Promise<void> {
  await store.transact(async trx => {
    const settled = await trx
      .selectFrom('finding')
      .select(['listingId', 'decisionId'])
      .where('id', '=', id)
      .$if(trx.engine === 'postgres', query => query.forUpdate())
      .executeTakeFirst()
    const { numUpdatedRows } = await trx
      .updateTable('finding')
      .set({ settledAt: null, settledBy: null, settlement: null, decisionId: null })
      .where('id', '=', id)
      .where('settledAt', 'is not', null)
      .where(
        sql<boolean>`not exists (select 1 from finding as open where open."settledAt" is null
          and open."listingId" = finding."listingId" and open.kind = finding.kind)`,
      )
      .executeTakeFirst()
    if (numUpdatedRows === 0n || !settled || settled.decisionId === null) return
    await recordDecision(trx, {
      ...{ kind: 'outcome', listingId: settled.listingId, about: settled.decisionId },
      ...{ ground: 'rules/review-again', reason: 'reopened', facts: { explanation }, actor, at: now },
    })
  })
}

/** Deletes findings settled before a time. */
export const forgetSettledFindings = (store: Store, before: number): Promise<number> =>
  deleteSome(store, 'finding', {
    key: ['id'],
    where: sql`"settledAt" is not null and "settledAt" < ${before}`,
    order: sql`"settledAt"`,
  })

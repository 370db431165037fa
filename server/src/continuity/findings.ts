import { sql } from 'kysely'
import { deleteSome } from '../storage/delete-some.ts'
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
 * Closes a finding with what was done about it.
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
    const { numUpdatedRows } = await trx
      .updateTable('finding')
      .set({ settledAt: now, settledBy: by, settlement })
      .where('id', '=', id)
      .where('settledAt', 'is', null)
      .executeTakeFirst()
    const found = await trx
      .selectFrom('finding')
      .innerJoin('listing', 'listing.id', 'finding.listingId')
      .select(['slug', sql<string>`coalesce(settlement, '')`.as('settlement')])
      .where('finding.id', '=', id)
      .executeTakeFirst()
    return found && { ...found, changed: numUpdatedRows > 0n }
  })
}

/** Deletes findings settled before a time. */
export const forgetSettledFindings = (store: Store, before: number): Promise<number> =>
  deleteSome(store, 'finding', {
    key: ['id'],
    where: sql`"settledAt" is not null and "settledAt" < ${before}`,
    order: sql`"settledAt"`,
  })

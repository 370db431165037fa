import { type RawBuilder, sql } from 'kysely'
import type { Store, Trx } from '../../platform/db/store.ts'
import type { Actor } from '../../platform/db/tables/decisions.ts'
import { operatorNamed, recordDecisions } from '../decisions/record.ts'
import { NAMELESS } from './moderate.ts'

/** The result of settling a report or a finding. `settlement` is the stored text: the first one, if it was already settled. */
export interface Settled {
  slug: string
  settlement: string
  changed: boolean
}

/**
 * Closes a report with the operator's note, and records that.
 *
 * @returns undefined if there is no such report
 */
export function settleReport(
  store: Store,
  id: number,
  settlement: string,
  now: number,
  actor: Actor = operatorNamed(NAMELESS),
): Promise<Settled | undefined> {
  return store.transact(async trx => {
    const settled = await settleWhere(trx, sql`id = ${id}`, { settlement, now, actor })
    const report = await trx
      .selectFrom('report')
      .innerJoin('listing', 'listing.id', 'report.listingId')
      .select(['slug', sql<string>`coalesce(settlement, '')`.as('settlement')])
      .where('report.id', '=', id)
      .executeTakeFirst()
    return report && { ...report, changed: settled.length > 0 }
  })
}

/**
 * Closes all open reports of a listing, up to the last one that the operator saw, and records each.
 *
 * @returns their numbers
 */
export const settleReportsOf = (
  trx: Trx,
  { listingId, lastReport }: { listingId: number; lastReport: number },
  by: { settlement: string; now: number; actor: Actor },
): Promise<number[]> => settleWhere(trx, sql`"listingId" = ${listingId} and id <= ${lastReport}`, by)

/** Settles reports in one statement, however many there are, and deletes their networks. */
async function settleWhere(
  trx: Trx,
  where: RawBuilder<unknown>,
  { settlement, now, actor }: { settlement: string; now: number; actor: Actor },
): Promise<number[]> {
  const settled = await trx
    .updateTable('report')
    .set({ settledAt: now, settlement, networkHash: null })
    .where('settledAt', 'is', null)
    .where(sql<boolean>`${where}`)
    .returning(['id', 'listingId', 'decisionId'])
    .execute()
  const [first] = settled
  if (!first) return []
  const { hiddenAt } = await trx
    .selectFrom('listing')
    .select('hiddenAt')
    .where('id', '=', first.listingId)
    .executeTakeFirstOrThrow()
  await recordDecisions(
    trx,
    settled.map(({ id, listingId, decisionId }) => ({
      kind: 'settle',
      listingId,
      reportId: id,
      ground: 'rules/reports',
      about: decisionId,
      reason: hiddenAt === null ? 'listing_kept' : 'listing_hidden',
      facts: { explanation: settlement },
      actor,
      at: now,
    })),
  )
  return settled.map(({ id }) => id)
}

/**
 * Reopens reports that an operator settled by mistake, unless they were appealed or reopened since.
 *
 * @returns how many it reopened
 */
export function reopenSettled(
  store: Store,
  ids: readonly number[],
  explanation: string,
  now: number,
  actor: Actor,
): Promise<number> {
  return store.transact(async trx => {
    const settled = await trx
      .selectFrom('report')
      .innerJoin('decision as settle', join =>
        join.onRef('settle.about', '=', 'report.decisionId').on('settle.kind', '=', 'settle'),
      )
      .leftJoin('decision as answer', join =>
        join.onRef('answer.about', '=', 'settle.id').on('answer.kind', 'in', ['appeal', 'outcome']),
      )
      .select(['settle.id', 'settle.listingId', 'report.id as reportId'])
      .where('report.id', 'in', ids)
      .where('report.settledAt', 'is not', null)
      .where('answer.id', 'is', null)
      .$if(trx.engine === 'postgres', query => query.orderBy('report.id').forUpdate('report'))
      .execute()
    if (settled.length === 0) return 0
    await recordDecisions(
      trx,
      settled.map(({ id, listingId, reportId }) => ({
        kind: 'outcome',
        listingId,
        reportId,
        about: id,
        ground: 'rules/reports',
        reason: 'reopened',
        facts: { explanation },
        actor,
        at: now,
      })),
    )
    await trx
      .updateTable('report')
      .set(report => ({
        settledAt: null,
        settlement: null,
        decisionId: report
          .selectFrom('decision as settle')
          .innerJoin('decision as outcome', 'outcome.about', 'settle.id')
          .select('outcome.id')
          .whereRef('settle.about', '=', 'report.decisionId')
          .where('settle.kind', '=', 'settle')
          .where('outcome.kind', '=', 'outcome'),
      }))
      .where(
        'id',
        'in',
        settled.map(({ reportId }) => reportId),
      )
      .execute()
    return settled.length
  })
}

/** Reopens a settled report after an appeal. @param decisionId of the appeal's outcome */
export async function reopenReport(trx: Trx, id: number, decisionId: string): Promise<void> {
  await trx.updateTable('report').set({ settledAt: null, settlement: null, decisionId }).where('id', '=', id).execute()
}

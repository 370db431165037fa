import { sql } from 'kysely'
import type { Decision } from '../decisions/chain.ts'
import { CONTEST_DAYS } from '../decisions/end-facts.ts'
import type { Db } from '../storage/store.ts'
import { daysMs } from '../time.ts'
import { isUuid } from '../uuid.ts'

/** A decision with what its statement needs. */
export interface FoundDecision extends Decision {
  /** Of the submission that it is about; null for a listing that was paid for without one, or once that is forgotten. */
  secretHash: string | null
  hostname: string | null
  slug: string | null
  /** When the listing was hidden, if it still is. */
  hiddenAt: number | null
  /** The appeal against it, and what came of that. */
  appeal: Decision | undefined
  outcome: Decision | undefined
}

export async function findDecision(db: Db, id: string): Promise<FoundDecision | undefined> {
  if (!isUuid(id)) return undefined
  const decision = await db
    .selectFrom('decision')
    .leftJoin('listing', 'listing.id', 'decision.listingId')
    .leftJoin('claim', 'claim.listingId', 'decision.listingId')
    .leftJoin('attempt', join =>
      join.on(sql<boolean>`attempt."requestId" = coalesce(decision."requestId", claim."requestId")`),
    )
    .selectAll('decision')
    .select(['attempt.secretHash', 'listing.slug', 'listing.hiddenAt'])
    .select(sql<string | null>`coalesce(listing.hostname, attempt.hostname)`.as('hostname'))
    .where('decision.id', '=', id)
    .executeTakeFirst()
  if (!decision) return undefined
  const answers = await db
    .selectFrom('decision')
    .selectAll()
    .where('about', '=', id)
    .where('kind', 'in', ['appeal', 'outcome'])
    .execute()
  return {
    ...decision,
    appeal: answers.find(({ kind }) => kind === 'appeal'),
    outcome: answers.find(({ kind }) => kind === 'outcome'),
  }
}

/** The last moment to contest a decision; undefined if it cannot be. What the owner did, nobody else decided. */
export function contestableUntil({ kind, reason, actor, at }: Decision): number | undefined {
  const isTakenDown = (kind === 'hide' && actor !== 'owner') || (kind === 'term' && reason === 'ended')
  const isContestable = kind === 'refuse' || kind === 'settle' || isTakenDown
  return isContestable ? at + daysMs(CONTEST_DAYS) : undefined
}

/** Whether the submission's secret opens a decision. A report and its outcome are the reporter's. */
export const isOwners = ({ kind, about, reportId }: Decision): boolean =>
  kind !== 'report' && kind !== 'settle' && !(about !== null && reportId !== null)

import type { Trx } from '../../platform/db/store.ts'
import { covers, isAdmitted, type Judged } from '../review/reviewers/admitted.ts'
import type { Evidence, Verdict } from '../review/verdict.ts'

/** The kind of a finding for a reviewer's flag. It contains the reviewer's name. */
export type FlagKind = `${typeof FLAGGED}${string}`

export const FLAGGED = 'flagged_by:'

/** Returns whether a finding is a reviewer's flag, rather than of a recheck. */
export const isFlag = (kind: string): kind is FlagKind => kind.startsWith(FLAGGED)

/**
 * Adds what reviewers flagged about a listed page to the operator's queue: one finding for each reviewer. One that an
 * operator has settled is raised again only if the evidence is new.
 *
 * @param admits refusals that an appeal reversed, which raise nothing
 */
export async function raiseFlags(
  trx: Trx,
  listingId: number,
  verdicts: readonly Verdict[],
  admits: readonly Judged[],
  now: number,
): Promise<void> {
  const isNew = ({ reason, ...verdict }: Verdict) => !reason || !isAdmitted(admits, { ...verdict, reason })
  for (const flag of flagsIn(verdicts.filter(isNew))) {
    if (!(await wasSettled(trx, listingId, flag))) await putFinding(trx, listingId, flag, now)
  }
}

const flagsIn = (verdicts: readonly Verdict[]): { kind: FlagKind; evidence: Evidence }[] =>
  verdicts
    .filter(({ outcome }) => outcome === 'flag')
    .map(({ reviewer, reason, evidence }) => ({
      kind: `flagged_by:${reviewer}` satisfies FlagKind,
      evidence: { ...(reason && { reason }), ...evidence },
    }))

/** Who settled what no operator did. */
const AUTOMATIC = 'automatic'

/** Settles the open findings of some kinds, without an operator. */
export async function settleAutomatically(
  trx: Trx,
  listingId: number,
  kinds: readonly string[],
  settlement: string,
  now: number,
): Promise<void> {
  await trx
    .updateTable('finding')
    .set({ settledAt: now, settledBy: AUTOMATIC, settlement })
    .where('listingId', '=', listingId)
    .where('kind', 'in', kinds)
    .where('settledAt', 'is', null)
    .execute()
}

/**
 * Returns whether an operator settled a finding with all of this evidence.
 *
 * @param since only findings first seen, or settled, since then
 */
export async function wasSettled(
  trx: Trx,
  listingId: number,
  { kind, evidence }: { kind: string; evidence: Evidence },
  since = 0,
): Promise<boolean> {
  const settled = await trx
    .selectFrom('finding')
    .select('evidence')
    .where('listingId', '=', listingId)
    .where(({ eb, or }) => or([eb('firstSeenAt', '>=', since), eb('settledAt', '>=', since)]))
    .where('kind', '=', kind)
    .where('settledAt', 'is not', null)
    .where('settledBy', '<>', AUTOMATIC)
    .execute()
  return settled.some(before => covers(JSON.parse(before.evidence), evidence))
}

/**
 * Adds a finding to the operator's queue. If one of its kind is open, that one gets its evidence. If anything in it is
 * new, it replaces that one, so that an operator who saw only the old evidence does not settle the new one.
 *
 * @param judged the part of the evidence that can be new
 */
export async function putFinding(
  trx: Trx,
  listingId: number,
  { kind, evidence, judged = evidence }: { kind: string; evidence: Evidence; judged?: Evidence },
  now: number,
): Promise<void> {
  const open = await trx
    .selectFrom('finding')
    .select(['evidence', 'firstSeenAt'])
    .where('listingId', '=', listingId)
    .where('kind', '=', kind)
    .where('settledAt', 'is', null)
    .executeTakeFirst()
  if (open && !covers(JSON.parse(open.evidence), judged)) {
    await settleAutomatically(trx, listingId, [kind], 'There is new evidence.', now)
  }
  const firstSeenAt = open?.firstSeenAt ?? now
  const values = { listingId, kind, evidence: JSON.stringify(evidence), firstSeenAt, lastSeenAt: now }
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

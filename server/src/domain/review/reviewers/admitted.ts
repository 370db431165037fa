import type { ReviewReason } from '@placard/contract'
import type { Db } from '../../../platform/db/store.ts'
import type { Evidence, Verdict } from '../verdict.ts'

/** A refusal exactly as it was judged: the reviewer, the version of its rules, the reason and the evidence. */
export interface Judged {
  reviewer: string
  version: string
  reason: ReviewReason
  evidence: Evidence
}

/** The reviewer whose refusals no appeal reverses: an operator ends a block with `unblock`. */
export const BLOCKED_HOSTS = 'blocked-hosts'

/** Returns whether a refusal was reversed before. New evidence makes it a new refusal. */
export const isAdmitted = (admitted: readonly Judged[], refusal: Judged): boolean =>
  refusal.reviewer !== BLOCKED_HOSTS &&
  admitted.some(
    ({ reviewer, version, reason, evidence }) =>
      reviewer === refusal.reviewer &&
      version === refusal.version &&
      reason === refusal.reason &&
      covers(evidence, refusal.evidence),
  )

/** The text around the evidence, and what a noted refusal says of it, for people. Neither is anything new to judge. */
const FOR_PEOPLE = ['context', 'detail']

/** Returns whether all of the evidence was judged before. Lists may be shorter, and numbers smaller. */
export const covers = (judged: Evidence, now: Evidence): boolean =>
  Object.entries(now).every(([name, value]) => {
    if (FOR_PEOPLE.includes(name)) return true
    const before = judged[name]
    if (Array.isArray(value)) return value.every(each => Array.isArray(before) && before.includes(each))
    return typeof value === 'number' && typeof before === 'number' ? value <= before : value === before
  })

/** Returns the refusals among verdicts. */
export const refusalsIn = (verdicts: readonly Verdict[]): Judged[] =>
  verdicts.flatMap(({ outcome, reviewer, version, reason, evidence }) =>
    outcome === 'reject' && reason !== undefined ? { reviewer, version, reason, evidence } : [],
  )

/** Returns the refusals among the facts of a decision; none if the facts are deleted. */
export function refusalsInFacts(facts: string | null): Judged[] {
  const { verdicts } = (facts === null ? {} : JSON.parse(facts)) as { verdicts?: readonly Verdict[] }
  return refusalsIn(verdicts ?? [])
}

/** Returns the reversed refusals that an attempt stores. */
export const readAdmitted = (stored: string | null): Judged[] => (stored === null ? [] : JSON.parse(stored))

/** Returns the refusals that an appeal reversed: of a listing's submission, and of rechecks that took it down. */
export async function admittedFor(db: Db, listingId: number): Promise<Judged[]> {
  const attempt = await db
    .selectFrom('claim')
    .innerJoin('attempt', 'attempt.requestId', 'claim.requestId')
    .select('admits')
    .where('listingId', '=', listingId)
    .executeTakeFirst()
  const hidden = await db
    .selectFrom('decision')
    .innerJoin('decision as outcome', 'outcome.about', 'decision.id')
    .select('decision.facts')
    .where('decision.listingId', '=', listingId)
    // Repeats the condition of the index, which excludes publications.
    .where('decision.kind', '<>', 'accept')
    .where('decision.kind', '=', 'hide')
    .where('decision.actor', '=', 'automatic')
    .where('outcome.kind', '=', 'outcome')
    .where('outcome.reason', '=', 'reversed')
    .execute()
  return [...readAdmitted(attempt?.admits ?? null), ...hidden.flatMap(({ facts }) => refusalsInFacts(facts))]
}

import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { Store, Trx } from '../../platform/db/store.ts'
import type { Actor } from '../../platform/db/tables/decisions.ts'
import { operatorNamed, recordDecision } from '../decisions/record.ts'
import { FLAGGED, type FlagKind, isFlag, putFinding, settleAutomatically, wasSettled } from '../listings/flags.ts'
import type { ItemWords } from '../notifications/operator/message.ts'
import { findingSeriousness } from '../notifications/operator/waiting.ts'
import { CONTESTED } from '../ownership/site-owner.ts'
import { unplacedText } from '../payments/unplaced.ts'
import type { Evidence } from '../review/verdict.ts'
import type { ReportReason } from './reports.ts'
import type { Settled } from './settle-reports.ts'

/** A finding of a recheck, or of a reviewer when the page was listed. */
export type AnyFinding = Finding | { kind: FlagKind; evidence: Finding['evidence'] }

export const findingText = (kind: AnyFinding['kind']): string =>
  isFlag(kind) ? `The reviewer ${kind.slice(FLAGGED.length)} flagged the page when it was listed` : FINDING_KINDS[kind]

/** A finding in the operator's queue. Texts in its evidence come from the web: treat them as hostile. */
export type OpenFinding = AnyFinding & {
  id: number
  slug: string
  url: string
  firstSeenAt: number
  lastSeenAt: number
  /** The lowest comes first. */
  seriousness: number
}

/**
 * Adds findings to the operator's queue. If a finding is already open, only its last date changes. If it was settled
 * since the problem began, it is not added again, unless there is new evidence.
 */
export async function raiseFindings(
  trx: Trx,
  listingId: number,
  findings: readonly Finding[],
  { since, now }: { since: number; now: number },
): Promise<void> {
  for (const finding of findings) {
    const { kind, judged = {} } = finding
    const isKnown = await wasSettled(trx, listingId, { kind, evidence: judged }, since)
    if (!isKnown) await putFinding(trx, listingId, { ...finding, judged }, now)
  }
}

/** Settles findings whose problem is over. */
export const settleOver = (trx: Trx, listingId: number, kinds: readonly FindingKind[], now: number): Promise<void> =>
  settleAutomatically(trx, listingId, kinds, 'The page is as it was.', now)

/** Returns whether a finding of a recheck is open. Flags are about the page as it was listed. */
export async function hasOpenRecheckFinding(trx: Trx, listingId: number): Promise<boolean> {
  const open = await trx
    .selectFrom('finding')
    .select('id')
    .where('listingId', '=', listingId)
    .where('settledAt', 'is', null)
    .where('kind', 'not like', `${FLAGGED}%`)
    .where('kind', '<>', CONTESTED)
    .limit(1)
    .executeTakeFirst()
  return open !== undefined
}

/**
 * Returns open findings, the most serious first, then the oldest. @param about only findings about these listings;
 * without it, all
 */
export async function openFindings({ db }: Store, count: number, about?: readonly number[]): Promise<OpenFinding[]> {
  const rows = await db
    .selectFrom('finding')
    .innerJoin('listing', 'listing.id', 'finding.listingId')
    .select(['finding.id', 'slug', 'url', 'kind', 'evidence', 'firstSeenAt', 'lastSeenAt'])
    .select(findingSeriousness.as('seriousness'))
    .where('settledAt', 'is', null)
    .$if(about !== undefined, query => query.where('finding.listingId', 'in', about ?? []))
    .orderBy('seriousness')
    .orderBy('finding.id')
    .limit(count)
    .execute()
  return rows.map(row => ({ ...row, evidence: JSON.parse(row.evidence) }) as OpenFinding)
}

/**
 * Closes a finding with the operator's note, and records that.
 *
 * @param by an operator's name
 * @returns the stored settlement, the first one if it was settled already; undefined if there is no such finding
 */
export async function settleFinding(
  trx: Trx,
  id: number,
  settlement: string,
  by: string,
  now: number,
): Promise<Settled | undefined> {
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
      id: decisionId,
      kind: 'settle_finding',
      listingId,
      ground: groundOf(kind),
      reason: hiddenAt === null ? 'listing_kept' : 'listing_hidden',
      facts: { explanation: settlement, finding: kind },
      actor: operatorNamed(by),
      at: now,
    })
  }
  return { slug: found.slug, settlement: found.settlement, changed }
}

/** Reopens a finding that was settled by mistake, unless the same one is open by now, and records that. */
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
      .select(['listingId', 'decisionId', 'kind'])
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
      kind: 'outcome',
      listingId: settled.listingId,
      about: settled.decisionId,
      ground: groundOf(settled.kind),
      reason: 'reopened',
      facts: { explanation },
      actor,
      at: now,
    })
  })
}

function groundOf(kind: string) {
  if (kind === CONTESTED) return 'rules/operator'
  return isFlag(kind) ? 'rules/review' : 'rules/review-again'
}

/** Something for the operator to check. */
export interface Finding {
  kind: FindingKind
  evidence: Evidence
  /** The part of the evidence that a settlement covers. If there is more the next time, it is a new finding. */
  judged?: Evidence
}

const FINDING_KINDS = {
  taken_over: 'Someone else seems to have taken over the website',
  gone: 'The page no longer loads, or its server has nothing to show',
  moved: 'The page leads to another domain, which seems to have the same owner',
  rewritten: 'The page has nothing in common with what was listed',
  fails_review: 'The page no longer passes review',
  flagged: 'The page newly uses suspicious phrases or asks for a password',
  two_faces: 'The page shows us one thing and browsers another',
  contested: 'Two people proved that the website is theirs',
} as const
export type FindingKind = keyof typeof FINDING_KINDS

/** Returns the reason of a report in one or two words. */
export const shortReason = (reason: string): string => SHORT[reason as keyof typeof SHORT] ?? reason

const SHORT: Record<ReportReason | 'failed_review', string> = {
  scam: 'Scam',
  misleading: 'Untrue',
  malicious: 'Dangerous',
  adult: 'Adult content',
  copyright: 'Copyright',
  unwanted: 'Unwanted',
  other: 'Something else',
  failed_review: 'Fails review',
}

/** The decisions that can be appealed. */
const APPEALED: Readonly<Record<string, string>> = {
  refuse: 'Refused',
  hide: 'Hidden',
  settle: 'Report settled',
  term: 'Ended early',
}

/** Returns the code of a pending item in the words of the console. */
export const itemWords: ItemWords = (kind, what) => {
  if (kind === 'report') return shortReason(what)
  if (kind === 'finding') return findingText(what as FindingKind) ?? what
  if (kind === 'appeal') return `Appeal against: ${APPEALED[what] ?? what}`
  return kind === 'payment' ? unplacedText(what) : what
}

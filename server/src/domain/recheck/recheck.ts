import { REVIEW_REASONS } from '@placard/contract'
import type { Store, Trx } from '../../platform/db/store.ts'
import { changeLedger } from '../boards/ledger.ts'
import { groundOfTakeover } from '../decisions/grounds.ts'
import { recordDecision } from '../decisions/record.ts'
import { parseDestination } from '../destinations/destination.ts'
import { copyFromPage, pageFields } from '../listings/add-listing.ts'
import { raiseFlags } from '../listings/flags.ts'
import { type Listing, lockListing, statusOf } from '../listings/listing.ts'
import type { Snapshot } from '../listings/seen-page.ts'
import { type FindingKind, hasOpenRecheckFinding, raiseFindings, settleOver } from '../moderation/findings.ts'
import { hide } from '../moderation/moderate.ts'
import { notifyFollower } from '../notifications/owner/notice.ts'
import { wantPicture } from '../pictures/preview-image.ts'
import type { PageMetadata } from '../review/page.ts'
import { admittedFor, isAdmitted, type Judged, refusalsInFacts } from '../review/reviewers/admitted.ts'
import type { Verdict } from '../review/verdict.ts'
import { A_BROWSER, type ObserveDependencies, observe, type RecheckFacts } from './fetch-twice.ts'
import {
  type DueRecheck,
  type LeasedRecheck,
  leaseRecheck,
  postponeUnlessShown,
  rechecks,
  scheduleRecheck,
  TRIES_MAX,
  UNSURE_WAIT_MS,
  visitsOf,
  waitBetweenRechecks,
} from './schedule.ts'
import { type Change, nextSnapshot, scoreFaces } from './score-change.ts'

export interface RecheckParts extends ObserveDependencies {
  store: Store
  clock: () => number
}

/** The result of one recheck. `unsure` says why nothing was learnt; `hidden`, whether the listing was hidden for it. */
export type Rechecked =
  | { slug: string; verdict: Change['verdict']; findings: Change['findings']; hidden: boolean }
  | { slug: string; unsure: string }

/** Everything seen in one recheck, under our own name and as a browser. */
interface RecheckResult {
  change: Change
  snapshot: Snapshot | undefined
  /** Absent if the page is on another domain: a publish would not have read it there. */
  metadata: PageMetadata | undefined
  facts: RecheckFacts | undefined
  /** Of the listing before its page was read. */
  updatedAt: number
}

/**
 * Rechecks a listed page, and acts on the result. Hides the listing if the page was taken over, and updates its title
 * and description. If the page is missing or different, retries, and notifies the operator if that lasts.
 *
 * @returns undefined if the page is already being rechecked, or the listing is not shown
 */
export async function recheckListing(
  deps: RecheckParts,
  due: DueRecheck,
  stop: AbortSignal,
): Promise<Rechecked | undefined> {
  const { store, clock } = deps
  const listing = await store.db
    .selectFrom('listing')
    .selectAll()
    .where('id', '=', due.listingId)
    .executeTakeFirstOrThrow()
  if (statusOf(listing, clock()) !== 'published') {
    await postponeUnlessShown(store, due.listingId, clock, (trx, lookAt) => rechecks.settle(trx, due, { lookAt }))
    return undefined
  }
  const lease = await leaseRecheck(store, due, clock())
  if (!lease) return undefined
  const { slug } = listing
  const seen = await see(deps, listing, lease, stop)
  const now = clock()
  if ('unsure' in seen) {
    if (!stop.aborted) await store.transact(trx => scheduleRecheck(trx, lease, { lookAt: now + UNSURE_WAIT_MS }))
    return { slug, unsure: seen.unsure }
  }
  const { verdict, findings } = seen.change
  // Only hiding changes the boards.
  const transact: Store['transact'] = work =>
    verdict === 'taken_over' ? changeLedger(store, work) : store.transact(work)
  const hidden = await transact(trx => carryOut(trx, lease, seen, now))
  return { slug, verdict, findings, hidden }
}

async function see(
  deps: RecheckParts,
  listing: Listing,
  { snapshot }: LeasedRecheck,
  stop: AbortSignal,
): Promise<RecheckResult | { unsure: string }> {
  const destination = parseDestination(listing.url)
  const known = { before: snapshot, admits: await admittedFor(deps.store.db, listing.id) }
  const ours = await observe(deps, destination, known, stop)
  if (!ours.observation) return ours
  const { observation, unsure, metadata, facts } = ours
  // If we see nothing, what a browser sees does not matter: people can check that themselves.
  const theirs = observation.seen && (await observe(deps, destination, known, stop, A_BROWSER))
  if (stop.aborted) return { unsure: 'stopped' }
  // Without the reviewers, both are compared with the listed page alone.
  const isComparable = theirs?.unsure === undefined || unsure !== undefined
  const toBrowsers = (isComparable && theirs?.observation) || { why: 'not seen' }
  const before = snapshot ?? observation.seen
  const change: Change = before
    ? scoreFaces(before, observation, toBrowsers)
    : { verdict: 'gone', findings: [{ kind: 'gone', evidence: { why: 'why' in observation ? observation.why : '' } }] }
  // What the comparison alone shows needs no reviewer.
  if (unsure !== undefined && (!snapshot || change.findings.length === 0)) return { unsure }
  const next = before && observation.seen && nextSnapshot(before, observation.seen, observation.text)
  return { change, snapshot: next, metadata, facts, updatedAt: listing.updatedAt }
}

/** Carries out everything that follows from a recheck, in one transaction. @returns whether the listing was hidden */
async function carryOut(
  trx: Trx,
  lease: LeasedRecheck,
  { change, snapshot, metadata, facts, updatedAt }: RecheckResult,
  now: number,
): Promise<boolean> {
  const { listingId } = lease
  const listing = await lockListing(trx, listingId)
  if (statusOf(listing, now) !== 'published') return false
  const visits = await visitsOf(trx, listingId, now)
  // No snapshot of the listed page exists: an order paid for the listing, or an older version listed it.
  if (!lease.snapshot && facts) await raiseFlags(trx, listingId, facts.verdicts, [], now)
  const next = (tries: number) => now + waitBetweenRechecks({ ...listing, visits }, tries, now)

  if (change.verdict === 'taken_over' && !(await wasReversed(trx, listingId, change.refusal))) {
    if (!(await scheduleRecheck(trx, lease, { lookAt: next(0), tries: 0, troubledSince: null }))) return false
    await takeDown(trx, listing, change, facts, now)
    return true
  }
  const { findings } = change
  if (findings.length === 0) {
    const rest = { lookAt: next(0), snapshot, tries: 0, troubledSince: null }
    if (!(await scheduleRecheck(trx, lease, rest))) return false
    if (lease.tries > 0) await settleOver(trx, listingId, ['gone', 'two_faces'], now)
    // Its owner may have refreshed it since, from a newer page.
    const isCurrent = listing.updatedAt === updatedAt && !(await hasOpenRecheckFinding(trx, listingId))
    if (metadata && isCurrent) await takeOver(trx, listing, metadata, now)
    return false
  }
  const tries = lease.tries + 1
  // If the clock was set back since, what is settled now must still count as settled during this trouble.
  const since = Math.min(lease.troubledSince ?? now, now)
  // What cannot be an outage is reported at once.
  const isLasting = tries >= TRIES_MAX || findings.some(({ kind }) => NOTIFIED_AT_ONCE.includes(kind))
  // Once the operator was notified of the change, or reversed its effect, the new page is what later ones are compared
  // with.
  const isNew = isLasting && findings.every(({ kind }) => ANOTHER_PAGE.includes(kind))
  const plan = { lookAt: next(tries), tries: Math.min(tries, TRIES_MAX), troubledSince: since }
  if (!(await scheduleRecheck(trx, lease, { ...plan, snapshot: isNew || !lease.snapshot ? snapshot : undefined }))) {
    return false
  }
  if (isLasting) await raiseFindings(trx, listingId, findings, { since, now })
  return false
}

const NOTIFIED_AT_ONCE: readonly FindingKind[] = ['taken_over', 'fails_review']
const ANOTHER_PAGE: readonly FindingKind[] = ['moved', 'rewritten', 'taken_over']

async function takeDown(
  trx: Trx,
  listing: Listing,
  { refusal, findings }: Extract<Change, { verdict: 'taken_over' }>,
  facts: RecheckFacts | undefined,
  now: number,
): Promise<void> {
  const { reason } = refusal
  const change = Object.assign({}, ...findings.map(finding => finding.evidence))
  // If no reviewer refused the page, the comparison decided, and an appeal can reverse it.
  const isRefused = facts?.verdicts.some(({ outcome }) => outcome === 'reject')
  const verdicts: Verdict[] = [
    ...(facts?.verdicts ?? []),
    ...(isRefused ? [] : [{ ...refusal, outcome: 'reject' as const }]),
  ]
  const explanation = `The page was read again, and is not what was listed. ${REVIEW_REASONS[reason]}`
  await hide(trx, listing, explanation, now, {
    actor: 'automatic',
    ground: groundOfTakeover(reason),
    reason,
    facts: { ...facts, verdicts, change },
  })
  await raiseFindings(trx, listing.id, findings, { since: now, now })
  await notifyFollower(trx, listing.id, { kind: 'taken_down', facts: { reason } }, now)
}

/** Copies the metadata of a page that passed review to the listing, if it changed. */
async function takeOver(trx: Trx, listing: Listing, metadata: PageMetadata, now: number): Promise<void> {
  const fields = pageFields(metadata, listing)
  const names = Object.keys(fields) as (keyof typeof fields)[]
  if (names.every(name => fields[name] === listing[name])) return
  await copyFromPage(trx, listing.id, fields, now)
  if (fields.imageUrl !== listing.imageUrl) await wantPicture(trx, listing.id, fields.imageUrl, now)
  await recordDecision(trx, {
    kind: 'refresh',
    listingId: listing.id,
    ground: 'rules/review',
    reason: 'passed_review',
    facts: { explanation: 'Read and reviewed again' },
    actor: 'automatic',
    at: now,
  })
}

/**
 * Returns whether the listing was hidden for exactly this before. Then a person has restored it, and decides again. New
 * evidence counts as new.
 */
async function wasReversed(trx: Trx, listingId: number, refusal: Judged): Promise<boolean> {
  const hidden = await trx
    .selectFrom('decision')
    .select('facts')
    .where('listingId', '=', listingId)
    // Repeats the condition of the index, which excludes publications.
    .where('kind', '<>', 'accept')
    .where('kind', '=', 'hide')
    .where('actor', '=', 'automatic')
    .where('reason', '=', refusal.reason)
    .execute()
  return hidden.some(({ facts }) => isAdmitted(refusalsInFacts(facts), refusal))
}

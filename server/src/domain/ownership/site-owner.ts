import type { Selectable } from 'kysely'
import type { Db, Trx } from '../../platform/db/store.ts'
import type { OwnershipTables } from '../../platform/db/tables/ownership.ts'
import { daysMs } from '../../platform/lib/time.ts'
import { recordDecision } from '../decisions/record.ts'
import { type Destination, parseDestination } from '../destinations/destination.ts'
import { putFinding } from '../listings/flags.ts'
import { type ProofPlace, tokenHashOf, WAIT_DAYS } from './site-proof.ts'

export type SiteOwner = Selectable<OwnershipTables['site_owner']>

/** Returns who proved a listing's website; undefined if no one did, or the proof is gone. */
export const findSiteOwner = (db: Db, listingId: number): Promise<SiteOwner | undefined> =>
  db.selectFrom('site_owner').selectAll().where('listingId', '=', listingId).executeTakeFirst()

/** Returns whether the owner of a destination's listing proved it with this token. */
export async function isOwnersToken(db: Db, { key }: Destination, token: string): Promise<boolean> {
  const owner = await db
    .selectFrom('site_owner')
    .innerJoin('listing', 'listing.id', 'site_owner.listingId')
    .select('tokenHash')
    .where('destinationKey', '=', key)
    .executeTakeFirst()
  return owner?.tokenHash === tokenHashOf(token)
}

/** Returns until when another person must wait to claim a listing; undefined if no one does. */
export async function waitsUntil(db: Db, listingId: number): Promise<number | undefined> {
  const waiting = await db
    .selectFrom('waiting_owner')
    .select('effectiveAt')
    .where('listingId', '=', listingId)
    .where('contestedAt', 'is', null)
    .executeTakeFirst()
  return waiting?.effectiveAt
}

/**
 * Returns a destination as it is listed, or as given if it is not listed. The listed spelling must be proven: another
 * person may serve a different one, such as `www.`, or the same name without encryption.
 */
export async function asListed(db: Db, destination: Destination): Promise<Destination> {
  const { key } = destination
  const listed = await db.selectFrom('listing').select('url').where('destinationKey', '=', key).executeTakeFirst()
  return listed ? parseDestination(listed.url) : destination
}

/** The kind of finding that asks the operator who the owner is. */
export const CONTESTED = 'contested'

/** `contested`: the operator decides. */
export type NotYet = { outcome: 'waits'; until: number } | { outcome: 'contested' }

/** Called when another person has proved the website, and must wait until this time. */
export type OnWaiting = (trx: Trx, listingId: number, until: number, now: number) => Promise<void>

/** A person who proved the website and is not its owner. */
export interface Waiting {
  tokenHash: string
  effectiveAt: number
  contestedAt: number | null
}

/** Returns who waits. Once an operator has settled a contested proof, no one does. */
export async function findWaiting(trx: Trx, listingId: number): Promise<Waiting | undefined> {
  const waiting = await trx
    .selectFrom('waiting_owner')
    .selectAll()
    .where('listingId', '=', listingId)
    .executeTakeFirst()
  if (!waiting || waiting.contestedAt === null || (await isContested(trx, listingId))) return waiting
  await endWaiting(trx, listingId)
  return undefined
}

/** Returns whether an operator has yet to decide which of two people is the owner. */
export const isContested = async (trx: Trx, listingId: number): Promise<boolean> =>
  (await trx
    .selectFrom('finding')
    .select('id')
    .where('listingId', '=', listingId)
    .where('kind', '=', CONTESTED)
    .where('settledAt', 'is', null)
    .executeTakeFirst()) !== undefined

export const endWaiting = (trx: Trx, listingId: number) =>
  trx.deleteFrom('waiting_owner').where('listingId', '=', listingId).execute()

/** Two people prove the website, so the operator decides. */
export async function contest(trx: Trx, listingId: number, { contestedAt }: Waiting, now: number): Promise<void> {
  if (contestedAt !== null) return
  await trx.updateTable('waiting_owner').set({ contestedAt: now }).where('listingId', '=', listingId).execute()
  await putFinding(trx, listingId, { kind: CONTESTED, evidence: {} }, now)
  await note(trx, listingId, 'contested', 'Two people proved the website. The operator decides', now)
}

/**
 * Makes a person who is not the owner wait.
 *
 * @returns the result; undefined if they have waited long enough, and the owner did not contest it
 */
export async function waitFor(
  onWaiting: OnWaiting,
  trx: Trx,
  listingId: number,
  waiting: Waiting | undefined,
  { token, place }: { token: string; place: ProofPlace },
  now: number,
): Promise<NotYet | undefined> {
  if (!waiting) {
    const until = now + daysMs(WAIT_DAYS)
    const values = {
      listingId,
      place,
      tokenHash: tokenHashOf(token),
      provenAt: now,
      effectiveAt: until,
      contestedAt: null,
    }
    await trx.insertInto('waiting_owner').values(values).execute()
    await note(trx, listingId, 'waits', 'Someone else proved the website, and can claim it in three days', now)
    await onWaiting(trx, listingId, until, now)
    return { outcome: 'waits', until }
  }
  if (waiting.contestedAt !== null) return { outcome: 'contested' }
  if (waiting.tokenHash !== tokenHashOf(token)) {
    // A third person, or the second one in another browser: this can't be told apart.
    await contest(trx, listingId, waiting, now)
    return { outcome: 'contested' }
  }
  return waiting.effectiveAt > now ? { outcome: 'waits', until: waiting.effectiveAt } : undefined
}

/** Records what came of a proof. */
export const note = (trx: Trx, listingId: number, reason: string, explanation: string, now: number) =>
  recordDecision(trx, {
    kind: 'prove',
    listingId,
    ground: 'owner',
    reason,
    facts: { explanation },
    actor: 'owner',
    at: now,
  })

import { randomUUID } from 'node:crypto'
import { CONTRACT_VERSION } from '@placard/contract'
import type { Store, Trx } from '../../platform/db/store.ts'
import type { Secret } from '../../platform/lib/secret.ts'
import { DAY_MS, daysMs } from '../../platform/lib/time.ts'
import { recordDecision } from '../decisions/record.ts'
import { putFinding } from '../listings/flags.ts'
import type { Listing } from '../listings/listing.ts'
import { hashOf, LINK_VERSIONS_MAX, type LinkIdentity, matchesHash, provenOwnerToken } from './owner-token.ts'
import type { ServiceKeys } from './service-keys/service-keys.ts'
import { type ProofPlace, type RunningProof, tokenHashOf } from './site-proof.ts'

/** How long the present owner has to prove the website again, before somebody else's later proof takes effect. */
export const WAIT_DAYS = 3

/** The kind of finding that asks the operator who the owner is. */
export const CONTESTED = 'contested'

/** A token that was found on a listing's website. */
export interface Proof extends Pick<RunningProof, 'token' | 'secret'> {
  place: ProofPlace
}

/**
 * What a proof led to. `linked`: the private link that the prover now has. `verified`: the holder of the private link
 * proved the website, and keeps the link. `contested`: the operator decides. `too_often`: the link can't be replaced
 * again.
 */
export type Proved =
  | { outcome: 'linked'; link: LinkIdentity; token: Secret }
  | { outcome: 'verified' }
  | { outcome: 'waits'; until: number }
  | { outcome: 'contested' }
  | { outcome: 'too_often' }

/** What else happens in the same transaction. */
export interface Along {
  /** The prover has the private link now: what the holder of the old one set up must end. */
  onNewOwner(trx: Trx, listingId: number): Promise<void>
  /** Somebody else has proved the website, and waits until this time. */
  onWaiting(trx: Trx, listingId: number, until: number, now: number): Promise<void>
}

interface Proving extends Along {
  store: Store
  serviceKeys: ServiceKeys
}

/**
 * Carries out what a proof of a listed website gives.
 *
 * The first proof takes effect at once. Once the website has a proven owner, a proof by another browser waits for three
 * days. The owner is notified, and keeps the listing by proving the website again. Then the operator decides.
 *
 * @param isHolder whether the prover has opened the private page with its link
 */
export function proveOwner(
  deps: Proving,
  listing: Pick<Listing, 'id' | 'url'>,
  proof: Proof,
  isHolder: boolean,
  now: number,
): Promise<Proved> {
  return deps.store.transact(async trx => {
    await lock(trx, listing.id)
    const owner = await trx
      .selectFrom('site_owner')
      .select('tokenHash')
      .where('listingId', '=', listing.id)
      .executeTakeFirst()
    const tokenHash = tokenHashOf(proof.token)
    const isOwner = isHolder || !owner || owner.tokenHash === tokenHash
    const waiting = await findWaiting(trx, listing.id)
    if (!isOwner) {
      const refused = await waitFor(deps, trx, listing.id, waiting, proof, now)
      if (refused) return refused
    } else if (waiting && waiting.tokenHash !== tokenHash) {
      await contest(trx, listing.id, waiting, now)
    }
    if (isHolder) {
      if (waiting?.tokenHash === tokenHash) await endWaiting(trx, listing.id)
      await setOwner(trx, listing.id, proof, 'verified', now)
      return { outcome: 'verified' }
    }
    return giveLink(deps, trx, listing, proof, now)
  })
}

/** Serializes proofs of one listing. SQLite has one writer anyway. */
async function lock(trx: Trx, listingId: number): Promise<void> {
  const row = trx.selectFrom('listing').select('id').where('id', '=', listingId)
  await row.$if(trx.engine === 'postgres', query => query.forUpdate()).executeTakeFirstOrThrow()
}

interface Waiting {
  tokenHash: string
  effectiveAt: number
  contestedAt: number | null
}

/** Returns who waits. Once an operator has settled a contested proof, nobody waits any more. */
async function findWaiting(trx: Trx, listingId: number): Promise<Waiting | undefined> {
  const waiting = await trx
    .selectFrom('waiting_owner')
    .selectAll()
    .where('listingId', '=', listingId)
    .executeTakeFirst()
  if (!waiting || waiting.contestedAt === null) return waiting
  const open = await trx
    .selectFrom('finding')
    .select('id')
    .where('listingId', '=', listingId)
    .where('kind', '=', CONTESTED)
    .where('settledAt', 'is', null)
    .executeTakeFirst()
  if (open) return waiting
  await endWaiting(trx, listingId)
  return undefined
}

const endWaiting = (trx: Trx, listingId: number) =>
  trx.deleteFrom('waiting_owner').where('listingId', '=', listingId).execute()

/** Two people prove the website, so the operator decides. */
async function contest(trx: Trx, listingId: number, { contestedAt }: Waiting, now: number): Promise<void> {
  if (contestedAt !== null) return
  await trx.updateTable('waiting_owner').set({ contestedAt: now }).where('listingId', '=', listingId).execute()
  await putFinding(trx, listingId, { kind: CONTESTED, evidence: {} }, now)
  await note(trx, listingId, 'contested', 'Two people proved the website. The operator decides', now)
}

/**
 * Lets somebody else than the owner wait.
 *
 * @returns the result; undefined if they have waited long enough, and nobody contested
 */
async function waitFor(
  { onWaiting }: Proving,
  trx: Trx,
  listingId: number,
  waiting: Waiting | undefined,
  { token, place }: Proof,
  now: number,
): Promise<Proved | undefined> {
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
    await note(trx, listingId, 'waits', 'Somebody else proved the website, and can claim it in three days', now)
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

/**
 * Makes the prover the owner, with a private link of their own. The link before and visits opened with it end. A
 * listing that a payment made gets its first link.
 */
async function giveLink(
  { serviceKeys, onNewOwner }: Proving,
  trx: Trx,
  listing: Pick<Listing, 'id' | 'url'>,
  proof: Proof,
  now: number,
): Promise<Proved> {
  const claim = await trx
    .selectFrom('claim')
    .select(['id as claimId', 'linkVersion', 'ownerTokenHash'])
    .where('listingId', '=', listing.id)
    .executeTakeFirst()
  if (claim) {
    const { claimId, linkVersion } = claim
    const present = serviceKeys.all
      .map(({ secret }) => provenOwnerToken(proof.secret, secret, { claimId, linkVersion }))
      .find(token => matchesHash(token, claim.ownerTokenHash))
    // The same browser asks again: it may have lost the reply.
    if (present) return { outcome: 'linked', link: { claimId, linkVersion }, token: present }
    if (linkVersion >= LINK_VERSIONS_MAX) return { outcome: 'too_often' }
  }
  const link = { claimId: claim?.claimId ?? randomUUID(), linkVersion: (claim?.linkVersion ?? 0) + 1 }
  const { secret, checkValue } = serviceKeys.newest
  const token = provenOwnerToken(proof.secret, secret, link)
  const held = { linkVersion: link.linkVersion, ownerTokenHash: hashOf(token) }
  if (claim) await trx.updateTable('claim').set(held).where('id', '=', link.claimId).execute()
  else {
    const approval = { approvalScope: 'owner_proof', rulesVersion: CONTRACT_VERSION, approvedAt: now }
    const values = { id: link.claimId, listingId: listing.id, requestId: null, destinationAsSent: listing.url }
    await trx
      .insertInto('claim')
      .values({ ...values, ...approval, ...held })
      .execute()
  }
  await trx
    .insertInto('renewed_link')
    .values({ ...link, keyCheckValue: checkValue, nonce: null, byProof: 1 })
    .execute()
  await endWaiting(trx, listing.id)
  await setOwner(trx, listing.id, proof, 'claimed', now)
  await onNewOwner(trx, listing.id)
  return { outcome: 'linked', link, token }
}

const EXPLANATIONS = {
  claimed: 'Claimed by a proof of the website',
  verified: 'The holder of the private link proved the website',
} as const

async function setOwner(
  trx: Trx,
  listingId: number,
  { token, place }: Proof,
  reason: keyof typeof EXPLANATIONS,
  now: number,
): Promise<void> {
  const fresh = { place, tokenHash: tokenHashOf(token), checkAt: now + DAY_MS, missingSince: null, missingTold: 0 }
  await trx
    .insertInto('site_owner')
    .values({ listingId, provenAt: now, ...fresh })
    // The month that is shown is that of this owner's first proof.
    .onConflict(conflict =>
      conflict.column('listingId').doUpdateSet({ ...fresh, ...(reason === 'claimed' && { provenAt: now }) }),
    )
    .execute()
  await note(trx, listingId, reason, EXPLANATIONS[reason], now)
}

const note = (trx: Trx, listingId: number, reason: string, explanation: string, now: number) =>
  recordDecision(trx, {
    kind: 'prove',
    listingId,
    ground: 'owner',
    reason,
    facts: { explanation },
    actor: 'owner',
    at: now,
  })

import { randomUUID } from 'node:crypto'
import { CONTRACT_VERSION } from '@placard/contract'
import type { Store, Trx } from '../../platform/db/store.ts'
import { OWNER_PROOF } from '../../platform/db/tables/ownership.ts'
import type { Secret } from '../../platform/lib/secret.ts'
import { DAY_MS } from '../../platform/lib/time.ts'
import { latestFirst } from '../decisions/record.ts'
import { type Listing, noteUpdate } from '../listings/listing.ts'
import { LinkReplaced } from './claims.ts'
import { hashOf, type LinkIdentity, matchesHash, provenOwnerToken } from './owner-token.ts'
import type { ServiceKeys } from './service-keys/service-keys.ts'
import {
  contest,
  endWaiting,
  findSiteOwner,
  findWaiting,
  type NotYet,
  note,
  type OnWaiting,
  waitFor,
} from './site-owner.ts'
import { type ProofPlace, type RunningProof, tokenHashOf } from './site-proof.ts'

/** A token that was found on a listing's website. */
export interface Proof extends Pick<RunningProof, 'token' | 'secret'> {
  place: ProofPlace
}

/**
 * What a proof led to. `linked`: the private link that the prover now has. `verified`: the holder of the private link
 * proved the website, and keeps the link. `contested`: the operator decides.
 */
export type Proved = { outcome: 'linked'; link: LinkIdentity; token: Secret } | { outcome: 'verified' } | NotYet

/** What else happens in the same transaction. */
export interface ProofEffects {
  /** The prover has the private link now: what the holder of the old one set up must end. */
  onNewOwner(trx: Trx, listingId: number): Promise<void>
  onWaiting: OnWaiting
}

interface Proving extends ProofEffects {
  store: Store
  serviceKeys: ServiceKeys
}

/**
 * Carries out what a proof of a listed website gives.
 *
 * The first proof takes effect at once. Once the website has a proven owner, a proof by another browser waits for three
 * days. The owner is notified, and keeps the listing by proving the website again. Then the operator decides.
 *
 * @param holder the link with which the prover has opened the private page, if they have
 * @throws LinkReplaced if another link replaced that one
 */
export function proveOwner(
  deps: Proving,
  listing: Pick<Listing, 'id' | 'url'>,
  proof: Proof,
  holder: Pick<LinkIdentity, 'linkVersion'> | undefined,
  now: number,
): Promise<Proved> {
  return deps.store.transact(async trx => {
    const claim = await lock(trx, listing.id)
    // Looking for the token takes seconds, in which the link can end.
    if (holder && holder.linkVersion !== claim?.linkVersion) throw new LinkReplaced()
    const tokenHash = tokenHashOf(proof.token)
    const isOwner = holder !== undefined || (await isOwnerByProof(trx, listing.id, tokenHash))
    const waiting = await findWaiting(trx, listing.id)
    if (!isOwner) {
      const refused = await waitFor(deps.onWaiting, trx, listing.id, waiting, proof, now)
      if (refused) return refused
    } else if (waiting && waiting.tokenHash !== tokenHash) {
      await contest(trx, listing.id, waiting, now)
    }
    // Any other person who waited has just been contested, and now waits for the operator.
    if (waiting?.tokenHash === tokenHash) await endWaiting(trx, listing.id)
    if (holder) {
      await setOwner(trx, listing.id, proof, 'verified', now)
      return { outcome: 'verified' }
    }
    return giveLink(deps, trx, { listing, claim }, proof, now)
  })
}

type LockedClaim = LinkIdentity & { ownerTokenHash: string }

/**
 * Serializes proofs of one listing, and anything that replaces its link. SQLite has one writer anyway. Other writers
 * take the claim first, and refer to the listing afterwards, so a stronger lock of the listing would be a deadlock.
 *
 * @returns the listing's claim; undefined if it has none
 */
async function lock(trx: Trx, listingId: number): Promise<LockedClaim | undefined> {
  const isPostgres = trx.engine === 'postgres'
  const listing = trx.selectFrom('listing').select('id').where('id', '=', listingId)
  await listing.$if(isPostgres, query => query.forNoKeyUpdate()).executeTakeFirstOrThrow()
  const claim = trx
    .selectFrom('claim')
    .select(['id as claimId', 'linkVersion', 'ownerTokenHash'])
    .where('listingId', '=', listingId)
  return claim.$if(isPostgres, query => query.forUpdate()).executeTakeFirst()
}

/** Whether a proof counts as the owner's: it is theirs, or there is no owner. */
async function isOwnerByProof(trx: Trx, listingId: number, tokenHash: string): Promise<boolean> {
  const owner = await trx
    .selectFrom('site_owner')
    .select('tokenHash')
    .where('listingId', '=', listingId)
    .executeTakeFirst()
  if (!owner) return true
  if (owner.tokenHash !== tokenHash) return false
  // After a proof, an operator may have given the listing to another person.
  const last = await trx
    .selectFrom('decision')
    .select('kind')
    .where('listingId', '=', listingId)
    // Repeats the condition of the index, which excludes publications.
    .where('kind', '<>', 'accept')
    .where('reason', 'in', ['claimed', 'verified', 'reissued'])
    .orderBy(latestFirst())
    .limit(1)
    .executeTakeFirst()
  return last?.kind !== 'renew'
}

/**
 * Makes the prover the owner, with a private link of their own. The link before and visits opened with it end. A
 * listing that a payment made gets its first link.
 */
async function giveLink(
  { serviceKeys, onNewOwner }: Proving,
  trx: Trx,
  { listing, claim }: { listing: Pick<Listing, 'id' | 'url'>; claim: LockedClaim | undefined },
  proof: Proof,
  now: number,
): Promise<Proved> {
  if (claim) {
    const { claimId, linkVersion } = claim
    const present = serviceKeys.all
      .map(({ secret }) => provenOwnerToken(proof.secret, secret, { claimId, linkVersion }))
      .find(token => matchesHash(token, claim.ownerTokenHash))
    // The same browser asks again: it may have lost the reply, or its proof was gone for a week.
    if (present) {
      if (!(await findSiteOwner(trx, listing.id))) await setOwner(trx, listing.id, proof, 'verified', now)
      return { outcome: 'linked', link: { claimId, linkVersion }, token: present }
    }
  }
  const link = { claimId: claim?.claimId ?? randomUUID(), linkVersion: (claim?.linkVersion ?? 0) + 1 }
  const { secret, checkValue } = serviceKeys.newest
  const token = provenOwnerToken(proof.secret, secret, link)
  const held = { linkVersion: link.linkVersion, ownerTokenHash: hashOf(token) }
  if (claim) await trx.updateTable('claim').set(held).where('id', '=', link.claimId).execute()
  else {
    const approval = { approvalScope: OWNER_PROOF, rulesVersion: CONTRACT_VERSION, approvedAt: now }
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
  await noteUpdate(trx, listingId, now)
  await note(trx, listingId, reason, EXPLANATIONS[reason], now)
}

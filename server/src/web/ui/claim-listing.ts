import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Destination } from '../../domain/destinations/destination.ts'
import { type Listing, statusOf } from '../../domain/listings/listing.ts'
import { WITH_A_PROOF } from '../../domain/notifications/owner/new-owner.ts'
import { ownerTokenText } from '../../domain/ownership/owner-token.ts'
import { type Proof, proveOwner } from '../../domain/ownership/prove-owner.ts'
import type { NotYet } from '../../domain/ownership/site-owner.ts'
import { giveCookie, sessionCookie } from './cookies.ts'
import type { Needs } from './page-parts.ts'

/** A private link that a proof gave. */
export interface Given {
  claimId: string
  privateLink: string
  listing: Pick<Listing, 'slug' | 'title' | 'expiresAt'>
  isPublished: boolean
}

export type Claimed = (Given & { outcome: 'linked' }) | NotYet | { outcome: 'not_listed' }

/** Carries out what a proof gives, for a browser that has no private page open. A private link also starts a visit. */
export async function claimListing(
  { links, store, serviceKeys, sessions, clock }: Needs<'links' | 'store' | 'serviceKeys' | 'sessions' | 'clock'>,
  destination: Destination,
  proof: Proof,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Claimed> {
  const listing = await store.db
    .selectFrom('listing')
    .select(['id', 'url', 'slug', 'title', 'expiresAt', 'hiddenAt'])
    .where('destinationKey', '=', destination.key)
    // Another spelling may have been listed while we looked.
    .where('url', '=', destination.url)
    .executeTakeFirst()
  if (!listing) return { outcome: 'not_listed' }
  const now = clock()
  const proved = await proveOwner({ store, serviceKeys, ...WITH_A_PROOF }, listing, proof, undefined, now)
  request.log.info({ slug: listing.slug, outcome: proved.outcome, place: proof.place }, 'a website was proven')
  if (proved.outcome === 'verified' || proved.outcome === 'visit_ended')
    throw new Error('only the private page knows its holder')
  if (proved.outcome !== 'linked') return proved
  const { claimId } = proved.link
  giveCookie(reply, sessionCookie(claimId), sessions.open(proved.link, now), links)
  const privateLink = links.privateLink(claimId, ownerTokenText(proved.token))
  return { outcome: 'linked', claimId, privateLink, listing, isPublished: statusOf(listing, now) === 'published' }
}

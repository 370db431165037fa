import { CATEGORIES } from '@placard/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hidingDecision } from '../../domain/decisions/record.ts'
import { appealDecision } from '../../domain/moderation/appeals/routes.ts'
import { withdrawListing } from '../../domain/moderation/moderate.ts'
import { feedTokenOf, findWatch } from '../../domain/notifications/owner/feed.ts'
import { forgetWaiting } from '../../domain/notifications/owner/mail-address.ts'
import { renewSecretWith } from '../../domain/notifications/owner/webhook.ts'
import { changeCategory } from '../../domain/ownership/change-listing.ts'
import { type Claim, parsePrivateLink } from '../../domain/ownership/claims.ts'
import { matchesHash, ownerTokenText, parseOwnerToken } from '../../domain/ownership/owner-token.ts'
import { renewLink } from '../../domain/ownership/renew-link.ts'
import { refreshListing } from '../../domain/recheck/refresh.ts'
import { REVIEW_RETRY_SECONDS } from '../../domain/review/reviewers/reviewers.ts'
import { clientNetworks } from '../../platform/http/client-address.ts'
import { promotePath } from '../../platform/http/links.ts'
import { Problem } from '../../platform/http/problem.ts'
import { sendHtml } from '../../platform/http/send.ts'
import type { Secret } from '../../platform/lib/secret.ts'
import { giveCookie, PASS, sessionCookie } from '../ui/cookies.ts'
import type { Needs } from '../ui/page-parts.ts'
import { typedStatement } from '../ui/statement.tsx'
import { renderRenewed } from './frame.tsx'
import { readMail } from './mail-form.tsx'
import {
  type DoneCode,
  NO_SUCH_CATEGORY,
  NOT_HIDDEN,
  NOT_PUBLISHED,
  type Notice,
  notRead,
  RENEWAL_NOTICES,
  refusedAppeal,
  refusedNotice,
  UNCONFIRMED,
} from './messages.ts'

export type PrivatePageDependencies = Needs<
  | 'links'
  | 'store'
  | 'allowances'
  | 'serviceKeys'
  | 'sessions'
  | 'passes'
  | 'proofs'
  | 'fetchPage'
  | 'reviewers'
  | 'drawListing'
  | 'clock'
>

/** One request from a visitor who has opened a listing's private page with its link. */
export interface Visit {
  claim: Claim
  /** The name of the form that was sent, if any, and its fields. */
  act?: string
  form: Record<string, unknown>
  now: number
  request: FastifyRequest
  reply: FastifyReply
}

/**
 * Something that an owner does on the private page. Returns a notice for the page that is sent now, the code of a
 * notice for the page after a redirect, a reply of its own, or undefined for a redirect that needs no notice.
 */
export type LinkAction = (
  deps: PrivatePageDependencies,
  visit: Visit,
) => Promise<Notice | DoneCode | FastifyReply | undefined>

export const withdraw: LinkAction = async ({ store }, visit) => {
  if (!isConfirmed(visit)) return UNCONFIRMED
  const { claim, now } = visit
  const changed = await withdrawListing(store, claim.listing, now)
  return changed || claim.listing.hiddenBy === 'owner' ? 'withdraw' : NOT_PUBLISHED
}

export const promote: LinkAction = async ({ passes, links }, { claim, now, reply }) => {
  const { linkVersion, listing } = claim
  const owned = { destinationKey: listing.destinationKey, linkVersion }
  giveCookie(reply, PASS, passes.give(owned, 'private_link', now), links)
  return reply.redirect(promotePath({ destination: listing, category: listing.category }), 303)
}

export const refresh: LinkAction = async (deps, { claim, request, reply }) => {
  const { slug } = claim.listing
  const refreshed = await refreshListing(deps, claim.listing, clientNetworks(request))
  switch (refreshed.outcome) {
    case 'refreshed':
      return 'refresh'
    case 'not_published':
      return NOT_PUBLISHED
    case 'cannot_tell':
      request.log.info({ slug, why: refreshed.why }, 'could not refresh a listing')
      reply.header('retry-after', String(REVIEW_RETRY_SECONDS))
      return notRead(refreshed.detail)
    case 'rejected': {
      const { reason, detail } = refreshed
      // The listing stays up: one failed review is a reason to check it, not to take it down.
      request.log.warn({ slug, reason, detail }, 'the page of a published listing no longer passes review')
      return refusedNotice(reason, detail)
    }
  }
}

export const category: LinkAction = async ({ store }, { claim, form, now }) => {
  const chosen = CATEGORIES.find(id => id === form.category)
  if (!chosen) return NO_SUCH_CATEGORY
  return (await changeCategory(store, claim.listing.id, chosen, now)) ? 'category' : NOT_PUBLISHED
}

/** Returns what is wrong with the form of a renewal; undefined if nothing is. */
export const renewalFault = (visit: Visit): Notice | undefined => {
  if (!isConfirmed(visit)) return UNCONFIRMED
  return presentToken(visit) ? undefined : RENEWAL_NOTICES.wrong_link
}

/** Requires the private link, because the visit's cookie doesn't contain its key. */
export const renew: LinkAction = async (deps, visit) => {
  const { claim, now, request, reply } = visit
  const { claimId, listing } = claim
  const token = presentToken(visit)
  if (!token) return RENEWAL_NOTICES.wrong_link
  const hadFeed = feedTokenOf(deps.serviceKeys, claim, await findWatch(deps.store.db, listing.id)) !== undefined
  let hasWebhook = false
  const renewal = await renewLink(deps, claimId, token, now, async (trx, listingId) => {
    hasWebhook = await renewSecretWith(trx, deps.serviceKeys, listingId)
    await forgetWaiting(trx, listingId)
  })
  if ('refused' in renewal) return RENEWAL_NOTICES[renewal.refused]
  request.log.info({ slug: listing.slug }, 'a private link was renewed')
  giveCookie(reply, sessionCookie(claimId), deps.sessions.open(renewal.link, now), deps.links)
  const privateLink = deps.links.privateLink(claimId, ownerTokenText(renewal.token))
  const mail = await readMail(deps, listing.id, now)
  const kept = { hasWebhook, hadFeed, mailAddress: mail?.address }
  return sendHtml(reply, 200, renderRenewed({ claimId, privateLink, ...kept, links: deps.links }))
}

/** The token of the link in the form, if it is current. */
function presentToken({ claim, form }: Visit): Secret | undefined {
  const link = parsePrivateLink(form.link)
  const token = link?.claimId === claim.claimId ? parseOwnerToken(link.token) : undefined
  return token && matchesHash(token, claim.ownerTokenHash) ? token : undefined
}

const isConfirmed = ({ form }: Visit): boolean => form.confirm === 'yes'

/** Appeals the decision that took the listing down. */
export const appeal: LinkAction = async ({ store }, { claim, form, now }) => {
  const id = await hidingDecision(store.db, claim.listing.slug)
  if (id === undefined) return NOT_HIDDEN
  try {
    await appealDecision(store, id, typedStatement(form), 'owner', now)
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error
    return refusedAppeal(error)
  }
  return 'appeal'
}

import { CATEGORIES } from '@placard/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readStandings } from '../../domain/boards/standings.ts'
import { hidingDecision } from '../../domain/decisions/record.ts'
import { findProduct, statusOf } from '../../domain/listings/listing.ts'
import { readTraffic } from '../../domain/listings/traffic.ts'
import { appealDecision } from '../../domain/moderation/appeals/routes.ts'
import { withdrawListing } from '../../domain/moderation/moderate.ts'
import { endFeed, renewFeed } from '../../domain/notifications/owner/feed.ts'
import { forgetWaiting } from '../../domain/notifications/owner/mail-address.ts'
import {
  parseWebhookAddress,
  removeWebhook,
  renewSecret,
  renewSecretWith,
  saveWebhook,
  sendTest,
  turnOn,
} from '../../domain/notifications/owner/webhook.ts'
import { changeCategory } from '../../domain/ownership/change-listing.ts'
import { type Claim, parsePrivateLink } from '../../domain/ownership/claims.ts'
import { type LinkIdentity, matchesHash, ownerTokenText, parseOwnerToken } from '../../domain/ownership/owner-token.ts'
import { renewLink } from '../../domain/ownership/renew-link.ts'
import type { ServiceKeys } from '../../domain/ownership/service-keys/service-keys.ts'
import type { OwnershipPasses, Sessions } from '../../domain/ownership/signed-cookies.ts'
import type { ProofFindings } from '../../domain/ownership/site-proof.ts'
import { refreshListing } from '../../domain/recheck/refresh.ts'
import type { FetchPage } from '../../domain/review/page.ts'
import { REVIEW_RETRY_SECONDS, type Reviewers } from '../../domain/review/reviewers/reviewers.ts'
import type { Store } from '../../platform/db/store.ts'
import { clientNetworks } from '../../platform/http/client-address.ts'
import { type Links, promotePath } from '../../platform/http/links.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { Allowances } from '../../platform/http/rate-limits/counter.ts'
import { sendHtml } from '../../platform/http/send.ts'
import type { Secret } from '../../platform/lib/secret.ts'
import { readCurrentPlaces } from '../listing/share.tsx'
import type { BrowserProofs } from '../ui/browser-proofs.ts'
import { givePass, giveSession } from '../ui/cookies.ts'
import { typedStatement } from '../ui/statement.tsx'
import { renderRenewed } from './frame.tsx'
import { readMail } from './mail-form.tsx'
import {
  NO_SUCH_CATEGORY,
  NO_WEBHOOK_ADDRESS,
  NOT_HIDDEN,
  NOT_PUBLISHED,
  NOT_READ,
  type Notice,
  RENEWAL_NOTICES,
  refusedAppeal,
  refusedNotice,
  UNCONFIRMED,
} from './messages.ts'
import { readHearing } from './notifications.tsx'
import { renderPrivatePage } from './page.tsx'
import { readProving } from './proof.tsx'
import { readReasons } from './status.tsx'

export interface PrivatePageDependencies {
  links: Links
  store: Store
  allowances: Allowances
  serviceKeys: ServiceKeys
  sessions: Sessions
  passes: OwnershipPasses
  proofs: BrowserProofs
  fetchPage: FetchPage
  reviewers: Pick<Reviewers, 'review'>
  /** Draws the share picture before the page shows it. */
  drawListing: (slug: string) => Promise<void>
  clock: () => number
}

/** One request from a visitor who has opened a listing's private page with its link. */
export interface Visit {
  claim: Claim
  form: Record<string, unknown>
  now: number
  request: FastifyRequest
  reply: FastifyReply
  /** What the last check of a proof found at each place. */
  findings?: ProofFindings
}

export type LinkAction = (deps: PrivatePageDependencies, visit: Visit) => Promise<FastifyReply>

const TRAFFIC_DAYS = 30

/** Sends the private page, with the result of an action. */
export async function sendPrivatePage(deps: PrivatePageDependencies, visit: Visit, notice?: Notice) {
  const { store, links } = deps
  const { claim, now, request, reply, findings = {} } = visit
  const [traffic, standings, hearing, reasons, proving, product] = await Promise.all([
    readTraffic(store, claim.listing.id, { days: TRAFFIC_DAYS, now }),
    readStandings(store, claim.listing.destinationKey, now),
    readHearing(deps, claim, now),
    readReasons(deps, claim.listing, now),
    readProving(deps, claim, request, findings, now),
    findProduct(store, claim.listing.slug),
  ])
  if (!product) throw new Problem('not_found')
  if (statusOf(product, now) === 'published') await deps.drawListing(product.slug)
  const places = await readCurrentPlaces(store, standings, now)
  const shown = { claim, traffic, product, places, hearing, reasons, proving, links, now, notice }
  const html = renderPrivatePage(shown)
  return sendHtml(reply, notice?.status ?? 200, html)
}

export const withdraw: LinkAction = async (deps, visit) => {
  if (!isConfirmed(visit)) return sendPrivatePage(deps, visit, UNCONFIRMED)
  await withdrawListing(deps.store, visit.claim.listing, visit.now)
  return goBack(visit)
}

export const promote: LinkAction = async ({ passes, links }, { claim, now, reply }) => {
  const { linkVersion, listing } = claim
  const owned = { destinationKey: listing.destinationKey, linkVersion }
  givePass(reply, passes.give(owned, 'private_link', now), links)
  return reply.redirect(promotePath({ destination: listing, category: listing.category }), 303)
}

export const refresh: LinkAction = async (deps, visit) => {
  const { slug } = visit.claim.listing
  const refreshed = await refreshListing(deps, visit.claim.listing, clientNetworks(visit.request))
  switch (refreshed.outcome) {
    case 'refreshed':
      return goBack(visit, 'refresh')
    case 'not_published':
      return sendPrivatePage(deps, visit, NOT_PUBLISHED)
    case 'cannot_tell':
      visit.request.log.info({ slug, why: refreshed.why }, 'could not refresh a listing')
      visit.reply.header('retry-after', String(REVIEW_RETRY_SECONDS))
      return sendPrivatePage(deps, visit, NOT_READ)
    case 'rejected': {
      const { reason, detail } = refreshed
      // The listing stays up: one failed review is a reason to check it, not to take it down.
      visit.request.log.warn({ slug, reason, detail }, 'the page of a published listing no longer passes review')
      return sendPrivatePage(deps, visit, refusedNotice(reason, detail))
    }
  }
}

export const category: LinkAction = async (deps, visit) => {
  const chosen = CATEGORIES.find(id => id === visit.form.category)
  if (!chosen) return sendPrivatePage(deps, visit, NO_SUCH_CATEGORY)
  const changed = await changeCategory(deps.store, visit.claim.listing.id, chosen, visit.now)
  return changed ? goBack(visit, 'category') : sendPrivatePage(deps, visit, NOT_PUBLISHED)
}

/** What in the form prevents a renewal, if anything. */
export const renewalFault = (visit: Visit): Notice | undefined => {
  if (!isConfirmed(visit)) return UNCONFIRMED
  return presentToken(visit) ? undefined : RENEWAL_NOTICES.wrong_link
}

/** Requires the link itself: the visit's cookie does not carry its key, and only the owner may keep it. */
export const renew: LinkAction = async (deps, visit) => {
  const { claim, now, reply } = visit
  const token = presentToken(visit)
  let hasWebhook = false
  const renewal = token
    ? await renewLink(deps, claim.claimId, token, now, async (trx, listingId) => {
        hasWebhook = await renewSecretWith(trx, deps.serviceKeys, listingId)
        await forgetWaiting(trx, listingId)
      })
    : WRONG_LINK
  if ('refused' in renewal) return sendPrivatePage(deps, visit, RENEWAL_NOTICES[renewal.refused])
  visit.request.log.info({ slug: claim.listing.slug }, 'a private link was renewed')
  startVisit(deps, reply, renewal.link, now)
  const privateLink = deps.links.privateLink(claim.claimId, ownerTokenText(renewal.token))
  const mail = await readMail(deps, claim.listing.id, now)
  const { claimId } = claim
  const renewed = { claimId, privateLink, hasWebhook, mailAddress: mail?.address, links: deps.links }
  return sendHtml(reply, 200, renderRenewed(renewed))
}

/** The token of the link in the form, if it is current. */
function presentToken({ claim, form }: Visit): Secret | undefined {
  const link = parsePrivateLink(form.link)
  const token = link?.claimId === claim.claimId ? parseOwnerToken(link.token) : undefined
  return token && matchesHash(token, claim.ownerTokenHash) ? token : undefined
}

const WRONG_LINK = { refused: 'wrong_link' } as const

/** Sets the cookie of a visit, which opens only this claim's private page. */
export function startVisit(
  { sessions, links }: PrivatePageDependencies,
  reply: FastifyReply,
  link: LinkIdentity,
  now: number,
): void {
  giveSession(reply, sessions.open(link, now), link.claimId, links)
}

const isConfirmed = ({ form }: Visit): boolean => form.confirm === 'yes'

/** Redirects, so that reloading the page repeats nothing. */
export const goBack = ({ claim, reply }: Visit, done?: string) =>
  reply.redirect(`/manage/${claim.claimId}${done ? `?done=${done}` : ''}`, 303)

/** Appeals the decision that took the listing down. */
export const appeal: LinkAction = async (deps, visit) => {
  const { store } = deps
  const id = await hidingDecision(store.db, visit.claim.listing.slug)
  if (id === undefined) return sendPrivatePage(deps, visit, NOT_HIDDEN)
  try {
    await appealDecision(store, id, typedStatement(visit.form), 'owner', visit.now)
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error
    return sendPrivatePage(deps, visit, refusedAppeal(error))
  }
  return goBack(visit, 'appeal')
}

/** The owner's actions for feed and webhook, by the name of the form. */
export const HEAR_ACTS: Record<string, LinkAction> = {
  async feed(deps, visit) {
    await renewFeed(deps, visit.claim, visit.now)
    return goBack(visit, 'feed')
  },

  async 'feed-off'({ store }, visit) {
    await endFeed(store, visit.claim.listing.id)
    return goBack(visit, 'feed-off')
  },

  async webhook(deps, visit) {
    const address = parseWebhookAddress(visit.form.address, deps.links.hostname)
    if (!address) return sendPrivatePage(deps, visit, NO_WEBHOOK_ADDRESS)
    await saveWebhook(deps, visit.claim, address, visit.now)
    return goBack(visit, 'webhook')
  },

  async 'webhook-secret'(deps, visit) {
    await renewSecret(deps, visit.claim.listing.id)
    return goBack(visit, 'webhook-secret')
  },

  async 'webhook-on'(deps, visit) {
    await turnOn(deps, visit.claim.listing.id)
    return goBack(visit, 'webhook-on')
  },

  async 'webhook-remove'({ store }, visit) {
    await removeWebhook(store, visit.claim.listing.id)
    return goBack(visit, 'webhook-remove')
  },
}

/** Has its own limit, because each test makes Placard send a request. A hidden listing sends no test event. */
export const testWebhook: LinkAction = async (deps, visit) => {
  const { store } = deps
  if (visit.claim.listing.hiddenAt !== null) return sendPrivatePage(deps, visit, NOT_PUBLISHED)
  await sendTest(store, visit.claim.listing.id, visit.now)
  return goBack(visit, 'webhook-test')
}

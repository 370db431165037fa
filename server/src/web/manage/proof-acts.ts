import { parseDestination } from '../../domain/destinations/destination.ts'
import { WITH_A_PROOF } from '../../domain/notifications/owner/new-owner.ts'
import { proveOwner } from '../../domain/ownership/prove-owner.ts'
import { reopenListing } from '../../domain/recheck/reopen.ts'
import { REVIEW_RETRY_SECONDS } from '../../domain/review/reviewers/reviewers.ts'
import { clientNetworks } from '../../platform/http/client-address.ts'
import { sendHtml } from '../../platform/http/send.ts'
import type { LinkAction } from './acts.ts'
import { renderShell } from './frame.tsx'
import { NO_TOKEN, NOT_PROVEN, NOT_READ, NOT_REOPENED, notReopened } from './messages.ts'

/** Begins a proof in this browser, unless one is under way. */
export const showToken: LinkAction = async ({ proofs }, { claim, request, reply }) => {
  proofs.begin(request, reply, claim.listing.destinationKey)
  return reply.redirect(`/manage/${claim.claimId}#proof`, 303)
}

/** Looks for the token. The holder of the private link keeps it, and is the verified owner from now on. */
export const prove: LinkAction = async (deps, { claim, now, request, reply }) => {
  const { listing } = claim
  const running = deps.proofs.running(request, listing.destinationKey)
  if (!running) return NO_TOKEN
  const outcome = await deps.proofs.look(request, parseDestination(listing.url), running)
  if (!outcome.foundBy) return { ...NOT_PROVEN, findings: outcome.findings }
  const proof = { ...running, place: outcome.foundBy }
  const proved = await proveOwner({ ...deps, ...WITH_A_PROOF }, listing, proof, claim, now)
  if (proved.outcome === 'visit_ended') return sendHtml(reply, 403, renderShell(deps.links, { visitEnded: true }))
  return 'prove'
}

/** Shows a listing that ended or was withdrawn again. */
export const reopen: LinkAction = async (deps, { claim, request, reply }) => {
  const { listing } = claim
  const reopened = await reopenListing(deps, listing, clientNetworks(request))
  switch (reopened.outcome) {
    case 'reopened':
      return 'reopen'
    case 'cannot_tell':
      request.log.info({ slug: listing.slug, why: reopened.why }, 'could not show a listing again')
      reply.header('retry-after', String(REVIEW_RETRY_SECONDS))
      return NOT_READ
    case 'rejected':
      return notReopened(reopened.reason, reopened.detail)
    default:
      return NOT_REOPENED[reopened.outcome]
  }
}

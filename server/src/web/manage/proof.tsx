import type { FastifyRequest } from 'fastify'
import { parseDestination } from '../../domain/destinations/destination.ts'
import { PROOF_EFFECTS } from '../../domain/notifications/owner/new-owner.ts'
import type { Claim } from '../../domain/ownership/claims.ts'
import { proveOwner } from '../../domain/ownership/prove-owner.ts'
import { findSiteOwner, waitsUntil } from '../../domain/ownership/site-owner.ts'
import type { ProofFindings } from '../../domain/ownership/site-proof.ts'
import { reopenListing, whyNotReopened } from '../../domain/recheck/refresh.ts'
import { REVIEW_RETRY_SECONDS } from '../../domain/review/reviewers/reviewers.ts'
import { clientNetworks } from '../../platform/http/client-address.ts'
import { Button, Form, Section } from '../ui/elements.tsx'
import { FOUND_AS, ProofPlaces } from '../ui/site-proof.tsx'
import { Day, Minute } from '../ui/time.tsx'
import type { LinkAction, PrivatePageDependencies } from './acts.ts'
import { NOT_PROVEN, NOT_REOPENED, notRead, notReopened, TOKEN_LOST } from './messages.ts'

export type Proving = Awaited<ReturnType<typeof readProving>>

/**
 * Reads what the private page shows of its owner's proof: the owner, until when another person waits to claim the listing,
 * the proof under way in this browser, and why its owner can't show it again, if it is down.
 *
 * @param findings of the last check
 */
export async function readProving(
  { store, proofs }: PrivatePageDependencies,
  { listing }: Claim,
  request: FastifyRequest,
  findings: ProofFindings,
  now: number,
) {
  const running = proofs.running(request, listing.destinationKey)
  const [owner, waits, whyNot] = await Promise.all([
    findSiteOwner(store.db, listing.id),
    waitsUntil(store.db, listing.id),
    whyNotReopened(store, listing, now),
  ])
  return { owner, waitsUntil: waits, proof: running && { ...running, findings }, whyNotReopened: whyNot }
}

/** Lets the holder of the private link prove the website, and says whether they have. */
export function ProofSection({ claim, proving, now }: { claim: Claim; proving: Proving; now: number }) {
  const { owner, waitsUntil: waits, proof } = proving
  const path = `/manage/${claim.claimId}`
  const isNeeded = !owner || waits !== undefined || owner.missingSince !== null
  const since = owner && (
    <p class="small soft">
      Owner verified since <Day at={owner.provenAt} />, by {FOUND_AS[owner.place]}.
    </p>
  )
  return (
    <Section id="proof" title="Prove your website" note={since}>
      {waits !== undefined && (
        <p class="callout" role="alert">
          <strong>Someone else has proved this website, too.</strong>{' '}
          {waits > now ? (
            <>
              They get the private link on <Minute at={waits} />. To keep the listing, prove the website again before
              that.
            </>
          ) : (
            'They can get the private link at any moment. To keep the listing, prove the website again now.'
          )}{' '}
          Then the operator decides.
        </p>
      )}
      {owner?.missingSince && (
        <p class="callout">
          <strong>We no longer find the proof on your website.</strong> Put it back, or prove the website again.
          Otherwise, the mark “Owner verified” soon ends.
        </p>
      )}
      <p>
        {owner
          ? 'Leave the proof on your website: we check every day whether it is still there. If you lose your private link, a new proof gives you another one, after three days.'
          : 'The listing then says “Owner verified”. If you lose your private link, or someone else claims the website, the proof decides.'}
      </p>
      {isNeeded && proof && <ProofPlaces destination={parseDestination(claim.listing.url)} proof={proof} />}
      {isNeeded && (
        <Form action={`${path}/${proof ? 'prove' : 'token'}`} class="own-step">
          <p class="acts">{proof ? <Button look="go">Check now</Button> : <Button>Get a token</Button>}</p>
        </Form>
      )}
    </Section>
  )
}

/** Begins a proof in this browser, unless one is under way. */
export const showToken: LinkAction = async ({ proofs }, { claim, request, reply }) => {
  proofs.begin(request, reply, claim.listing.destinationKey)
  return reply.redirect(`/manage/${claim.claimId}#proof`, 303)
}

/** Looks for the token. The holder of the private link keeps it, and is the verified owner from now on. */
export const prove: LinkAction = async (deps, { claim, now, request }) => {
  const { listing } = claim
  const running = deps.proofs.running(request, listing.destinationKey)
  if (!running) return TOKEN_LOST
  const outcome = await deps.proofs.look(request, parseDestination(listing.url), running)
  if (!outcome.foundBy) return { ...NOT_PROVEN, findings: outcome.findings }
  const proof = { ...running, place: outcome.foundBy }
  await proveOwner({ ...deps, ...PROOF_EFFECTS }, listing, proof, claim, now)
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
      return notRead(reopened.detail)
    case 'rejected':
      return notReopened(reopened.reason, reopened.detail)
    default:
      return NOT_REOPENED[reopened.outcome]
  }
}

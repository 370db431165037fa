import type { FastifyRequest } from 'fastify'
import { parseDestination } from '../../domain/destinations/destination.ts'
import type { Claim } from '../../domain/ownership/claims.ts'
import { findSiteOwner, waitsUntil } from '../../domain/ownership/site-owner.ts'
import type { ProofFindings } from '../../domain/ownership/site-proof.ts'
import { whyNotReopened } from '../../domain/recheck/reopen.ts'
import { Button, Form, Section } from '../ui/elements.tsx'
import { FOUND_AS, ProofPlaces } from '../ui/site-proof.tsx'
import { Day, Minute } from '../ui/time.tsx'
import type { PrivatePageDependencies } from './acts.ts'

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
export function ProofSection({ claim, proving }: { claim: Claim; proving: Proving }) {
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
          <strong>Someone else has proved this website, too.</strong> They get the private link on <Minute at={waits} />
          . To keep the listing, prove the website again before that. Then the operator decides.
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

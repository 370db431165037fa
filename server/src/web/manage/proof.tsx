import type { FastifyRequest } from 'fastify'
import { parseDestination } from '../../domain/destinations/destination.ts'
import type { Claim } from '../../domain/ownership/claims.ts'
import { findSiteOwner, type SiteOwner, waitsUntil } from '../../domain/ownership/site-owner.ts'
import type { ProofFindings } from '../../domain/ownership/site-proof.ts'
import { type WhyNotReopened, whyNotReopened } from '../../domain/recheck/reopen.ts'
import type { Store } from '../../platform/db/store.ts'
import type { BrowserProofs } from '../ui/browser-proofs.ts'
import { FOUND_AS, type Proof, ProofPlaces } from '../ui/site-proof.tsx'
import { Day, Minute } from '../ui/time.tsx'

/** What the private page shows of its owner's proof. */
export interface Proving {
  owner: SiteOwner | undefined
  /** Until when another person waits to claim the listing. */
  waitsUntil: number | undefined
  /** The proof under way in this browser. */
  proof: Proof | undefined
  /** Why the listing can't be shown again by its owner, if it is down. */
  whyNotReopened: WhyNotReopened | undefined
}

/** @param findings of the last check */
export async function readProving(
  { store, proofs }: { store: Store; proofs: BrowserProofs },
  { listing }: Claim,
  request: FastifyRequest,
  findings: ProofFindings,
  now: number,
): Promise<Proving> {
  const running = proofs.running(request, listing.destinationKey)
  const [owner, waits, whyNot] = await Promise.all([
    findSiteOwner(store.db, listing.id),
    waitsUntil(store.db, listing.id),
    whyNotReopened(store, listing, now),
  ])
  return {
    owner,
    waitsUntil: waits,
    proof: running && { ...running, findings },
    whyNotReopened: whyNot,
  }
}

/** Lets the holder of the private link prove the website, and says whether they have. */
export function ProofSection({ claim, proving }: { claim: Claim; proving: Proving }) {
  const { owner, waitsUntil: waits, proof } = proving
  const path = `/manage/${claim.claimId}`
  const isNeeded = !owner || waits !== undefined || owner.missingSince !== null
  return (
    <section class="sec" aria-labelledby="proof">
      <div class="sec-head">
        <h2 id="proof">Prove your website</h2>
        {owner && (
          <p class="small soft">
            Owner verified since <Day at={owner.provenAt} />, by {FOUND_AS[owner.place]}.
          </p>
        )}
      </div>
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
      {isNeeded && proof && (
        <>
          <ProofPlaces destination={parseDestination(claim.listing.url)} proof={proof} />
          <form method="post" action={`${path}/prove`} class="own-step">
            <p class="acts">
              <button class="btn go" type="submit">
                Check now
              </button>
            </p>
          </form>
        </>
      )}
      {isNeeded && !proof && (
        <form method="post" action={`${path}/token`} class="own-step">
          <p class="acts">
            <button class="btn" type="submit">
              Get a token
            </button>
          </p>
        </form>
      )}
    </section>
  )
}

/** Lets its proven owner show a listing again that ended or was withdrawn. */
export function Reopen({ action, why }: { action: string; why: WhyNotReopened | undefined }) {
  if (why === 'not_down' || why === 'taken_down') return null
  return (
    <li>
      <div>
        <h3>Show it again</h3>
        <p>
          We read and review your page, and show the listing again. If its time has ended, it gets a new one, for free.
          {why === 'not_proven' && ' Prove below that the website is yours first.'}
        </p>
      </div>
      {why === undefined && (
        <form method="post" action={action}>
          <p>
            <button class="btn go" type="submit">
              Show it again
            </button>
          </p>
        </form>
      )}
    </li>
  )
}

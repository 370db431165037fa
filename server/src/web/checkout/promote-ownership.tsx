import { promotePath } from '../../http/links.ts'
import type { OwnershipPass } from '../../ownership/pass.ts'
import { Minute } from '../ui/time.tsx'
import type { Choice } from './promote-choice.ts'
import { type Proof, ProofPlaces } from './promote-proof.tsx'

/** What this browser showed, or is about to show. */
export interface Ownership {
  /** `until` in Unix milliseconds. */
  pass: OwnershipPass | undefined
  proof: Proof | undefined
  /** The visitor followed a link of another website here, and the browser may have held its cookies back. */
  comesFromElsewhere: boolean
}

const PROVED_BY: Record<OwnershipPass['provedBy'], string> = {
  private_link: 'the private link of the listing',
  well_known: 'a file on the website',
  meta_tag: 'a tag on the page',
  dns_txt: 'a DNS record',
}

interface SectionProps {
  choice: Choice
  ownership: Ownership
  isListed: boolean
}

/** Where a person shows that the website is theirs, in one of two ways. */
export function OwnershipSection({ choice, ownership, isListed }: SectionProps) {
  const { pass, proof, comesFromElsewhere } = ownership
  return (
    <section aria-labelledby="ownership">
      <h2 id="ownership">Ownership</h2>
      {pass ? (
        <p>
          Ownership shown by {PROVED_BY[pass.provedBy]}, for this browser, until <Minute at={pass.until} />.
        </p>
      ) : (
        <>
          <p>
            Only its owner can buy a website a place. Show that it is yours
            {isListed && ', in one of two ways'}. This browser remembers it for an hour, in a cookie.
          </p>
          {comesFromElsewhere && (
            <p>
              Shown in this browser already? <a href={promotePath(choice)}>Look again</a>: browsers hide it
              from a page that was opened from another website.
            </p>
          )}
          {isListed && <LinkForm choice={choice} />}
          <SiteProof {...{ choice, proof }} />
        </>
      )}
    </section>
  )
}

function LinkForm({ choice }: { choice: Choice }) {
  return (
    <>
      <h3>With the private link of the listing</h3>
      <p>It is on the receipt that the agent got when it published the listing.</p>
      <form method="post" action="/promote/link">
        <ChoiceFields choice={choice} />
        <p class="field">
          <label for="link">Private link</label>
          <input type="password" id="link" name="link" autocomplete="off" maxLength={600} required />
        </p>
        <p>
          <button type="submit">Use the private link</button>
        </p>
      </form>
    </>
  )
}

function SiteProof({ choice, proof }: { choice: Choice; proof: Proof | undefined }) {
  return (
    <>
      <h3 id="proof">On the website itself</h3>
      {proof ? (
        <>
          <ProofPlaces destination={choice.destination} proof={proof} />
          <form method="post" action="/promote/check">
            <ChoiceFields choice={choice} />
            <p>
              <button type="submit">Check the website</button>
            </p>
          </form>
        </>
      ) : (
        <>
          <p>Put a token that you get here into a file, into the page, or into the DNS of the website.</p>
          <form method="post" action="/promote/proof">
            <ChoiceFields choice={choice} />
            <p>
              <button type="submit">Get a token</button>
            </p>
          </form>
        </>
      )}
    </>
  )
}

/** The choice, carried along by a form. */
export function ChoiceFields({ choice }: { choice: Choice }) {
  const { destination, category, board, targetBid } = choice
  return (
    <>
      <input type="hidden" name="destination" value={destination.url} />
      <input type="hidden" name="category" value={category} />
      <input type="hidden" name="board" value={board} />
      <input type="hidden" name="target" value={targetBid} />
    </>
  )
}

import type { OwnershipPass } from '../../domain/ownership/signed-cookies.ts'
import { promotePath } from '../../platform/http/links.ts'
import { FOUND_AS, type Proof, ProofPlaces } from '../ui/site-proof.tsx'
import { Minute } from '../ui/time.tsx'
import type { Choice } from './choice.ts'

/** The ownership this browser has proved, or is proving. */
export interface Ownership {
  /** `until` in Unix milliseconds. */
  pass: OwnershipPass | undefined
  proof: Proof | undefined
  /** The visitor followed a link from another website, so the browser may have withheld its cookies. */
  comesFromElsewhere: boolean
}

const PROVED_BY: Record<OwnershipPass['provedBy'], string> = {
  private_link: 'the private link of the listing',
  ...FOUND_AS,
}

interface SectionProps {
  choice: Choice
  ownership: Ownership
  isListed: boolean
}

/** Lets a person prove that the website is theirs, in one of two ways. */
export function OwnershipSection({ choice, ownership, isListed }: SectionProps) {
  const { pass, proof, comesFromElsewhere } = ownership
  return (
    <section aria-labelledby="ownership">
      <h2 id="ownership">Ownership</h2>
      {!isListed && (
        <p>
          This purchase lists the website. If your proof is still there, the page of your order then gives you the
          listing’s private link.
        </p>
      )}
      {pass ? (
        <p>
          Ownership confirmed by {PROVED_BY[pass.provedBy]}, for this browser, until <Minute at={pass.until} />.
        </p>
      ) : (
        <>
          <p>
            Only a website’s owner can buy it a place. Prove that it is yours
            {isListed && ', in one of two ways'}. This browser remembers it for an hour, in a cookie.
          </p>
          {comesFromElsewhere && (
            <p>
              Already proved it in this browser? <a href={promotePath(choice)}>Check again</a>: browsers hide the cookie
              when you come from another website.
            </p>
          )}
          {isListed && <LinkForm choice={choice} />}
          <SiteProof choice={choice} proof={proof} />
        </>
      )}
    </section>
  )
}

function LinkForm({ choice }: { choice: Choice }) {
  return (
    <>
      <h3>With the private link of the listing</h3>
      <p>It is on the receipt your agent got when it published the listing.</p>
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
          <p>Get a token here, and put it into a file, the page or the website’s DNS.</p>
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

/** The choice, as hidden fields. */
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

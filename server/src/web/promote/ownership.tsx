import type { ComponentChildren } from 'preact'
import type { Destination } from '../../domain/destinations/destination.ts'
import type { OwnershipPass } from '../../domain/ownership/signed-cookies.ts'
import { type ProofPlace, proofPlaces } from '../../domain/ownership/site-proof.ts'
import { promotePath } from '../../platform/http/links.ts'
import { CopyButton } from '../list/prompt.tsx'
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
  well_known: 'a file on the website',
  meta_tag: 'a tag on the page',
  dns_txt: 'a DNS record',
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

/** A token tied to this browser. */
interface Proof {
  token: string
  /** Unix milliseconds. */
  until: number
  /** What was found at each place instead of the token. */
  findings: Partial<Record<ProofPlace, string>>
}

/** The three places for a token, each with a text to copy and the result of the last check. */
function ProofPlaces({ destination, proof }: { destination: Destination; proof: Proof }) {
  const { token, until, findings } = proof
  const { fileUrl, fileText, metaTag, dnsName, dnsText } = proofPlaces(destination, token)
  return (
    <>
      <p>
        Put this token into <strong>one</strong> of three places, then let us check. It works only for this browser and
        this website, until <Minute at={until} />.
      </p>
      <Place name="A file" finding={findings.well_known}>
        <p>
          A text file at <code class="copy">{fileUrl}</code> with this line:
        </p>
        <Paste id="proof-file" text={fileText} label="Copy line" />
      </Place>
      <Place name="A tag" finding={findings.meta_tag}>
        <p>
          In the head of <code>{destination.url}</code>:
        </p>
        <Paste id="proof-tag" text={metaTag} label="Copy tag" />
      </Place>
      <Place name="A DNS record" finding={findings.dns_txt}>
        <p>
          A TXT record at <code class="copy">{dnsName}</code> with this text:
        </p>
        <Paste id="proof-dns" text={dnsText} label="Copy text" />
      </Place>
    </>
  )
}

/** A text with a button that copies it. Without scripts there is no button, and the text can be selected. */
function Paste({ id, text, label }: { id: string; text: string; label: string }) {
  return (
    <>
      <div class="bar">
        <span class="small soft">Paste this</span>
        <CopyButton source={id} label={label} />
      </div>
      <pre class="copy" id={id}>
        {text}
      </pre>
    </>
  )
}

function Place(props: { name: string; finding: string | undefined; children: ComponentChildren }) {
  return (
    <div class="place">
      <h4>{props.name}</h4>
      {props.children}
      {props.finding && <p class="fault">{props.finding}</p>}
    </div>
  )
}

import type { ComponentChildren } from 'preact'
import type { Destination } from '../../destinations/destination.ts'
import { type ProofPlace, proofPlaces } from '../../ownership/site-proof.ts'
import { Minute } from '../ui/time.tsx'

/** A token tied to this browser. */
export interface Proof {
  token: string
  /** Unix milliseconds. */
  until: number
  /** What was found at each place instead of the token. */
  findings: Partial<Record<ProofPlace, string>>
}

/** The three places for a token, each with a text to copy and what was found there. */
export function ProofPlaces({ destination, proof }: { destination: Destination; proof: Proof }) {
  const { token, until, findings } = proof
  const { fileUrl, fileText, metaTag, dnsName, dnsText } = proofPlaces(destination, token)
  return (
    <>
      <p>
        Put this token into <strong>one</strong> of three places, then let us check. It works only for this
        browser and this website, until <Minute at={until} />.
      </p>
      <Place name="A file" finding={findings.well_known}>
        <p>
          A text file at <code class="copy">{fileUrl}</code> with this line:
        </p>
        <pre class="copy">{fileText}</pre>
      </Place>
      <Place name="A tag" finding={findings.meta_tag}>
        <p>
          In the head of <code>{destination.url}</code>:
        </p>
        <pre class="copy">{metaTag}</pre>
      </Place>
      <Place name="A DNS record" finding={findings.dns_txt}>
        <p>
          A TXT record at <code class="copy">{dnsName}</code> with this text:
        </p>
        <pre class="copy">{dnsText}</pre>
      </Place>
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

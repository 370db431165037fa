import type { Destination } from '../../domain/destinations/destination.ts'
import { WAIT_DAYS } from '../../domain/ownership/site-proof.ts'
import { LIST_PATH, type Links, LOST_LINK_PATH, OWN_PATH, ownPath } from '../../platform/http/links.ts'
import { AddressField } from '../list/address-field.tsx'
import { Button, ButtonLink, Form, Message, Section } from '../ui/elements.tsx'
import { Layout, renderDocument } from '../ui/layout.tsx'
import type { ClaimOutcome } from '../ui/private-link.tsx'
import { NotShown, PrivateLink } from '../ui/private-link.tsx'
import { CommonHosts, type Proof, ProofPlaces } from '../ui/site-proof.tsx'
import { Minute } from '../ui/time.tsx'

interface OwnPage {
  links: Links
  /** The text in the address field. */
  address: string | undefined
  fault?: string | undefined
  destination: Destination | undefined
  proof?: Proof | undefined
  /** What went wrong with the visitor's last step. */
  message?: string | undefined
  /** What a proof that was found led to. */
  result?: ClaimOutcome | undefined
}

/** The page on which an owner proves that a website is theirs. */
export function renderOwn({ links, address, fault, destination, proof, message, result }: OwnPage): string {
  return renderDocument(
    <Layout
      links={links}
      title="Is this your website?"
      description="Prove that a website is yours, and get a private link to manage its listing."
      path={OWN_PATH}
      {...(fault === undefined && destination === undefined && { canonical: links.own })}
      isWall
      at={message || proof || result ? `${ownPath(destination?.url)}${result ? '#result' : ''}` : undefined}
      scripts={[(proof || result) && 'copy.js', proof && !result && 'own.js']}
    >
      <div class="on-green band">
        <div class="wrap">
          <h1>Is this your website?</h1>
          <div class="cols">
            <form class="asked one" action={OWN_PATH}>
              <AddressField address={address} fault={fault} />
              <Button look={destination ? undefined : 'go'}>Show my proofs</Button>
            </form>
            <p>
              Prove it once, and you get a private link to manage its listing.{' '}
              <strong>No account, no password, no payment.</strong>
            </p>
          </div>
        </div>
      </div>
      <div class="wrap">
        {message && <Message>{message}</Message>}
        {result && destination && (
          <div id="result">
            <ResultOf result={result} destination={destination} links={links} />
          </div>
        )}
        {!result && destination && proof && <Prove destination={destination} proof={proof} />}
        {!result && destination && !proof && <Begin destination={destination} />}
        {!destination && <WhatItGives links={links} />}
      </div>
    </Layout>,
  )
}

/** For browsers that came from another website: they withhold the cookie of a proof that may be under way. */
const Begin = ({ destination }: { destination: Destination }) => (
  <section class="sec">
    <Form action={`${OWN_PATH}/proof`} fields={{ address: destination.url }}>
      <p>You put a token on your website, and we look for it there.</p>
      <p class="acts">
        <Button look="go">Get a token</Button>
      </p>
    </Form>
  </section>
)

function Prove({ destination, proof }: { destination: Destination; proof: Proof }) {
  return (
    <>
      <Section id="proofs" title="Choose one proof">
        <ProofPlaces destination={destination} proof={proof} />
        <Form action={`${OWN_PATH}/check#result`} fields={{ address: destination.url }} class="own-step" data-own>
          <p class="acts">
            <Button look="go">Check now</Button>
            <span class="small soft">
              <span aria-live="polite" data-looking /> <span data-looked />
            </span>
          </p>
        </Form>
      </Section>
      <Section id="hosts" title="Where to put it">
        <CommonHosts destination={destination} />
      </Section>
    </>
  )
}

const WhatItGives = ({ links }: { links: Links }) => (
  <Section id="gives" title="What a proof gives you" look="own-answer">
    <ul class="bullets">
      <li>A private link for a listing that someone else posted. Their link stops working.</li>
      <li>
        A new private link if you have lost yours.
        {links.site.sendsMail && (
          <>
            {' '}
            If you turned on mail, <a href={LOST_LINK_PATH}>we can mail you a link</a> instead.
          </>
        )}
      </li>
      <li>The mark “Owner verified” on the listing, for as long as the proof is on your website.</li>
      <li>A listing that ended or was withdrawn can be shown again, and one that you don’t want can be taken down.</li>
    </ul>
    <p>
      Once a website has a proven owner, anyone who proves it later has to wait {WAIT_DAYS} days. In that time, the
      owner can prove it again. Then the operator decides.
    </p>
  </Section>
)

type ResultProps = { result: ClaimOutcome; destination: Destination; links: Links }

function ResultOf({ result, destination, links }: ResultProps) {
  const website = <strong>{destination.url}</strong>
  switch (result.outcome) {
    case 'linked':
      return (
        <PrivateLink heading="It’s yours" given={result} links={links}>
          <p>We found your token on {website}. Any earlier private link has stopped working.</p>
          {!result.isPublished && <NotShown />}
        </PrivateLink>
      )
    case 'waits':
      return (
        <Section id="answer" look="own-answer" title="Someone proved it before you">
          <p>
            We found your token on {website}. But another person has proved this website, too. We notify them, and they
            can prove it again until <Minute at={result.until} />.
          </p>
          <p>
            If they don’t, you get the private link: come back with this browser after that, and check again. Leave your
            token where it is.
          </p>
        </Section>
      )
    case 'contested':
      return (
        <Section id="answer" look="own-answer" title="The operator decides">
          <p>
            We found your token on {website}. But another person proves this website, too, so the operator decides who
            gets the private link. <a href={links.support}>Support</a> says how to reach the operator.
          </p>
        </Section>
      )
    case 'not_listed':
      return (
        <Section id="answer" look="own-answer" title="It’s yours, but not listed yet">
          <p>We found your token on {website}. This address has no listing yet.</p>
          <p class="acts">
            <ButtonLink look="go" href={`${LIST_PATH}?address=${encodeURIComponent(destination.url)}`}>
              List it for free
            </ButtonLink>
          </p>
        </Section>
      )
  }
}

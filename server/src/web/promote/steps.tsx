import { CONTRACT_VERSION } from '@placard/contract'
import type { Offer } from '../../domain/checkout/offer.ts'
import type { OwnershipPass } from '../../domain/ownership/signed-cookies.ts'
import { promotePath } from '../../platform/http/links.ts'
import { dollars } from '../../platform/lib/text.ts'
import { Today } from '../checkout/content.tsx'
import { Button, Field, Form } from '../ui/elements.tsx'
import { FOUND_AS, type Proof, ProofPlaces } from '../ui/site-proof.tsx'
import { Minute } from '../ui/time.tsx'
import type { Choice } from './choice.ts'
import { WhatYouBuy } from './frame.tsx'

/** The ownership this browser has proved, or is proving. */
export interface Ownership {
  pass: OwnershipPass | undefined
  proof: Proof | undefined
  /** The visitor followed a link from another website, so the browser may have withheld its cookies. */
  comesFromElsewhere: boolean
}

const PROVED_BY: Record<OwnershipPass['provedBy'], string> = {
  private_link: 'the private link of the listing',
  ...FOUND_AS,
}

/** Lets a person prove that the website is theirs, in one of two ways. */
export function OwnershipSection(props: { choice: Choice; ownership: Ownership; isListed: boolean }) {
  const { choice, ownership, isListed } = props
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

const LinkForm = ({ choice }: { choice: Choice }) => (
  <>
    <h3>With the private link of the listing</h3>
    <p>It is on the receipt your agent got when it published the listing.</p>
    <Form action="/promote/link" fields={fieldsOf(choice)}>
      <Field label="Private link" type="password" id="link" name="link" autocomplete="off" maxLength={600} required />
      <p>
        <button type="submit">Use the private link</button>
      </p>
    </Form>
  </>
)

const SiteProof = ({ choice, proof }: { choice: Choice; proof: Proof | undefined }) => (
  <>
    <h3 id="proof">On the website itself</h3>
    {proof ? (
      <ProofPlaces destination={choice.destination} proof={proof} />
    ) : (
      <p>Get a token here, and put it into a file, the page or the website’s DNS.</p>
    )}
    <Form action={proof ? '/promote/check' : '/promote/proof'} fields={fieldsOf(choice)}>
      <p>
        <button type="submit">{proof ? 'Check the website' : 'Get a token'}</button>
      </p>
    </Form>
  </>
)

const fieldsOf = ({ destination, category, board, targetBid }: Choice) => ({
  destination: destination.url,
  category,
  board,
  target: targetBid,
})

interface PaySectionProps {
  choice: Choice
  offer: Offer
  isOwner: boolean
  /** Whether the buyer agreed to this exact amount, but the order was refused for another reason. */
  isAgreed: boolean
}

/** The last step before the processor's page: agree to the terms and to the exact amount shown. */
export function PaySection({ choice, offer, isOwner, isAgreed }: PaySectionProps) {
  return (
    <section aria-labelledby="pay">
      <h2 id="pay">Terms and payment</h2>
      <WhatYouBuy saysToday={choice.board === 'today'} />
      {choice.board === 'today' && (
        <p class="callout">
          <Today mayOutlastDay={offer.mayOutlastDay} />
        </p>
      )}
      {!isOwner && <p class="soft">You pay here, once you have shown that the website is yours.</p>}
      {isOwner && offer.inTheWay && <p class="soft">You pay here, once the money on its way is settled.</p>}
      {isOwner && !offer.inTheWay && <PayForm choice={choice} offer={offer} isAgreed={isAgreed} />}
    </section>
  )
}

function PayForm({ choice, offer, isAgreed }: Omit<PaySectionProps, 'isOwner'>) {
  const { price, listing } = offer
  const due = dollars(price.chargeAmountCents)
  return (
    <>
      {!listing && <p>We review your website first, as the rules say. If we can’t list it, nothing is charged.</p>}
      <Form action="/promote/checkout" fields={{ ...fieldsOf(choice), amount: price.chargeAmountCents }}>
        <p>
          <label class="check">
            <input type="checkbox" name="rules" value={CONTRACT_VERSION} required checked={isAgreed} />
            <span>
              I agree to the <a href="/rules">rules</a> (version {CONTRACT_VERSION}) and to these terms, for {due}.
            </span>
          </label>
        </p>
        <p>
          <Button look="go">Go to payment: {due}</Button>
        </p>
      </Form>
      <p class="note">
        “Go to payment” places the order and charges nothing. You confirm and pay on the payment processor’s page. We
        never see or store card data.
      </p>
    </>
  )
}

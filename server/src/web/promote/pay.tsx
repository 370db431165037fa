import { CONTRACT_VERSION } from '@placard/contract'
import type { Offer } from '../../domain/checkout/offer.ts'
import { Today } from '../checkout/content.tsx'
import { Button, Form } from '../ui/elements.tsx'
import { dollars } from '../ui/format.ts'
import type { Choice } from './choice.ts'
import { WhatYouBuy } from './frame.tsx'
import { fieldsOf } from './ownership.tsx'

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

import { CONTRACT_VERSION } from '@placard/contract'
import type { Offer } from '../../checkout/offer.ts'
import { dollars } from '../ui/money.ts'
import type { Choice } from './promote-choice.ts'
import { ChoiceFields } from './promote-ownership.tsx'

/** The last step here: agreeing to the rules, and to the very amount that is shown. */
export function PaySection({ choice, offer: { price, listing } }: { choice: Choice; offer: Offer }) {
  return (
    <section aria-labelledby="pay">
      <h2 id="pay">Pay</h2>
      {!listing && (
        <>
          <p>
            Your website is read and reviewed first, as the rules say. If it cannot be listed, nothing is
            charged.
          </p>
          <p>
            This purchase lists the website. It gives no private link: publish it for free first if you want
            to manage its listing yourself.
          </p>
        </>
      )}
      <form method="post" action="/promote/checkout">
        <ChoiceFields choice={choice} />
        <input type="hidden" name="amount" value={price.chargeAmountCents} />
        <p>
          <label class="check">
            <input type="checkbox" name="rules" value={CONTRACT_VERSION} required />
            <span>
              I agree to the <a href="/rules">rules</a> (version {CONTRACT_VERSION}). I buy an amount of{' '}
              {dollars(price.chargeAmountCents)}, not a position.
            </span>
          </label>
        </p>
        <p>
          <button type="submit">Go to payment</button>
        </p>
      </form>
      <p class="note">
        “Go to payment” places the order and charges nothing. You confirm and pay on the page of the payment
        processor: no card data is entered or kept here.
      </p>
    </section>
  )
}

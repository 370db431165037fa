import { CONTRACT_VERSION } from '@placard/contract'
import type { Offer } from '../../checkout/offer.ts'
import { dollars } from '../ui/money.ts'
import type { Choice } from './promote-choice.ts'
import { ChoiceFields } from './promote-ownership.tsx'

/** The last step before the processor's page: agree to the rules and to the exact amount shown. */
export function PaySection({ choice, offer: { price, listing } }: { choice: Choice; offer: Offer }) {
  return (
    <section aria-labelledby="pay">
      <h2 id="pay">Pay</h2>
      {!listing && (
        <>
          <p>We review your website first, as the rules say. If we can’t list it, nothing is charged.</p>
          <p>
            This purchase lists the website but gives you no private link. To manage the listing yourself,
            publish it for free first.
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
          <button class="btn go" type="submit">
            Go to payment
          </button>
        </p>
      </form>
      <p class="note">
        “Go to payment” places the order and charges nothing. You confirm and pay on the payment processor’s
        page. We never see or store card data.
      </p>
    </section>
  )
}

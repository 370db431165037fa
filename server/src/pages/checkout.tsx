import type { Checkout } from '../placement/checkout-state.ts'
import { assetPath } from './assets.ts'
import { BOARD_NAMES } from './board-names.ts'
import { contentOf, type OrderNow } from './checkout-content.tsx'
import { CheckoutPaid, type Outcome } from './checkout-paid.tsx'
import { Layout, renderDocument } from './layout.tsx'
import { dollars } from './money.ts'

interface OrderPage extends OrderNow {
  /** What a paid order brought. */
  outcome: Outcome | undefined
}

/** The page of an order: the way to the payment page, then the waiting, then what became of it. */
export function renderCheckout(page: OrderPage): string {
  const { order, outcome, links } = page
  const { heading, body, isMoving } = contentOf(page, outcome !== undefined && outcome.listing === undefined)
  return renderDocument(
    <Layout
      title={heading}
      description="An order of a paid place."
      head={isMoving && <script type="module" src={assetPath('checkout.js')} />}
    >
      <article class="sheet" data-state={isMoving ? order.state : undefined}>
        <p class="eyebrow">Your order</p>
        <h1>{heading}</h1>
        {body}
        <OrderRecord checkout={order.checkout} />
        {outcome && <CheckoutPaid outcome={outcome} links={links} />}
        <p class="note">
          Keep the address of this page to come back to it. It shows this order and nothing private.
        </p>
      </article>
    </Layout>,
  )
}

function OrderRecord({ checkout }: { checkout: Checkout }) {
  const { url, category, board, target_usd, amount_cents, id } = checkout
  return (
    <dl class="record">
      <dt>Website</dt>
      <dd>{url}</dd>
      <dt>Category</dt>
      <dd>{category}</dd>
      <dt>Board</dt>
      <dd>{BOARD_NAMES[board]}</dd>
      <dt>Total to reach</dt>
      <dd>{dollars(target_usd * 100)}</dd>
      <dt>Amount</dt>
      <dd>
        <strong>{dollars(amount_cents)}</strong> (US dollars)
      </dd>
      <dt>Order</dt>
      <dd>
        <code>{id}</code>
      </dd>
    </dl>
  )
}

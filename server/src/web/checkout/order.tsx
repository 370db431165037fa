import type { CheckoutNow, PaidAmounts } from '../../domain/checkout/order-state.ts'
import { assetPath } from '../ui/assets.ts'
import { BOARD_NAMES, dollars } from '../ui/format.ts'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { Day, Minute } from '../ui/time.tsx'
import { contentOf, type OrderNow } from './content.tsx'
import { CheckoutPaid, type PaidOrder } from './paid.tsx'

interface OrderPage extends OrderNow {
  /** The result, if the order is paid. */
  outcome: PaidOrder | undefined
}

/** An order's page: first the link to pay, then the wait, then the result. */
export function renderCheckout(page: OrderPage): string {
  const { order, outcome, links } = page
  const { heading, body, isMoving } = contentOf(page, outcome !== undefined && outcome.listing === undefined)
  return renderDocument(
    <Layout
      links={links}
      title={heading}
      description="An order for a paid place."
      head={
        <>
          {isMoving && <script type="module" src={assetPath('checkout.js')} />}
          {outcome && <script type="module" src={assetPath('copy.js')} />}
        </>
      }
    >
      <div class="page-head">
        <p class="order-name">Your order</p>
        <p class="lead">
          <span class="paid">Paid placement</span>
          <br />
          Save this page’s address to come back to it. It shows this order and nothing private.
        </p>
      </div>
      <article class="slip" data-state={isMoving ? order.state : undefined}>
        <div>
          <h1>{heading}</h1>
          {body}
          {outcome && <CheckoutPaid order={order} outcome={outcome} links={links} />}
        </div>
        <div class="stub">
          <h2>Order</h2>
          <OrderRecord {...order} />
        </div>
      </article>
    </Layout>,
  )
}

function OrderRecord({ checkout, payment }: CheckoutNow) {
  const { url, category, board, targetBid, amountCents, createdAt, id } = checkout
  return (
    <dl class="record">
      <dt>Website</dt>
      <dd>{url}</dd>
      <dt>Category</dt>
      <dd>{category}</dd>
      <dt>Board</dt>
      <dd>
        {BOARD_NAMES[board]}
        {board === 'today' && (
          <>
            {' '}
            (<Day at={createdAt} />)
          </>
        )}
      </dd>
      <dt>Your total on this board</dt>
      <dd>{dollars(targetBid * 100)}</dd>
      <dt>Amount ordered</dt>
      <dd>
        <strong>{dollars(amountCents)}</strong> (US dollars)
      </dd>
      <dt>Ordered</dt>
      <dd>
        <Minute at={createdAt} />
      </dd>
      {payment && <PaymentRecord payment={payment} orderedCents={amountCents} />}
      <dt>Order</dt>
      <dd>
        <code>{id}</code>
      </dd>
    </dl>
  )
}

function PaymentRecord({ payment, orderedCents }: { payment: PaidAmounts; orderedCents: number }) {
  const { paidCents, netCents, paidAt } = payment
  return (
    <>
      <dt>Amount paid</dt>
      <dd>
        <strong>{dollars(paidCents)}</strong> (US dollars)
        {paidCents !== orderedCents && ', not the amount you ordered'}
      </dd>
      <dt>Paid</dt>
      <dd>
        <Minute at={paidAt} />
      </dd>
      {netCents > 0 && (
        <>
          <dt>Counts on</dt>
          <dd>
            <Day at={paidAt} /> (UTC), and for all time
          </dd>
        </>
      )}
    </>
  )
}

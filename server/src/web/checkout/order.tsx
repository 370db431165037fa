import type { CheckoutNow, PaidAmounts } from '../../domain/checkout/order-state.ts'
import { dollars } from '../../platform/lib/text.ts'
import { Fact } from '../ui/elements.tsx'
import { BOARD_NAMES } from '../ui/format.ts'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { Day, Minute } from '../ui/time.tsx'
import { contentOf, type OrderNow } from './content.tsx'
import { CheckoutPaid, type PaidOrder } from './paid.tsx'

interface OrderPage extends OrderNow {
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
      scripts={[isMoving && 'checkout.js', outcome && 'copy.js']}
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
      <Fact name="Website">{url}</Fact>
      <Fact name="Category">{category}</Fact>
      <Fact name="Board">
        {BOARD_NAMES[board]}
        {board === 'today' && (
          <>
            {' '}
            (<Day at={createdAt} />)
          </>
        )}
      </Fact>
      <Fact name="Total ordered on this board">{dollars(targetBid * 100)}</Fact>
      <Fact name="Amount ordered">
        <strong>{dollars(amountCents)}</strong> (US dollars)
      </Fact>
      <Fact name="Ordered">
        <Minute at={createdAt} />
      </Fact>
      {payment && <PaymentRecord payment={payment} orderedCents={amountCents} />}
      <Fact name="Order number">
        <code>{id}</code>
      </Fact>
    </dl>
  )
}

/** What takes from a payment, as its record names it. */
const TAKEN = [
  ['refundedCents', 'Refunded'],
  ['disputedCents', 'In dispute'],
  ['lostCents', 'Lost in a dispute'],
] as const

function PaymentRecord({ payment, orderedCents }: { payment: PaidAmounts; orderedCents: number }) {
  const { paidCents, netCents, paidAt } = payment
  return (
    <>
      <Fact name="Amount paid">
        <strong>{dollars(paidCents)}</strong> (US dollars)
        {paidCents !== orderedCents && ', not the amount you ordered'}
      </Fact>
      <Fact name="Paid">
        <Minute at={paidAt} />
      </Fact>
      {TAKEN.map(([what, name]) => payment[what] > 0 && <Fact name={name}>− {dollars(payment[what])}</Fact>)}
      <Fact name="Counts">
        <strong>{dollars(netCents)}</strong>
        {netCents > 0 && (
          <>
            {' '}
            on <Day at={paidAt} /> (UTC), and for all time
          </>
        )}
      </Fact>
    </>
  )
}

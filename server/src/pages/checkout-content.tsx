import type { ComponentChildren } from 'preact'
import type { Links } from '../http/links.ts'
import type { Checkout, CheckoutNow, PaidAmounts } from '../placement/checkout-state.ts'
import type { ProcessorSession } from '../placement/processors/processor.ts'
import { dollars } from './money.ts'
import { promotePath } from './promote-choice.ts'

/** An order as its page shows it. What the processor says is asked only where nothing was heard yet. */
export interface OrderNow {
  order: CheckoutNow
  /** As people know the processor. */
  processorLabel: string
  /** What the processor says of an open order: its payment page, that it has no answer, or undefined if not asked. */
  session: ProcessorSession | 'no_answer' | undefined
  links: Links
}

interface Content {
  heading: string
  body: ComponentChildren
  /** It may change by itself: the page's script looks out for that. */
  isMoving?: boolean
}

/** What the page of an order says, by where the order stands. */
export function contentOf(page: OrderNow): Content {
  const { state, checkout } = page.order
  if (state === 'open') return openContent(page)
  if (state === 'paid') return paid(page.order.payment)
  if (state === 'pending') return pending
  if (state === 'held') return held(page.links)
  const [heading, what] = ENDINGS[state]
  return { heading, body: <Ended checkout={checkout} what={what} /> }
}

function openContent({ order: { checkout }, session, processorLabel }: OrderNow): Content {
  if (session === undefined) return waiting(checkout)
  if (session === 'no_answer') return noAnswer(checkout, processorLabel)
  // The processor was quicker than its own event.
  if (session.status === 'complete') return waiting(checkout)
  if (session.status === 'expired' || session.url === null) {
    return { heading: 'Closed', body: <Ended checkout={checkout} what={EXPIRED} /> }
  }
  return {
    heading: `Pay ${dollars(checkout.amount_cents)}`,
    isMoving: true,
    body: (
      <>
        <p>
          <a class="button" href={session.url}>
            Pay {dollars(checkout.amount_cents)} at {processorLabel}
          </a>
        </p>
        <p>
          You buy an amount, not a position: anyone may pay more later, and there is no refund for being
          overtaken. The payment page stays open for an hour.{' '}
          <a href={choicePath(checkout)}>Change the order</a>.
        </p>
      </>
    ),
  }
}

function paid(payment: PaidAmounts | undefined): Content {
  if (!payment || payment.netCents === payment.paidCents) {
    return { heading: 'Paid', body: <p>Your payment is confirmed and counts.</p> }
  }
  const { paidCents, refundedCents, disputedCents, netCents } = payment
  return {
    heading: netCents > 0 ? 'Paid, and counted in part' : 'Paid, and not counted any more',
    body: (
      <p class="callout">
        Of {dollars(paidCents)} that were paid, <strong>{dollars(netCents)} count</strong>
        {refundedCents > 0 && <>. {dollars(refundedCents)} were refunded</>}
        {disputedCents > 0 && <>. {dollars(disputedCents)} are in dispute, or were lost in one</>}.
      </p>
    ),
  }
}

const waiting = ({ id }: Checkout): Content => ({
  heading: 'Waiting for confirmation',
  isMoving: true,
  body: (
    <>
      <p role="status">
        The payment processor confirms a payment by itself, mostly within seconds. Where JavaScript is on,
        this page then changes. You can close it, too: nothing is lost.
      </p>
      <p>
        Nothing happens, or you have not paid yet? <LookAgain id={id} />.
      </p>
    </>
  ),
})

const pending: Content = {
  heading: 'The money is on its way',
  isMoving: true,
  body: (
    <>
      <p role="status">
        The order is placed, and the bank has not confirmed the money yet. That can take days. It counts once
        it has arrived, on the day it was confirmed.
      </p>
      <p>Nothing more is to be done. Come back to this page whenever you like.</p>
    </>
  ),
}

const held = (links: Links): Content => ({
  heading: 'Your payment is being looked into',
  body: (
    <p class="callout">
      Your payment arrived, but could not be matched to this order. The operator sees it. Nothing is lost:
      please <a href={links.support}>get help</a>, and give the number of the order below.
    </p>
  ),
})

const noAnswer = ({ id }: Checkout, processorLabel: string): Content => ({
  heading: 'Not available just now',
  isMoving: true,
  body: (
    <p class="callout" role="alert">
      The payment page at {processorLabel} cannot be opened just now. Nothing was charged.{' '}
      <LookAgain id={id} /> in a minute.
    </p>
  ),
})

const ENDINGS = {
  failed: ['Not paid', 'The money never came, so nothing counts and nothing was bought.'],
  superseded: [
    'A newer order took its place',
    'This website has a newer order, so nothing can be paid for this one any more.',
  ],
  unopened: [
    'No payment page was opened',
    'The payment processor did not answer, so nothing can be paid for this order.',
  ],
} as const

const EXPIRED = 'The payment page has closed, as it does after an hour. Nothing was paid there.'

function Ended({ checkout, what }: { checkout: Checkout; what: string }) {
  return (
    <p class="callout">
      {what} <a href={choicePath(checkout)}>Look at the price of now</a>.
    </p>
  )
}

const choicePath = ({ url, category, board, target_usd }: Checkout) =>
  promotePath({ destination: { url }, category, board, targetUsd: target_usd })

function LookAgain({ id }: { id: string }) {
  return <a href={`/checkout/${id}`}>Look again</a>
}

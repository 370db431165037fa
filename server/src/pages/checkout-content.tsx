import type { ComponentChildren } from 'preact'
import type { Links } from '../http/links.ts'
import { promotePath } from '../http/links.ts'
import type { Checkout, CheckoutNow, PaidAmounts } from '../placement/checkout-state.ts'
import type { ProcessorSession } from '../placement/processors/processor.ts'
import type { WhyClosed } from '../placement/why-closed.ts'
import { Message } from './message.tsx'
import { dollars } from './money.ts'

/** An order as its page shows it. What the processor says is asked only where nothing was heard yet. */
export interface OrderNow {
  order: CheckoutNow
  /** As people know the processor. */
  processorLabel: string
  /** Why nobody should pay for it any more, where nothing was heard of it. */
  closed: WhyClosed | undefined
  /**
   * What the processor says of its payment page; that it has no answer; that it was not asked because this visitor looks
   * too often; or undefined where there is nothing to ask.
   */
  session: ProcessorSession | 'no_answer' | 'not_asked' | undefined
  links: Links
}

interface Content {
  heading: string
  body: ComponentChildren
  /** It may change by itself: the page's script looks out for that. */
  isMoving?: boolean
}

/** What the page of an order says, by where the order stands. `isDown`: what was paid for is not shown. */
export function contentOf(page: OrderNow, isDown = false): Content {
  const { state, checkout } = page.order
  if (state === 'open' || state === 'superseded') return unheard(page)
  if (state === 'paid') return paid(page.order.payment, isDown)
  if (state === 'pending') return pending
  if (state === 'held') return held(page.links)
  const [heading, what] = ENDINGS[state]
  return { heading, body: <Ended checkout={checkout} what={what} /> }
}

function unheard({ order: { checkout }, closed, session, processorLabel, links }: OrderNow): Content {
  if (closed === 'other_processor') return closedContent(checkout, closed, links)
  if (session === undefined) return waiting(checkout)
  const isUnsure = session === 'no_answer' || session === 'not_asked'
  // The processor was quicker than its own event.
  if (!isUnsure && session.status === 'complete') return waiting(checkout)
  if (closed) return isUnsure ? closing(checkout, closed) : closedContent(checkout, closed, links)
  if (session === 'not_asked') return notAsked(checkout)
  if (session === 'no_answer') return noAnswer(checkout, processorLabel)
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
          {checkout.board === 'today' && (
            <>
              A payment counts on the day it is made, and this order ends with the day:{' '}
              <strong>pay before midnight UTC</strong>.{' '}
            </>
          )}
          <a href={choicePath(checkout)}>Change the order</a>.
        </p>
      </>
    ),
  }
}

/** An order whose payment page is closed for a reason. */
function closedContent(checkout: Checkout, why: WhyClosed, links: Links): Content {
  const { heading, what } = CLOSED[why]
  const isOurs = why !== 'other_processor'
  return {
    heading,
    isMoving: isOurs,
    body:
      why === 'not_shown' ? (
        <p class="callout">
          {what} Nothing can be paid for this order. To bring the listing back, ask{' '}
          <a href={links.support}>support</a>.
        </p>
      ) : (
        <Ended checkout={checkout} what={`${what} Nothing can be paid for this one any more.`} />
      ),
  }
}

const closing = ({ id }: Checkout, why: WhyClosed): Content => ({
  heading: 'This order is being closed',
  isMoving: true,
  body: (
    <Message>
      {CLOSED[why].what} The payment page could not be closed yet: please do not pay there.{' '}
      <LookAgain id={id} /> in a minute.
    </Message>
  ),
})

const CLOSED: Record<WhyClosed, { heading: string; what: string }> = {
  superseded: { heading: 'A newer order took its place', what: 'This website has another order.' },
  other_processor: {
    heading: 'Closed',
    what: 'This order was for a payment processor that is not in use here now.',
  },
  day_over: { heading: 'The day is over', what: 'This order was for the board of a day that has ended.' },
  not_shown: {
    heading: 'This listing is down',
    what: 'The listing is not shown now, and no money is taken for what cannot be shown.',
  },
  price_changed: { heading: 'The price has changed', what: 'Another amount is due now than was ordered.' },
}

function paid(payment: PaidAmounts | undefined, isDown: boolean): Content {
  if (!payment || payment.netCents === payment.paidCents) {
    const what = isDown
      ? 'Your payment is confirmed. The listing is not shown now, so it stands on no board.'
      : 'Your payment is confirmed and counts.'
    return { heading: 'Paid', body: <p>{what}</p> }
  }
  const { paidCents, netCents } = payment
  // More than was paid cannot have been given back, whatever an event says.
  const refundedCents = Math.min(payment.refundedCents, paidCents)
  const disputedCents = Math.min(payment.disputedCents, paidCents)
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
    <Message>
      The payment page at {processorLabel} cannot be opened just now. Nothing was charged.{' '}
      <LookAgain id={id} /> in a minute.
    </Message>
  ),
})

const notAsked = ({ id }: Checkout): Content => ({
  heading: 'Not available just now',
  isMoving: true,
  body: (
    <Message>
      Orders were looked at too often from your network. Nothing was charged. <LookAgain id={id} /> in ten
      minutes.
    </Message>
  ),
})

const ENDINGS = {
  refunded: [
    'Refunded',
    'Your payment could not be matched to this order, and was given back in full: nothing was bought.',
  ],
  failed: ['Not paid', 'The money never came, so nothing counts and nothing was bought.'],
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

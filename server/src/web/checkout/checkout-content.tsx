import type { ComponentChildren } from 'preact'
import type { Checkout, CheckoutNow } from '../../checkout/checkout-state.ts'
import type { WhyClosed } from '../../checkout/why-closed.ts'
import type { Links } from '../../http/links.ts'
import { promotePath } from '../../http/links.ts'
import { mayOutlastDay, sessionEnd } from '../../payments/session-end.ts'
import type { StripeSession } from '../../payments/stripe.ts'
import { Message } from '../ui/message.tsx'
import { dollars } from '../ui/money.ts'
import { Minute } from '../ui/time.tsx'
import { paid } from './checkout-payment.tsx'

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
  session: StripeSession | 'no_answer' | 'not_asked' | undefined
  links: Links
}

export interface Content {
  heading: string
  body: ComponentChildren
  /** It may change by itself: the page's script looks out for that. */
  isMoving?: boolean
}

/** What the page of an order says, by where the order stands. `isDown`: what was paid for is not shown. */
export function contentOf(page: OrderNow, isDown = false): Content {
  const { state, checkout } = page.order
  if (state === 'open' || state === 'superseded') return unheard(page)
  if (state === 'paid') return paid(page.order, isDown)
  if (state === 'pending') return pending
  if (state === 'held') return held(page.links)
  const [heading, what] = ENDINGS[state]
  return { heading, body: <Ended checkout={checkout} what={what} /> }
}

function unheard({ order: { checkout }, closed, session, processorLabel, links }: OrderNow): Content {
  if (closed === 'other_processor') return otherProcessor(checkout, links)
  if (session === undefined) return waiting(checkout, links)
  const status = session === 'no_answer' || session === 'not_asked' ? undefined : session.status
  // The processor was quicker than its own event.
  if (status === 'complete') return waiting(checkout, links)
  if (closed === 'not_shown') return notShown(status === 'expired', links)
  if (closed) return status === 'expired' ? closedContent(checkout, closed) : closing(checkout, closed)
  if (session === 'not_asked') return notAsked(checkout)
  if (session === 'no_answer') return noAnswer(checkout, processorLabel)
  if (session.status === 'expired' || session.url === null) {
    return { heading: 'Closed', body: <Ended checkout={checkout} what={EXPIRED} /> }
  }
  return {
    heading: `Pay ${dollars(checkout.amountCents)}`,
    isMoving: true,
    body: (
      <>
        <p>
          <a class="button" href={session.url}>
            Pay {dollars(checkout.amountCents)} at {processorLabel}
          </a>
        </p>
        <p>
          You buy an amount, not a position: anyone may pay more later, and there is no refund for being
          overtaken. The payment page stays open until <Minute at={sessionEnd(endOf(checkout))} />.{' '}
          <a href={choicePath(checkout)}>Change the order</a>.
        </p>
        {checkout.board === 'today' && (
          <p>
            A payment counts on the day it is made, and this order ends with the day:{' '}
            <strong>pay before midnight UTC</strong>. {mayOutlastDay(endOf(checkout)) && AFTER_MIDNIGHT}
          </p>
        )}
      </>
    ),
  }
}

const endOf = ({ board, createdAt }: Checkout) => ({ board, createdAt })

/** For the board of a day that ends before the payment page does. */
export const AFTER_MIDNIGHT =
  'The payment page may stay open longer than that: what is paid there after midnight counts on the board of the new day.'

/** Nobody is asked about it, so nothing is known of it. */
const otherProcessor = (checkout: Checkout, links: Links): Content => ({
  heading: 'Closed',
  body: (
    <p class="callout">
      This order was for a payment processor that is not in use here now: please do not pay for it. Have you
      paid already? <a href={links.support}>Get help</a>, and give the number of the order below. If not,{' '}
      <a href={choicePath(checkout)}>look at the price of now</a>.
    </p>
  ),
})

/** A listing may be back in a minute, so its payment page is not closed. */
const notShown = (isClosed: boolean, links: Links): Content => ({
  heading: 'This listing is down',
  isMoving: true,
  body: (
    <p class="callout">
      The listing is not shown now, and no money is taken for what cannot be shown.{' '}
      {isClosed ? EXPIRED : `Please do not pay for it meanwhile. ${IF_PAID}`} To bring the listing back, ask{' '}
      <a href={links.support}>support</a>.
    </p>
  ),
})

type WhyEnded = Exclude<WhyClosed, 'other_processor' | 'not_shown'>

/** An order whose payment page was closed for a reason. */
const closedContent = (checkout: Checkout, why: WhyEnded): Content => ({
  heading: CLOSED[why].heading,
  isMoving: true,
  body: <Ended checkout={checkout} what={`${CLOSED[why].what} Nothing can be paid for this one any more.`} />,
})

const closing = ({ id }: Checkout, why: WhyEnded): Content => ({
  heading: 'This order is being closed',
  isMoving: true,
  body: (
    <Message>
      {CLOSED[why].what} The payment page could not be closed yet: please do not pay there. {IF_PAID}{' '}
      <LookAgain id={id} /> in a minute.
    </Message>
  ),
})

const CLOSED: Record<WhyEnded, { heading: string; what: string }> = {
  superseded: { heading: 'A newer order took its place', what: 'This website has another order.' },
  day_over: { heading: 'The day is over', what: 'This order was for the board of a day that has ended.' },
  price_changed: { heading: 'The price has changed', what: 'Another amount is due now than was ordered.' },
}

const waiting = ({ id }: Checkout, links: Links): Content => ({
  heading: 'Waiting for confirmation',
  isMoving: true,
  body: (
    <>
      <p role="status">
        The payment processor confirms a payment by itself, mostly within seconds. Where JavaScript is on,
        this page then changes. You can close it, too: nothing is lost.
      </p>
      <p>
        Nothing happens, or you have not paid yet? <LookAgain id={id} />. Longer than an hour?{' '}
        <a href={links.support}>Get help</a>, and give the order number below.
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
      The payment page at {processorLabel} cannot be opened just now. {IF_PAID} <LookAgain id={id} /> in a
      minute.
    </Message>
  ),
})

const notAsked = ({ id }: Checkout): Content => ({
  heading: 'Not available just now',
  isMoving: true,
  body: (
    <Message>
      Orders were looked at too often from your network. {IF_PAID} <LookAgain id={id} /> in ten minutes.
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

/** Said only where the processor says so. */
const EXPIRED = 'The payment page is closed. Nothing was paid there.'

/** Said where nobody knows whether somebody paid. */
export const IF_PAID = 'If you have paid, it counts once it is confirmed: do not pay again.'

function Ended({ checkout, what }: { checkout: Checkout; what: string }) {
  return (
    <p class="callout">
      {what} <a href={choicePath(checkout)}>Look at the price of now</a>.
    </p>
  )
}

const choicePath = ({ url, category, board, targetBid }: Checkout) =>
  promotePath({ destination: { url }, category, board, targetBid })

function LookAgain({ id }: { id: string }) {
  return <a href={`/checkout/${id}`}>Look again</a>
}

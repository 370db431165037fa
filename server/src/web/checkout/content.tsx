import type { ComponentChildren } from 'preact'
import type { Checkout, CheckoutNow, WhyClosed } from '../../domain/checkout/order-state.ts'
import { mayOutlastDay, type StripeSession, sessionEnd } from '../../domain/payments/stripe.ts'
import { type Links, promotePath } from '../../platform/http/links.ts'
import { dollars } from '../../platform/lib/text.ts'
import { ButtonLink, Message } from '../ui/elements.tsx'
import { Minute } from '../ui/time.tsx'
import { HowToRestore, paid } from './paid.tsx'

/** An order as its page shows it. The processor is asked only while no event has arrived. */
export interface OrderNow {
  order: CheckoutNow
  /** The processor's name for people. */
  processorLabel: string
  /** Why the order can no longer be paid, if no event has arrived. */
  closed: WhyClosed | undefined
  /**
   * What the processor says about its payment page; `no_answer` if it failed, `not_asked` if this visitor checks too
   * often, undefined if there is nothing to ask.
   */
  session: StripeSession | 'no_answer' | 'not_asked' | undefined
  links: Links
}

export interface Content {
  heading: string
  body: ComponentChildren
  /** It may change without an action of the visitor, so the page's script polls. */
  isMoving?: boolean
}

/** What an order's page says in each state. `isDown`: the paid listing is not shown. */
export function contentOf(page: OrderNow, isDown = false): Content {
  const { state, checkout } = page.order
  if (state === 'open' || state === 'superseded') return withoutEvent(page)
  if (state === 'paid') return paid(page.order, isDown)
  if (state === 'pending') return pending
  if (state === 'held') return held(page.links)
  if (state === 'settled') return settled(page.links)
  const [heading, what] = ENDINGS[state]
  return { heading, body: <Ended checkout={checkout} what={what} links={page.links} /> }
}

function withoutEvent({ order: { checkout }, closed, session, processorLabel, links }: OrderNow): Content {
  if (closed === 'other_processor') return otherProcessor(checkout, links)
  if (session === undefined) return waiting(checkout, links)
  const status = session === 'no_answer' || session === 'not_asked' ? undefined : session.status
  // The processor's answer overtook its own event.
  if (status === 'complete') return waiting(checkout, links)
  if (closed === 'not_shown') return notShown(status === 'expired', links)
  if (closed) return status === 'expired' ? closedContent(checkout, closed, links) : closing(checkout, closed)
  if (session === 'not_asked') return notAsked(checkout)
  if (session === 'no_answer') return noAnswer(checkout, processorLabel)
  if (session.status === 'expired' || session.url === null) {
    return { heading: 'Closed', body: <Ended checkout={checkout} what={EXPIRED} links={links} /> }
  }
  return {
    heading: `Pay ${dollars(checkout.amountCents)}`,
    isMoving: true,
    body: (
      <>
        <p>
          <ButtonLink look="go" href={session.url}>
            Pay {dollars(checkout.amountCents)} at {processorLabel}
          </ButtonLink>
        </p>
        <p>
          You buy an amount, not a position: anyone may pay more later, and there is no refund for being overtaken. The
          payment page stays open until <Minute at={sessionEnd(endOf(checkout))} />.{' '}
          <a href={choicePath(checkout)}>Change the order</a>.
        </p>
        {checkout.board === 'today' && (
          <p>
            <Today mayOutlastDay={mayOutlastDay(endOf(checkout))} />
          </p>
        )}
      </>
    ),
  }
}

const endOf = ({ board, createdAt }: Checkout) => ({ board, createdAt })

/** What to know before paying for a place today. The form and the order's page say the same. */
export const Today = ({ mayOutlastDay }: { mayOutlastDay: boolean }) => (
  <>
    <strong>Pay by card, before midnight UTC.</strong> Today’s board ends then, and a payment counts on the day it is
    confirmed. A card payment is confirmed immediately; a bank transfer can take days, so it can’t buy a place today.{' '}
    {mayOutlastDay && AFTER_MIDNIGHT}
  </>
)

/** For a day's board that ends before the payment page closes. */
const AFTER_MIDNIGHT = 'The payment page may stay open longer: a payment after midnight counts on the new day’s board.'

/** The other processor is not asked, so the order's outcome is unknown. */
const otherProcessor = (checkout: Checkout, links: Links): Content => ({
  heading: 'Closed',
  body: (
    <p class="callout">
      {links.site.sellsPlaces
        ? 'This order used a payment processor that we no longer use.'
        : 'This site sells no places now.'}{' '}
      Please do not pay for it. Already paid? <a href={links.support}>Get help</a>, and give the order number.{' '}
      {links.site.sellsPlaces && (
        <>
          If not, <a href={choicePath(checkout)}>see the current price</a>.
        </>
      )}
    </p>
  ),
})

/** A listing may be back in a minute, so its payment page stays open. */
const notShown = (isClosed: boolean, links: Links): Content => ({
  heading: 'This listing is down',
  isMoving: true,
  body: (
    <p class="callout">
      The listing isn’t shown right now, and we take no money for a listing that isn’t shown.{' '}
      {isClosed ? EXPIRED : `Please do not pay for it until it is shown again. ${IF_PAID}`}{' '}
      <HowToRestore links={links} />
    </p>
  ),
})

type WhyEnded = Exclude<WhyClosed, 'other_processor' | 'not_shown'>

/** An order whose payment page we closed. */
const closedContent = (checkout: Checkout, why: WhyEnded, links: Links): Content => ({
  heading: CLOSED[why].heading,
  isMoving: true,
  body: <Ended checkout={checkout} what={`${CLOSED[why].what} You can no longer pay for this one.`} links={links} />,
})

const closing = ({ id }: Checkout, why: WhyEnded): Content => ({
  heading: 'This order is being closed',
  isMoving: true,
  body: (
    <Message>
      {CLOSED[why].what} We couldn’t close its payment page yet: please do not pay there. {IF_PAID}{' '}
      <LookAgain id={id} /> in a minute.
    </Message>
  ),
})

const CLOSED: Record<WhyEnded, { heading: string; what: string }> = {
  superseded: { heading: 'A newer order replaced it', what: 'This website has another order.' },
  day_over: { heading: 'The day is over', what: 'The day this order was for has ended.' },
  blocked: { heading: 'This website is blocked', what: 'The operator of this site no longer lists this website.' },
  price_changed: { heading: 'The price has changed', what: 'The amount due is no longer the amount you ordered.' },
}

const waiting = ({ id }: Checkout, links: Links): Content => ({
  heading: 'Waiting for confirmation',
  isMoving: true,
  body: (
    <>
      <p role="status">
        The payment processor usually confirms a payment within seconds. With JavaScript on, this page then updates. You
        can close it: nothing is lost.
      </p>
      <p>
        Nothing happening, or haven’t paid yet? <LookAgain id={id} />. More than an hour?{' '}
        <a href={links.support}>Get help</a>, and give the order number.
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
        Your order is placed, but the bank has not confirmed the money yet. That can take days. It counts once it has
        arrived, on the day it was confirmed.
      </p>
      <p>You don’t have to do anything else. Come back to this page whenever you like.</p>
    </>
  ),
}

const held = (links: Links): Content => ({
  heading: 'We are looking into your payment',
  body: (
    <p class="callout">
      Your payment arrived, but we couldn’t match it to this order. The operator can see it, and nothing is lost. Please{' '}
      <a href={links.support}>get help</a>, and give the order number.
    </p>
  ),
})

const settled = (links: Links): Content => ({
  heading: 'Not counted',
  body: (
    <p class="callout">
      Your payment arrived, but we couldn’t match it to this order, so nothing was bought. The operator has settled it.
      Questions? <a href={links.support}>Get help</a>, and give the order number.
    </p>
  ),
})

const noAnswer = ({ id }: Checkout, processorLabel: string): Content => ({
  heading: 'Not available right now',
  isMoving: true,
  body: (
    <Message>
      We can’t open the payment page at {processorLabel} right now. {IF_PAID} <LookAgain id={id} /> in a minute.
    </Message>
  ),
})

const notAsked = ({ id }: Checkout): Content => ({
  heading: 'Not available right now',
  isMoving: true,
  body: (
    <Message>
      Your network has checked orders too often. {IF_PAID} <LookAgain id={id} /> in ten minutes.
    </Message>
  ),
})

const ENDINGS = {
  refunded: [
    'Refunded',
    'We couldn’t match your payment to this order, so it was refunded in full. Nothing was bought.',
  ],
  failed: ['Not paid', 'The money never arrived, so nothing counts and nothing was bought.'],
  unopened: ['No payment page was opened', 'The payment processor did not answer, so you can’t pay for this order.'],
} as const

/** Shown only if the processor says so. */
const EXPIRED = 'The payment page is closed. Nothing was paid there.'

/** Shown while it is unknown whether the order was paid. */
export const IF_PAID = 'If you have paid, your payment counts once it is confirmed: do not pay again.'

function Ended({ checkout, what, links }: { checkout: Checkout; what: string; links: Links }) {
  return (
    <p class="callout">
      {what}{' '}
      {links.site.sellsPlaces && (
        <>
          <a href={choicePath(checkout)}>See the current price</a>.
        </>
      )}
    </p>
  )
}

const choicePath = ({ url, category, board, targetBid }: Checkout) =>
  promotePath({ destination: { url }, category, board, targetBid })

function LookAgain({ id }: { id: string }) {
  return <a href={`/checkout/${id}`}>Check again</a>
}

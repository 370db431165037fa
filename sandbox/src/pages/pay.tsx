import { statusOfSession, takesCardsOnly } from '../acts.ts'
import type { Session } from '../database.ts'
import { DeliveryChoice, dollars, Frame, Message, renderDocument, Second } from './frame.tsx'

/** The payment page. If the session is no longer open, the page says so and links back. */
export function renderPay({ session, now, message }: PayPage): string {
  const isOpen = statusOfSession(session, now) === 'open'
  return renderDocument(
    <Frame title={isOpen ? `Pay ${dollars(session.amountCents)}` : 'Nothing to pay here'}>
      {message !== undefined && <Message>{message}</Message>}
      <p class="eyebrow">Payment page</p>
      {isOpen ? <Open session={session} /> : <Closed session={session} now={now} />}
      <p class="note">
        <a href={`/sandbox/sessions/${session.id}`}>Behind the scenes</a>, you can deliver and repeat events, and refund
        or dispute the payment.
      </p>
    </Frame>,
  )
}

interface PayPage {
  session: Session
  /** Unix milliseconds. */
  now: number
  /** The result of the last action. */
  message?: string
}

function Open({ session }: { session: Session }) {
  const isCardOnly = takesCardsOnly(session)
  return (
    <>
      <h1>Pay {dollars(session.amountCents)}</h1>
      <dl class="record">
        <dt>For</dt>
        <dd dir="auto">{session.description}</dd>
        <dt>Amount</dt>
        <dd>{dollars(session.amountCents)} (US dollars)</dd>
        <dt>Open until</dt>
        <dd>
          <Second at={session.expiresAt} />
        </dd>
      </dl>
      <form method="post" action={`/sandbox/pay/${session.id}`}>
        <DeliveryChoice chosen="now" />
        <p class="buttons">
          <button type="submit" name="act" value="pay">
            Pay now
          </button>
          {!isCardOnly && (
            <button type="submit" name="act" value="pay_later" class="quiet">
              Pay, confirm later
            </button>
          )}
          <button type="submit" name="act" value="decline" class="quiet">
            Decline
          </button>
          <a href={session.cancelUrl}>Cancel</a>
        </p>
      </form>
      <ul>
        <li>
          <strong>Pay now</strong> is a card that works.
        </li>
        {isCardOnly ? (
          <li>This order takes cards only: a bank transfer could not be confirmed in time.</li>
        ) : (
          <li>
            <strong>Pay, confirm later</strong> is a bank transfer: ordered, with the money still on its way. Behind the
            scenes, you let it arrive or fail.
          </li>
        )}
        <li>
          <strong>Decline</strong> is a card that was refused. This page stays open.
        </li>
      </ul>
    </>
  )
}

function Closed({ session, now }: { session: Session; now: number }) {
  const isPlaced = session.status === 'complete'
  return (
    <>
      <h1>Nothing to pay here</h1>
      <p>{closedText(session, now)}</p>
      <dl class="record">
        <dt>For</dt>
        <dd dir="auto">{session.description}</dd>
        <dt>Amount</dt>
        <dd>{dollars(session.amountCents)} (US dollars)</dd>
      </dl>
      <p>
        <a class="button" href={isPlaced ? session.successUrl : session.cancelUrl}>
          {isPlaced ? 'Back to the order' : 'Go back'}
        </a>
      </p>
    </>
  )
}

function closedText({ status, paymentStatus, expiresAt }: Session, now: number): string {
  if (status === 'complete') {
    if (paymentStatus === 'paid') return 'This order is already paid, and can’t be paid twice.'
    if (paymentStatus === 'unpaid') return 'This order was already placed, and its money is on its way.'
    return 'This order was already placed, but its money never arrived. To try again, place a new order.'
  }
  if (status === 'expired' && now < expiresAt) {
    return 'This payment page was closed, probably because a newer order replaced it. Nothing was paid here.'
  }
  return 'This payment page has expired. Nothing was paid here.'
}

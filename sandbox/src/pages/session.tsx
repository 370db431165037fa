import { type ActName, possibleActs, refundableCents, statusOfSession } from '../acts.ts'
import type { Session, StoredEvent } from '../database.ts'
import { DeliveryChoice, dollars, Frame, Message, renderDocument, Second, stateText } from './frame.tsx'

interface SessionPage {
  session: Session
  events: StoredEvent[]
  /** Unix milliseconds. */
  now: number
  /** The result of the last action. */
  message?: string
  /** The refused input, to correct. */
  amount?: string
  delivery?: string
}

/** The page behind a payment: its events, and the possible actions. */
export function renderSession({ session, events, now, message, amount, delivery }: SessionPage): string {
  const acts = possibleActs(session, now)
  return renderDocument(
    <Frame title="Behind the scenes of a payment">
      {message !== undefined && <Message id="message">{message}</Message>}
      <p class="eyebrow">
        <a href="/sandbox/">The sandbox</a>
      </p>
      <h1>Behind the scenes</h1>
      <Facts session={session} now={now} />
      <section aria-labelledby="happen">
        <h2 id="happen">Make something happen</h2>
        <Happenings session={session} acts={acts} now={now} typed={amount} delivery={delivery ?? 'now'} />
      </section>
      <section aria-labelledby="events">
        <h2 id="events">Events</h2>
        {events.length === 0 ? (
          <p class="none">None yet.</p>
        ) : (
          <ol class="list">
            {events.map(event => (
              <Event key={event.eventId} event={event} now={now} />
            ))}
          </ol>
        )}
      </section>
    </Frame>,
  )
}

function Facts({ session, now }: { session: Session; now: number }) {
  return (
    <dl class="record">
      <dt>For</dt>
      <dd dir="auto">{session.description}</dd>
      <dt>Amount</dt>
      <dd>{dollars(session.amountCents)} (US dollars)</dd>
      <dt>Status</dt>
      <dd>
        <strong>{stateText(session, now)}</strong>
      </dd>
      <dt>Opened</dt>
      <dd>
        <Second at={session.createdAt} />
      </dd>
      <dt>Session</dt>
      <dd>
        <code>{session.id}</code>
      </dd>
      <dt>Payment</dt>
      <dd>
        <code>{session.paymentId}</code>
      </dd>
      <dt>Order</dt>
      <dd>
        <a href={session.successUrl}>See the order</a>
      </dd>
    </dl>
  )
}

const BUTTONS: Partial<Record<ActName, string>> = {
  succeed: 'The money arrives',
  fail: 'The money never arrives',
  fail_refund: 'The last refund fails',
  dispute: 'Open a dispute',
  win: 'Close the dispute: won',
  lose: 'Close the dispute: lost',
  turn: 'The bank decides the other way',
}

interface HappeningsProps {
  session: Session
  acts: ActName[]
  now: number
  typed: string | undefined
  delivery: string
}

function Happenings({ session, acts, now, typed, delivery }: HappeningsProps) {
  if (statusOfSession(session, now) === 'open') {
    return (
      <p>
        Nothing can happen before it is paid, on the <a href={`/sandbox/pay/${session.id}`}>payment page</a>.
      </p>
    )
  }
  if (acts.length === 0) return <p class="none">Nothing more can happen to this payment.</p>
  return (
    <form method="post" action={`/sandbox/sessions/${session.id}`}>
      <DeliveryChoice chosen={delivery} />
      {acts.includes('refund') && <Refund session={session} typed={typed} />}
      <p class="buttons">
        {acts.map(
          act =>
            BUTTONS[act] && (
              <button type="submit" name="act" value={act} class="quiet" key={act}>
                {BUTTONS[act]}
              </button>
            ),
        )}
      </p>
    </form>
  )
}

function Refund({ session, typed }: { session: Session; typed: string | undefined }) {
  const left = dollars(refundableCents(session))
  return (
    <>
      <p class="field">
        <label for="amount">Refund in dollars, at most {left}</label>
        <input
          type="text"
          id="amount"
          name="amount"
          inputmode="decimal"
          autocomplete="off"
          value={typed}
          aria-invalid={typed === undefined ? undefined : 'true'}
          aria-describedby={typed === undefined ? undefined : 'message'}
        />
      </p>
      <p class="buttons">
        <button type="submit" name="act" value="refund" class="quiet">
          Refund this much
        </button>
        <button type="submit" name="act" value="refund_all" class="quiet">
          Refund all of it
        </button>
      </p>
    </>
  )
}

function Event({ event, now }: { event: StoredEvent; now: number }) {
  const { eventId, sessionId, type, payload, createdAt, deliveries } = event
  return (
    <li>
      <strong id={eventId}>{type}</strong>
      <span>
        Happened at <Second at={createdAt} />
      </span>
      <DeliveryState event={event} now={now} />
      <form method="post" action={`/sandbox/sessions/${sessionId}/deliver`}>
        <input type="hidden" name="event" value={eventId} />
        <button type="submit" class="quiet" aria-describedby={eventId}>
          {deliveries > 0 ? 'Deliver again' : 'Deliver now'}
        </button>
      </form>
      <details>
        <summary>What is sent</summary>
        <pre>{JSON.stringify(JSON.parse(payload), undefined, 2)}</pre>
      </details>
    </li>
  )
}

function DeliveryState({ event, now }: { event: StoredEvent; now: number }) {
  const { deliverAt, deliveries, deliveredAt, attempts, answer } = event
  return (
    <span>
      {deliveredAt !== null && (
        <>
          Accepted {deliveries === 1 ? 'once' : `${deliveries} times`}, last at <Second at={deliveredAt} />.{' '}
        </>
      )}
      {attempts > 0 && answer !== null && (
        <>
          Not accepted{deliveredAt !== null && ' this time'}: {answer}, at attempt {attempts}.{' '}
        </>
      )}
      {deliverAt === null && deliveries === 0 && 'Not sent until you deliver it.'}
      {deliverAt !== null && deliverAt <= now && 'It will be delivered in a moment.'}
      {deliverAt !== null && deliverAt > now && (
        <>
          {attempts > 0 ? 'Next attempt' : 'Delivery'} at <Second at={deliverAt} />.
        </>
      )}
    </span>
  )
}

import { AnotherDecides, decideAppeal, OUTCOMES, RESULTS } from '../../domain/moderation/appeals/decide-appeal.ts'
import { type FoundDecision, textIn } from '../../domain/moderation/appeals/statement.ts'
import { PaymentChanged, settlePayment, type UnplacedPayment } from '../../domain/payments/unplaced.ts'
import { Button, Form } from '../ui/elements.tsx'
import { Age, Minute } from '../ui/time.tsx'
import { Reason } from './page.tsx'
import { type Back, type Perform, textOf } from './request.ts'
import { whoDid, wordsFor } from './words.ts'

export const decide: Perform = async ({ store, clock }, { view }, { id, result: wanted, explanation: typed }) => {
  const explanation = textOf(typed)
  const result = Object.values(RESULTS).find(each => each === wanted)
  if (!explanation || !result || typeof id !== 'string') return 'Nothing was decided. Give a reason.'
  try {
    const decision = await decideAppeal(store, id, result, { name: view.session.name, explanation }, clock())
    if (!decision) return 'There is no such appeal.'
    const where = decision.contested.hostname ?? 'a submission'
    return decision.changed
      ? `The appeal about ${where} is ${OUTCOMES[decision.result]}.`
      : `The appeal about ${where} was already ${OUTCOMES[decision.result]}. Nothing was changed.`
  } catch (error) {
    if (error instanceof AnotherDecides) return `Nothing was decided: ${error.message}.`
    throw error
  }
}

/** Records what was done at the processor about an unmatched payment. */
export const settle: Perform = async ({ store, clock }, { view }, { id, events, explanation: typed }) => {
  const explanation = textOf(typed)
  if (!explanation) return 'Nothing was settled. Enter what you did about the payment.'
  if (typeof id !== 'string') return 'There is no such unmatched payment.'
  try {
    const settled = await settlePayment(store, id, explanation, view.session.name, clock(), Number(events) || 0)
    if (!settled) return 'There is no such unmatched payment.'
    const { paymentId, settledBy, settlement, changed } = settled
    return changed
      ? `The payment ${paymentId} is settled. No money was moved.`
      : `${settledBy} already settled the payment ${paymentId}: ${settlement}. Nothing was changed.`
  } catch (error) {
    if (error instanceof PaymentChanged) return `Nothing was settled: ${error.message} since you opened the page.`
    throw error
  }
}

/** An appeal with the decision it is against, and the form to decide it. */
export function AppealCase({ contested, now, back }: { contested: FoundDecision; now: number; back: Back }) {
  const { id, actor, at, appeal } = contested
  if (!appeal) return null
  const { what, means } = wordsFor(contested)
  return (
    <div class="appeal">
      <p class="case-why">
        Appeal against: {what}
        {means && `. ${means}`}
      </p>
      <p class="small">
        <span dir="auto">{textIn(contested, 'explanation')}</span>{' '}
        <span class="soft">
          By <bdi>{whoDid(actor)}</bdi>, <Age at={at} now={now} />
        </span>
      </p>
      <blockquote>
        <p dir="auto">{textIn(appeal, 'statement')}</p>
        <p class="host">
          From the {appeal.actor} · <Age at={appeal.at} now={now} />
        </p>
      </blockquote>
      <Form action="/console/appeal" fields={{ id, ...back }}>
        {/* Enter in the field presses the first button of its form: a disabled one does nothing. */}
        <button class="unseen" type="submit" disabled tabIndex={-1} aria-hidden="true">
          Choose a button
        </button>
        <Reason
          id={`why-${id}`}
          label="Reason for your decision"
          hint="The person who appealed can read it. This cannot be undone."
        />
        <p class="appeal-do">
          <Button name="result" value="upheld">
            Reject the appeal
          </Button>
          <Button name="result" value="reversed">
            Grant the appeal
          </Button>
        </p>
      </Form>
    </div>
  )
}

const PROCESSORS = { stripe: 'Stripe', stripe_test: 'Stripe test mode', sandbox: 'Sandbox' } as const

/** An unmatched payment, and the form to close it. It moves no money. */
export function PaymentCase({ payment, back }: { payment: UnplacedPayment; back: Back }) {
  const { processor, paymentId, lastAt, amounts, events, advice } = payment
  return (
    <div class="appeal">
      <p class="case-why">
        Unmatched payment: {amounts} <code>{paymentId}</code>
      </p>
      <p class="small">{advice}</p>
      <p class="host">
        {PROCESSORS[processor]} · <Minute at={lastAt} />
      </p>
      <Form action="/console/payment" fields={{ id: paymentId, events: String(events), ...back }}>
        <Reason
          id={`done-${paymentId}`}
          label="What you did about it at the payment processor"
          hint="This only closes it here. It moves no money."
        />
        <p class="appeal-do">
          <Button>Mark as settled</Button>
        </p>
      </Form>
    </div>
  )
}

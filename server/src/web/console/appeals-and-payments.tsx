import { type FoundDecision, textIn } from '../../domain/moderation/appeals/statement.ts'
import type { UnplacedPayment } from '../../domain/payments/unplaced.ts'
import { Age, Minute } from '../ui/time.tsx'
import { whoDid, wordsFor } from './words.ts'

interface AppealProps {
  contested: FoundDecision
  now: number
  /** Of its listing, if it is about one. */
  slug?: string
}

/** An appeal with the decision it is against, and the form to decide it. */
export function AppealCase({ contested, now, slug }: AppealProps) {
  const { id, actor, at, appeal } = contested
  if (!appeal) return null
  const field = `why-${id}`
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
      <form method="post" action="/console/appeal">
        <input type="hidden" name="id" value={id} />
        {slug !== undefined && <input type="hidden" name="slug" value={slug} />}
        <p>
          <label for={field}>Reason for your decision</label>
          <input type="text" id={field} name="explanation" maxLength={500} required autocomplete="off" />
        </p>
        <p class="hint">The person who appealed can read it. This cannot be undone.</p>
        <p class="appeal-do">
          <button class="btn" type="submit" name="result" value="upheld">
            Let it stand
          </button>
          <button class="btn" type="submit" name="result" value="reversed">
            Reverse it
          </button>
        </p>
      </form>
    </div>
  )
}

interface PaymentProps {
  payment: UnplacedPayment
  /** The page to return to, as form fields: a listing's (`slug`), or all payments (`from`). By default, the queue. */
  back?: { slug?: string; from?: 'payments' }
}

/** An unmatched payment, and the form to close it. It moves no money. */
export function PaymentCase({ payment, back = {} }: PaymentProps) {
  const { processor, paymentId, lastAt, amounts, why } = payment
  const field = `done-${paymentId}`
  return (
    <div class="appeal">
      <p class="case-why">
        Unmatched payment: {amounts} <code>{paymentId}</code>
      </p>
      <p class="small">{why}</p>
      <p class="host">
        {processor} · <Minute at={lastAt} />
      </p>
      <form method="post" action="/console/payment">
        <input type="hidden" name="id" value={paymentId} />
        {Object.entries(back).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <p>
          <label for={field}>What you did about it at the payment processor</label>
          <input type="text" id={field} name="explanation" maxLength={500} required autocomplete="off" />
        </p>
        <p class="hint">This only closes it here. It moves no money.</p>
        <p class="appeal-do">
          <button class="btn" type="submit">
            Mark as settled
          </button>
        </p>
      </form>
    </div>
  )
}

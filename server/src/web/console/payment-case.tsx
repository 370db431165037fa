import type { UnplacedPayment } from '../../payments/unplaced.ts'
import { Minute } from '../ui/time.tsx'

interface PaymentProps {
  payment: UnplacedPayment
  /** Where the form leads back to, as its fields: a listing's page (`slug`), or that of all payments (`from`). Else, the queue. */
  back?: { slug?: string; from?: 'payments' }
}

/** A payment credited to nobody, and the form that closes it. Nothing here moves money. */
export function PaymentCase({ payment, back = {} }: PaymentProps) {
  const { processor, paymentId, lastAt, amounts, why } = payment
  const field = `done-${paymentId}`
  return (
    <div class="appeal">
      <p class="case-why">
        Credited to nobody: {amounts} <code>{paymentId}</code>
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
          <label for={field}>What you did about it at the processor</label>
          <input type="text" id={field} name="explanation" maxLength={500} required autocomplete="off" />
        </p>
        <p class="hint">This only closes it here. Nothing here moves money.</p>
        <p class="appeal-do">
          <button class="btn" type="submit">
            It is settled
          </button>
        </p>
      </form>
    </div>
  )
}

import type { Checkout, CheckoutNow, PaidAmounts } from '../../checkout/state.ts'
import { utcDay } from '../../time.ts'
import { dollars } from '../ui/money.ts'
import { Day } from '../ui/time.tsx'
import type { Content } from './content.tsx'

/** What became of the money of an order. `isDown`: what was paid for is not shown. */
export function paid({ checkout, payment }: CheckoutNow, isDown: boolean): Content {
  if (!payment || payment.netCents === payment.paidCents) {
    const what = isDown
      ? 'Your payment is confirmed. The listing is not shown now, so it stands on no board.'
      : 'Your payment is confirmed and counts.'
    return {
      heading: 'Paid',
      body: (
        <>
          <p>{what}</p>
          {payment && <OtherDay checkout={checkout} payment={payment} />}
        </>
      ),
    }
  }
  const { paidCents, netCents } = payment
  // More than was paid cannot have been given back, whatever an event says.
  const refundedCents = Math.min(payment.refundedCents, paidCents)
  const lostCents = Math.min(payment.lostCents, paidCents)
  const disputedCents = Math.min(payment.disputedCents, paidCents) - lostCents
  return {
    heading: netCents > 0 ? 'Paid, and counted in part' : 'Paid, and not counted any more',
    body: (
      <>
        <p class="callout">
          Of {dollars(paidCents)} that were paid, <strong>{dollars(netCents)} count</strong>
          {refundedCents > 0 && <>. {dollars(refundedCents)} were refunded</>}
          {disputedCents > 0 && <>. {dollars(disputedCents)} are in dispute</>}
          {lostCents > 0 && <>. {dollars(lostCents)} were lost in a dispute</>}.
        </p>
        {netCents > 0 && <OtherDay checkout={checkout} payment={payment} />}
      </>
    ),
  }
}

/** Money that came when the day that was ordered had ended. */
function OtherDay({ checkout, payment }: { checkout: Checkout; payment: PaidAmounts }) {
  const { board, createdAt } = checkout
  if (board === 'all' || utcDay(createdAt) === utcDay(payment.paidAt)) return null
  return (
    <p class="callout">
      You ordered a place on the board of <Day at={createdAt} />, and the payment was made when that day had
      ended. It counts on the board of{' '}
      <strong>
        <Day at={payment.paidAt} />
      </strong>
      , and on that of all time.
    </p>
  )
}

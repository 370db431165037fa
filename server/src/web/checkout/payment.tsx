import type { Checkout, CheckoutNow, PaidAmounts } from '../../checkout/state.ts'
import { utcDay } from '../../time.ts'
import { dollars } from '../ui/money.ts'
import { Day } from '../ui/time.tsx'

/** What happened to an order's money. `isDown`: the paid listing is not shown. */
export function paid({ checkout, payment }: CheckoutNow, isDown: boolean) {
  if (!payment || payment.netCents === payment.paidCents) {
    const what = isDown
      ? 'Your payment is confirmed. The listing isn’t shown right now, so it is on no board.'
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
  // Never show more refunded than paid, whatever an event says.
  const refundedCents = Math.min(payment.refundedCents, paidCents)
  const lostCents = Math.min(payment.lostCents, paidCents)
  const disputedCents = Math.min(payment.disputedCents, paidCents) - lostCents
  return {
    heading: netCents > 0 ? 'Paid, and partly counted' : 'Paid, but no longer counted',
    body: (
      <>
        <p class="callout">
          Of the {dollars(paidCents)} you paid, <strong>{dollars(netCents)} counts</strong>
          {refundedCents > 0 && <>. {dollars(refundedCents)} was refunded</>}
          {disputedCents > 0 && <>. {dollars(disputedCents)} is in dispute</>}
          {lostCents > 0 && <>. {dollars(lostCents)} was lost in a dispute</>}.
        </p>
        {netCents > 0 && <OtherDay checkout={checkout} payment={payment} />}
      </>
    ),
  }
}

/** A payment made after the ordered day had ended. */
function OtherDay({ checkout, payment }: { checkout: Checkout; payment: PaidAmounts }) {
  const { board, createdAt } = checkout
  if (board === 'all' || utcDay(createdAt) === utcDay(payment.paidAt)) return null
  return (
    <p class="callout">
      You ordered a place on the board of <Day at={createdAt} />, but paid after that day had ended. Your
      payment counts on the board of{' '}
      <strong>
        <Day at={payment.paidAt} />
      </strong>
      , and on the board of all time.
    </p>
  )
}

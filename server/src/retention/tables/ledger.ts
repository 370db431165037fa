import { forgetChanges, forgetOldMarks, forgetPlacesTaken } from '../../boards/forget-places.ts'
import { forgetUnpaidOrders } from '../../checkout/forget-orders.ts'
import type { LedgerTables } from '../../storage/schema/ledger.ts'
import { FOR_GOOD, forDays, type Kept, LOOKED_UP_DAYS } from '../kept.ts'

export const LEDGER: Record<keyof LedgerTables, readonly Kept[]> = {
  checkout: [
    {
      what: 'An order that its payment processor has reported on',
      ...FOR_GOOD,
      why: 'It says what a payment was for.',
    },
    {
      what: 'An order that nobody paid',
      ...forDays(LOOKED_UP_DAYS, ' after it was made', forgetUnpaidOrders),
      why: 'Its payment page closed within hours, but a processor may tell of a payment weeks later.',
    },
  ],
  processor_event: [
    {
      what: 'What the payment processor reported about a payment',
      ...FOR_GOOD,
      why: 'It proves the boards.',
    },
  ],
  payment: [
    { what: 'A payment', ...FOR_GOOD, why: 'It counts on the boards, and can be refunded or disputed.' },
  ],
  settled_payment: [
    {
      what: 'What the operator did about a payment credited to nobody',
      ...FOR_GOOD,
      why: 'It is not shown as open again, unless the processor tells more of it.',
    },
  ],
  board_total: [
    {
      what: 'A total on a board, even of a past day',
      ...FOR_GOOD,
      why: 'Every past day has a page with its winners.',
    },
  ],
  board_count: [
    {
      what: 'Counts of destinations, which give the ranks',
      kept: 'until they reach zero',
      why: 'The totals determine them.',
    },
  ],
  board_change: [
    {
      what: 'A change of those counts',
      kept: 'until 1,000 newer ones follow',
      end: { days: 0, step: forgetChanges },
      why: 'Each instance follows them with the counts that it keeps in memory.',
    },
  ],
  board_mark: [
    {
      what: 'The top places of a board in some hour',
      ...forDays(7, ' at most', forgetOldMarks),
      why: 'Boards show who has risen or fallen since. Usually the next mark deletes them.',
    },
  ],
  place_taken: [
    {
      what: 'One of the first ten places of a board, when somebody took it',
      ...forDays(7, ' after it was taken', forgetPlacesTaken),
      why: 'Pages tell what moved on the boards.',
    },
  ],
}

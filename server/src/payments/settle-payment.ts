import { operatorNamed, recordDecision } from '../decisions/record.ts'
import type { ProcessorName } from '../storage/schema.ts'
import type { Store } from '../storage/store.ts'

/** What came of settling a payment. `settlement` is the stored text: the first one, if it was settled before. */
export interface SettledPayment {
  processor: ProcessorName
  paymentId: string
  settlement: string
  settledBy: string
  changed: boolean
}

/**
 * Notes what an operator did at the processor about a payment credited to nobody, and records that. It moves no money, and
 * the payment stays credited to nobody. Of two at once, one settles it.
 *
 * @param by the operator's name
 * @returns undefined if no payment of that id is credited to nobody
 */
export function settlePayment(
  store: Store,
  paymentId: string,
  settlement: string,
  by: string,
  now: number,
): Promise<SettledPayment | undefined> {
  return store.transact(async trx => {
    const payment = await trx
      .selectFrom('payment')
      .select(['processor', 'paymentId', 'unplaced'])
      .where('paymentId', '=', paymentId)
      .where('unplaced', 'is not', null)
      .executeTakeFirst()
    if (!payment?.unplaced) return undefined
    const { processor, unplaced } = payment
    const { events } = await trx
      .selectFrom('processor_event')
      .select(eb => eb.fn.countAll<number | string>().as('events'))
      .where('processor', '=', processor)
      .where('paymentId', '=', paymentId)
      .executeTakeFirstOrThrow()
    const values = { settledAt: now, settledBy: by, settlement, events: Number(events) }
    const put = await trx
      .insertInto('settled_payment')
      .values({ processor, paymentId, ...values })
      .onConflict(conflict =>
        conflict
          .columns(['processor', 'paymentId'])
          .doUpdateSet(values)
          .where('settled_payment.events', '<', values.events),
      )
      .returning('settledAt')
      .executeTakeFirst()
    const changed = put !== undefined
    if (changed) {
      await recordDecision(trx, {
        ...{ kind: 'settle_payment', ground: 'rules/payments', reason: unplaced, actor: operatorNamed(by) },
        ...{ facts: { explanation: settlement, processor, paymentId }, at: now },
      })
    }
    const stored = await trx
      .selectFrom('settled_payment')
      .select(['settlement', 'settledBy'])
      .where('processor', '=', processor)
      .where('paymentId', '=', paymentId)
      .executeTakeFirstOrThrow()
    return { processor, paymentId, ...stored, changed }
  })
}

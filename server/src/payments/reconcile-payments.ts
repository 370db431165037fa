import { sql } from 'kysely'
import type { ProcessorName } from '../storage/schema.ts'
import type { Db } from '../storage/store.ts'
import { PROCESSOR_NAMES } from './livemode.ts'
import { type Payment, type PaymentId, paidEventOf, paymentFrom } from './payment.ts'

/** Something that is stored and is not what follows from the facts; or that follows and is not stored. */
export interface Difference {
  what: 'payment' | 'board total' | 'board count' | 'end of listing'
  /** Which one and how, for a person to look into. */
  detail: string
}

/** How many payments to compare at a time, so that memory does not grow with their number. */
const CHUNK = 500

/** Recomputes every payment from its events, and compares it with the stored one. */
export async function comparePayments(
  db: Db,
  differencesMax: number,
): Promise<{ differences: Difference[]; compared: number }> {
  const differences: Difference[] = []
  let compared = 0
  for (const processor of PROCESSOR_NAMES) {
    let after = ''
    for (;;) {
      const ids = await nextIds(db, processor, after)
      const last = ids.at(-1)
      if (last === undefined) break
      differences.push(...(await compareChunk(db, processor, ids)))
      compared += ids.length
      after = last
    }
  }
  return { differences: differences.slice(0, differencesMax), compared }
}

/** Ids of payments that are stored or have events, in order. */
async function nextIds(db: Db, processor: ProcessorName, after: string): Promise<string[]> {
  // A limit for each half, or every chunk would read everything that is left.
  const { rows } = await sql<{ paymentId: string }>`
    select "paymentId" from (
      select "paymentId" from (
        select "paymentId" from payment
        where processor = ${processor} and "paymentId" > ${after} order by "paymentId" limit ${CHUNK}
      ) as stored
      union
      select "paymentId" from (
        select distinct "paymentId" from processor_event
        where processor = ${processor} and "paymentId" > ${after} and kind not in ('pending', 'failed')
        order by "paymentId" limit ${CHUNK}
      ) as named
    ) as ids order by "paymentId" limit ${CHUNK}`.execute(db)
  return rows.map(row => row.paymentId)
}

async function compareChunk(db: Db, processor: ProcessorName, ids: string[]): Promise<Difference[]> {
  const stored = await db
    .selectFrom('payment')
    .selectAll()
    .where('processor', '=', processor)
    .where('paymentId', 'in', ids)
    .execute()
  const events = await db
    .selectFrom('processor_event')
    .selectAll()
    .where('processor', '=', processor)
    .where('paymentId', 'in', ids)
    .where('kind', 'not in', ['pending', 'failed'])
    .execute()
  const checkouts = await db
    .selectFrom('checkout')
    .select(['id', 'sessionId', 'destinationKey'])
    .where('processor', '=', processor)
    .where('id', 'in', [...new Set(events.flatMap(event => event.checkoutId ?? [])), ''])
    .execute()
  const eventsOf = Map.groupBy(events, event => event.paymentId)
  const checkoutOf = new Map(checkouts.map(checkout => [checkout.id, checkout]))
  const paymentOf = new Map(stored.map(payment => [payment.paymentId, payment]))
  const differences = ids.map(paymentId => {
    const its = eventsOf.get(paymentId) ?? []
    const checkout = checkoutOf.get(paidEventOf(its)?.checkoutId ?? '')
    const id: PaymentId = { processor, paymentId }
    const derived = its.length > 0 ? paymentFrom(id, its, checkout) : undefined
    const kept = paymentOf.get(paymentId)
    if (kept && derived && isSame(kept, derived)) return []
    const detail = `stored ${JSON.stringify(kept)}, but its events give ${JSON.stringify(derived)}`
    return [{ what: 'payment' as const, detail }]
  })
  return differences.flat()
}

/** A newer version of the service may have added columns that this one does not know. */
const isSame = (kept: Payment, derived: Payment): boolean =>
  (Object.keys(derived) as (keyof Payment)[]).every(column => kept[column] === derived[column])

import { MINIMUM_CHARGE_CENTS } from '@placard/contract'
import { sql } from 'kysely'
import type { ProcessorName } from '../../platform/config/outside-services.ts'
import type { Db } from '../../platform/db/store.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import { daysMs } from '../../platform/lib/time.ts'
import type { RecordedPlace } from '../boards/places-taken.ts'
import { type Payment, type PaymentId, paidEventOf, paymentFrom } from './payment.ts'
import { PROCESSOR_NAMES } from './processors.ts'

/** A stored value that does not follow from the facts, or a value that follows and is not stored. */
export interface Difference {
  what: 'payment' | 'order amount' | 'board total' | 'board count' | 'board change' | 'place taken' | 'end of listing'
  /** Which value and how, for a person. */
  detail: string
}

/** How many payments to compare at a time, so that memory use does not grow with their number. */
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

/** Returns ids of payments that are stored or have events, in order. */
async function nextIds(db: Db, processor: ProcessorName, after: string): Promise<string[]> {
  // Each half has a limit. Otherwise, every chunk would read all remaining rows.
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
    .select(['id', 'sessionId', 'destinationKey', 'processor'])
    // Without a condition on the processor: SQLite would read all of its orders, by the index of sessions.
    .where('id', 'in', [...new Set(events.flatMap(event => event.checkoutId ?? [])), ''])
    .execute()
  const eventsOf = Map.groupBy(events, event => event.paymentId)
  const ours = checkouts.filter(checkout => checkout.processor === processor)
  const checkoutOf = new Map(ours.map(checkout => [checkout.id, checkout]))
  const paymentOf = new Map(stored.map(payment => [payment.paymentId, payment]))
  const differences = ids.map(paymentId => {
    const its = eventsOf.get(paymentId) ?? []
    const checkout = checkoutOf.get(paidEventOf(its)?.checkoutId ?? '')
    const id: PaymentId = { processor, paymentId }
    const derived = its.length > 0 ? paymentFrom(id, its, checkout) : undefined
    const kept = paymentOf.get(paymentId)
    const difference = differenceOf(kept, derived)
    return difference ? [{ what: 'payment' as const, detail: `${processor} ${paymentId}: ${difference}` }] : []
  })
  return differences.flat()
}

/** Returns how a payment differs from what its events give; undefined if it does not. */
function differenceOf(kept: Payment | undefined, derived: Payment | undefined): string | undefined {
  if (!derived) return `stored, but no event is about it: ${rowText(kept)}`
  if (!kept) return `not stored, but its events give ${rowText(derived)}`
  // Only those that this version knows: a newer one may have added columns.
  const columns = (Object.keys(derived) as (keyof Payment)[]).filter(column => kept[column] !== derived[column])
  if (columns.length === 0) return undefined
  const of = (payment: Payment) => rowText(Object.fromEntries(columns.map(column => [column, payment[column]])))
  return `stored ${of(kept)}, but its events give ${of(derived)}`
}

/** Returns the values of a row as text: netCents 500, day 2026-10-01. */
export const rowText = (row: object = {}): string =>
  Object.entries(row)
    .map(([name, value]) => `${name} ${value === '' ? '(empty)' : (value ?? 'none')}`)
    .join(', ')

/**
 * Compares the amounts of orders with what the processor says was paid or is on its way: it charges exactly that. An
 * order that is still open can only be checked against the bounds of its target.
 */
export async function compareOrders(db: Db, differencesMax: number): Promise<Difference[]> {
  const { rows } = await sql<object>`
    select checkout.id, checkout."amountCents", event."eventId", event."amountCents" as "processorCents"
    from processor_event as event join checkout
      on checkout.id = event."checkoutId" and checkout."sessionId" = event."sessionId"
        and checkout.processor = event.processor
    where event.kind in ('paid', 'pending') and event.currency = 'usd'
      and event."amountCents" <> checkout."amountCents"
    union all
    select id, "amountCents", null, null from checkout
    where "amountCents" < ${MINIMUM_CHARGE_CENTS} or "amountCents" > 100 * "targetBid"
    limit ${differencesMax}`.execute(db)
  return rows.map(row => ({
    what: 'order amount',
    detail: `stored, but its target or the processor says otherwise: ${rowText(row)}`,
  }))
}

/** Shorter than the retention, so that deletion and clock differences cause no difference. */
const PLACES_COMPARED_MS = daysMs(7) - 3_600_000

/** Compares recently taken places with those stored with the events of the payments. */
export async function comparePlacesTaken(db: Db, now: number): Promise<Difference[]> {
  const since = now - PLACES_COMPARED_MS
  const events = await db
    .selectFrom('processor_event')
    .select(['receivedAt', 'took'])
    .where('receivedAt', '>=', since)
    .where('kind', '=', 'paid')
    .where(({ or, eb }) => or([eb('took', 'is', null), eb('took', '<>', '[]')]))
    .execute()
  const stored = await db.selectFrom('place_taken').selectAll().where('at', '>=', since).execute()
  // An older version of the service stores no place with the event.
  const unknownAt = new Set(events.filter(({ took }) => took === null).map(({ receivedAt }) => receivedAt))
  const derived = events.flatMap(({ receivedAt, took }) =>
    took === null ? [] : (JSON.parse(took) as RecordedPlace[]).map(place => ({ ...place, at: receivedAt })),
  )
  // If two events have the same millisecond, the row is the later one's.
  const places = new Set(derived.map(textOf))
  const [keys, storedKeys] = [new Set(derived.map(keyOf)), new Set(stored.map(keyOf))]
  return [
    ...stored
      .filter(place => !places.has(textOf(place)) && !(unknownAt.has(place.at) && !keys.has(keyOf(place))))
      .map(place => differing('stored, but no event took it so:', place)),
    ...derived
      .filter(place => !storedKeys.has(keyOf(place)))
      .map(place => differing('taken by an event, but not stored:', place)),
  ]
}

const keyOf = ({ board, at, destinationKey }: Database['place_taken']) => JSON.stringify([board, at, destinationKey])
const textOf = (place: Database['place_taken']) => JSON.stringify([keyOf(place), place.rank, place.totalCents])
const differing = (how: string, place: Database['place_taken']): Difference => ({
  what: 'place taken',
  detail: `${how} ${rowText(place)}`,
})

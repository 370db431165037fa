import type { Selectable } from 'kysely'
import type { ToldTable } from '../storage/schema.ts'
import type { Db, Store } from '../storage/store.ts'
import { utcDay } from '../time.ts'
import type { Message } from './message.ts'

export type State = Selectable<ToldTable>
export type ChannelName = State['channel']

/** A message to send now. Nobody else sends it before the lease is over. */
export interface Leased {
  channel: ChannelName
  message: Message
  messageAt: number
  attempts: number
  tryAt: number
}

const MINUTE_MS = 60_000
/** Longer than any delivery takes. If the process dies meanwhile, the message is sent again then. */
const LEASE_MS = 2 * MINUTE_MS

/** The state of a channel. A new one begins now: what waits already is in the next digest. */
export async function readState(store: Store, channel: ChannelName, now: number): Promise<State> {
  const known = await find(store.db, channel)
  if (known) return known
  await store.transact(async trx =>
    trx
      .insertInto('told')
      .values({
        ...{ channel, toldPosition: await chainedUpTo(trx), toldTime: now, digestDay: utcDay(now) },
        ...{ message: null, messageAt: null, tryAt: now },
      })
      .onConflict(conflict => conflict.column('channel').doNothing())
      .execute(),
  )
  return (await find(store.db, channel)) ?? readState(store, channel, now)
}

const find = (db: Db, channel: ChannelName) =>
  db.selectFrom('told').selectAll().where('channel', '=', channel).executeTakeFirst()

/** The last place in the chain of decisions. */
export async function chainedUpTo(db: Db): Promise<number> {
  const head = await db
    .selectFrom('decision_chain')
    .select(eb => eb.fn.max('position').as('position'))
    .executeTakeFirst()
  return Number(head?.position ?? 0)
}

/**
 * Stores a new message with what it tells, and leases it.
 *
 * @returns undefined if another process was faster
 */
export function begin(
  store: Store,
  state: State,
  message: Message,
  told: Partial<Pick<State, 'toldPosition' | 'toldTime' | 'digestDay'>>,
  now: number,
): Promise<Leased | undefined> {
  const fresh = { ...told, message: JSON.stringify(message), messageAt: now }
  return lease(store, state, { message, messageAt: now, attempts: 1 }, fresh, now)
}

/** Leases the stored message again. @returns undefined if another process was faster */
export function resume(
  store: Store,
  state: State & { message: string; messageAt: number },
  now: number,
): Promise<Leased | undefined> {
  const { message, messageAt, attempts } = state
  return lease(
    store,
    state,
    { message: JSON.parse(message) as Message, messageAt, attempts: attempts + 1 },
    {},
    now,
  )
}

async function lease(
  store: Store,
  { channel, tryAt }: State,
  leased: Pick<Leased, 'message' | 'messageAt' | 'attempts'>,
  fresh: Partial<State>,
  now: number,
): Promise<Leased | undefined> {
  const until = now + LEASE_MS
  const { numUpdatedRows } = await store.transact(trx =>
    trx
      .updateTable('told')
      .set({ ...fresh, attempts: leased.attempts, tryAt: until })
      .where('channel', '=', channel)
      // Whoever was faster has moved it.
      .where('tryAt', '=', tryAt)
      .executeTakeFirst(),
  )
  return numUpdatedRows > 0n ? { ...leased, channel, tryAt: until } : undefined
}

/** Ends a message that was sent or given up, or keeps it for another attempt. */
export async function settle(
  store: Store,
  { channel, tryAt }: Pick<Leased, 'channel' | 'tryAt'>,
  next: { tryAt: number; isOver: boolean },
): Promise<void> {
  await store.transact(trx =>
    trx
      .updateTable('told')
      .set({ tryAt: next.tryAt, ...(next.isOver && { message: null, messageAt: null, attempts: 0 }) })
      .where('channel', '=', channel)
      .where('tryAt', '=', tryAt)
      .execute(),
  )
}

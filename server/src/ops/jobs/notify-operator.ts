import type { Selectable } from 'kysely'
import { itemWords } from '../../domain/moderation/findings.ts'
import { type Channel, type ChannelName, channelsOf } from '../../domain/notifications/operator/channels.ts'
import { digestMessage, isDigestDue, type Message, newsMessage } from '../../domain/notifications/operator/message.ts'
import { type Covered, newBetween } from '../../domain/notifications/operator/waiting.ts'
import { DueQueue } from '../../platform/db/due-queue.ts'
import type { Db, Store } from '../../platform/db/store.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, utcDay } from '../../platform/lib/time.ts'
import type { JobDefinition, JobDependencies } from './job.ts'

/** The shortest time between two messages of a channel. Items that appear during this time are in the second one. */
const BETWEEN_MS = 5 * MINUTE_MS

/** Items without a position are sent this much later, because a transaction can commit after its timestamp. */
const SETTLED_MS = MINUTE_MS

/** After the first failed attempt, the second, and so on; the last one after all later attempts. */
const RETRY_WAITS_MS = [MINUTE_MS / 2, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS] as const

/** An older message is dropped. The digest has those of its items that are still pending. */
const GIVE_UP_MS = DAY_MS

/** Longer than any delivery takes. If the process dies before, the message is sent again when the lease ends. */
const LEASE_MS = 2 * MINUTE_MS

/** The two jobs differ only in their channels. */
const notifyBy = (name: 'webhook' | 'mail', does: string): JobDefinition<'config' | 'links' | 'clock' | 'log'> => ({
  name: `tell-${name}`,
  does,
  everyMs: 5 * SECOND_MS,
  isOn: ({ notifications }) => notifications[name] !== undefined,
  start({ config, links, clock, log }) {
    const notifiers = channelsOf(config.notifications, links)[name].map(
      (channel): Notifier => ({
        channel,
        links,
        clock,
        log,
        isFailing: false,
        nothingUpTo: NOTHING,
      }),
    )
    return async ({ store, signal }) => {
      const results = await Promise.allSettled(notifiers.map(notifier => notify(notifier, store, signal)))
      for (const result of results) if (result.status === 'rejected') throw result.reason
    }
  },
})

export const mailOperator = notifyBy('mail', 'mails the operator')
export const postToOperator = notifyBy('webhook', 'posts to the operator')

const NOTHING: Covered = { position: 0, time: 0 }

interface Notifier extends Pick<JobDependencies, 'links' | 'clock' | 'log'> {
  channel: Channel
  /** Whether the last attempt failed. A failure is logged only once, however long it lasts. */
  isFailing: boolean
  /** Up to here, there was nothing new. This saves most runs their queries. */
  nothingUpTo: Covered
}

/**
 * Notifies the operator by one channel of pending items, and sends a digest each day. The database records what was
 * sent, and which process is sending. After a crash, one message may be sent again, with the same id.
 *
 * @param signal aborts the attempt; it is repeated later
 */
async function notify(notifier: Notifier, store: Store, signal: AbortSignal): Promise<void> {
  const now = notifier.clock()
  if (notifier.nothingUpTo.time > now) notifier.nothingUpTo = NOTHING
  const state = await readState(store, notifier.channel, now)
  if (state.tryAt > now) return
  const leased = await leaseNext(notifier, store, state, now)
  if (leased && !signal.aborted) await send(notifier, store, leased, signal)
}

/** Leases the stored message, or a new one. @returns undefined if there is none, or another process sends it */
async function leaseNext(notifier: Notifier, store: Store, state: State, now: number): Promise<Leased | undefined> {
  const { links, log } = notifier
  const { channel, message, messageAt, attempts, tryAt } = state
  if (message !== null && messageAt !== null) {
    if (now - messageAt < GIVE_UP_MS) return lease(store, state, JSON.parse(message), { attempts: attempts + 1 }, now)
    log.warn({ channel }, 'dropped a message to the operator after a day')
    await settle(store, { channel, tryAt }, { tryAt: now, isOver: true })
    return undefined
  }
  const isNew = { messageAt: now, attempts: 1 }
  if (isDigestDue(state.digestDay, now)) {
    return lease(store, state, await digestMessage(store.db, links, now), { ...isNew, digestDay: utcDay(now) }, now)
  }
  const position = await lastPosition(store.db)
  // The database went back to an earlier state: new decisions get the positions of those that are gone.
  const nothingUpTo = notifier.nothingUpTo.position > position ? NOTHING : notifier.nothingUpTo
  const from = {
    position: Math.max(state.toldPosition, nothingUpTo.position),
    time: Math.max(state.toldTime, nothingUpTo.time),
  }
  const to = { position, time: Math.max(from.time, now - SETTLED_MS) }
  const news = await newBetween(store.db, from, to)
  if (news.length === 0) {
    notifier.nothingUpTo = to
    return undefined
  }
  const covered = { toldPosition: to.position, toldTime: to.time }
  return lease(store, state, newsMessage(news, itemWords, links, now), { ...isNew, ...covered }, now)
}

async function send(notifier: Notifier, store: Store, leased: Leased, signal: AbortSignal): Promise<void> {
  const { channel, clock, log } = notifier
  const about = { channel: channel.name, id: leased.message.id }
  try {
    await channel.send(leased.message, clock(), signal)
  } catch (error) {
    // The message is sent again when the lease ends.
    if (signal.aborted) return
    if (!notifier.isFailing) {
      log.warn({ ...about, why: reasonOf(error) }, 'could not notify an operator; will retry')
    }
    notifier.isFailing = true
    const waitMs = RETRY_WAITS_MS[leased.attempts - 1] ?? RETRY_WAITS_MS[4]
    return settle(store, leased, { tryAt: clock() + waitMs, isOver: false })
  }
  if (notifier.isFailing) log.info(about, 'operators can be notified again')
  notifier.isFailing = false
  await settle(store, leased, { tryAt: clock() + BETWEEN_MS, isOver: true })
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message}: ${cause.message}` : message
}

type State = Selectable<Database['told']>

/** A message to send now. No other process sends it before the lease ends. */
interface Leased extends Pick<State, 'channel' | 'attempts' | 'tryAt'> {
  message: Message
}

const messages = new DueQueue({ table: 'told', key: 'channel', dueAt: 'tryAt' })

/**
 * Reads the state of a channel. For a new channel, it begins now: what is pending already is in the next digest. It also
 * begins again after the clock was set back, or what follows would not be new until the former time.
 */
async function readState(
  store: Store,
  { name, formerName }: Pick<Channel, 'name' | 'formerName'>,
  now: number,
): Promise<State> {
  const known = await find(store.db, name)
  if (known && known.toldTime <= now) return known
  if (known) {
    const again = { toldTime: now - SETTLED_MS, tryAt: now }
    await store.transact(trx => messages.settle(trx, known, again))
    return { ...known, ...again }
  }
  await store.transact(async trx => {
    if (formerName) await trx.updateTable('told').set({ channel: name }).where('channel', '=', formerName).execute()
    await trx
      .insertInto('told')
      .values({
        channel: name,
        toldPosition: await lastPosition(trx),
        toldTime: now,
        digestDay: utcDay(now),
        message: null,
        messageAt: null,
        tryAt: now,
      })
      .onConflict(conflict => conflict.column('channel').doNothing())
      .execute()
  })
  return (await find(store.db, name)) ?? readState(store, { name }, now)
}

const find = (db: Db, channel: ChannelName) =>
  db.selectFrom('told').selectAll().where('channel', '=', channel).executeTakeFirst()

async function lastPosition(db: Db): Promise<number> {
  const head = await db.selectFrom('log_head').select('size').executeTakeFirst()
  return Number(head?.size ?? 1) - 1
}

/**
 * Stores a message and what it covers, and leases it.
 *
 * @returns undefined if another process was faster
 */
async function lease(
  store: Store,
  { channel, tryAt }: State,
  message: Message,
  changes: Partial<State> & { attempts: number },
  now: number,
): Promise<Leased | undefined> {
  const row = { ...changes, message: JSON.stringify(message), tryAt: now + LEASE_MS }
  const leased = await messages.lease(store, { channel, tryAt }, row)
  return leased && { ...leased, message }
}

/** Removes a message that was sent or dropped, or schedules its next attempt. */
async function settle(
  store: Store,
  { channel, tryAt }: Pick<State, 'channel' | 'tryAt'>,
  next: { tryAt: number; isOver: boolean },
): Promise<void> {
  const over = next.isOver && { message: null, messageAt: null, attempts: 0 }
  await store.transact(trx => messages.settle(trx, { channel, tryAt }, { tryAt: next.tryAt, ...over }))
}

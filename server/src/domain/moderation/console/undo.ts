import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Store } from '../../../platform/db/store.ts'
import { SECOND_MS, TEN_MINUTES_MS } from '../../../platform/lib/time.ts'
import { groundOf } from '../../decisions/grounds.ts'
import { lastAct, latestFirst, operatorNamed } from '../../decisions/record.ts'
import { findListing, type Listing } from '../../listings/listing.ts'
import { blockHost, type HostRange, unblockHost } from '../../review/reviewers/blocked-hosts.ts'
import { textIn } from '../appeals/statement.ts'
import { undoTerm } from '../end-dates.ts'
import { reopenFinding } from '../findings.ts'
import { hideListing, hiderOf, type Moderator, restoreListing } from '../moderate.ts'
import { reopenSettled } from '../settle-reports.ts'
import type { Act, Acted } from './act.ts'
import type { ConsoleSession } from './sessions.ts'

/**
 * Undoes a session's last action: restores what it hid, hides what it restored, reopens what it settled, resets the end
 * of a listing, and ends or renews the block of a host. If another operator has acted on a listing since, it stays.
 *
 * @returns undefined if that action is no longer the last one, or was undone
 */
export async function undo(
  store: Store,
  session: ConsoleSession,
  id: unknown,
  now: number,
): Promise<Omit<Done, 'id'> | undefined> {
  const done = doneIn(session)
  if (!done || done.id !== id || !canUndo(done)) return undefined
  const replace = (before: string | null, lastAct: string | null) =>
    store.transact(trx =>
      trx
        .updateTable('console_session')
        .set({ lastAct })
        .where('hash', '=', session.hash)
        .where('lastAct', '=', before)
        .executeTakeFirst(),
    )
  // Under another id before it is done, so that only one of two concurrent requests undoes it. If this process dies, the
  // next page offers to undo the rest.
  const begun = JSON.stringify({ ...done, id: randomUUID() })
  const { numUpdatedRows } = await replace(session.lastAct, begun)
  if (numUpdatedRows === 0n) return undefined
  try {
    const words = done.blocked && (await undoBlock(store, done, done.blocked, session.name, now))
    const acted: Acted[] = []
    for (const each of done.acted.filter(isSomething)) {
      const undone = await undoOne(store, done, each, session.name, now)
      if (undone) acted.push(undone)
    }
    await replace(begun, null)
    return { did: 'undo', at: now, acted, ...(words !== undefined && { words }) }
  } catch (error) {
    // The same form undoes the rest, which `undoOne` has left in it.
    await replace(begun, JSON.stringify(done))
    throw error
  }
}

/** How many reports are reopened in one transaction. */
const AT_ONCE = 500

const EXPLANATION = 'Done by mistake, and undone'

/** @returns the result, as text */
async function undoBlock(
  store: Store,
  { did }: Done,
  { host, subdomains, reason, decisionId }: NonNullable<Done['blocked']>,
  name: string,
  now: number,
): Promise<string> {
  if (did === 'block') {
    const ended = await unblockHost(store, host, EXPLANATION, name, now, decisionId)
    return ended ? `${host} is no longer blocked.` : `The block of ${host} had been ended before.`
  }
  const first = await store.db
    .selectFrom('decision')
    .select('ground')
    .where('id', '=', decisionId)
    .executeTakeFirstOrThrow()
  const ground = groundOf(first.ground).id
  const { changed } = await blockHost(store, { host, subdomains }, reason, { name, ground }, now)
  return changed ? `${host} is blocked again.` : `${host} had been blocked again before.`
}

async function undoOne(
  store: Store,
  { did }: Done,
  each: Acted,
  name: string,
  now: number,
): Promise<Acted | undefined> {
  const { slug, title, changed, endsAt, reports, findings, last } = each
  const listing = await findListing(store.db, slug)
  if (!listing) return undefined
  const since = await lastAct(store.db, listing.id)
  if (since && since.id !== last) {
    return { slug, title, changed: false, reports: [], findings: [], last: since.id, first: since }
  }
  const actor = operatorNamed(name)
  const by = { actor, seen: last }
  let isUndone = false
  if (changed && endsAt !== undefined) {
    isUndone = (await undoTerm(store, slug, endsAt, EXPLANATION, now, by))?.changed ?? false
  } else if (changed && did === 'restore') {
    isUndone = await hideAgain(store, listing, now, by)
  } else if (changed) {
    isUndone = (await restoreListing(store, slug, EXPLANATION, now, by))?.changed ?? false
  }
  const leave = async (rest: Partial<Acted>) =>
    Object.assign(each, rest, { last: (await lastAct(store.db, listing.id))?.id ?? null })
  await leave({ changed: false })
  // Thousands in one transaction would block all others.
  for (let from = 0; from < reports.length; from += AT_ONCE) {
    await reopenSettled(store, reports.slice(from, from + AT_ONCE), EXPLANATION, now, actor)
    await leave({ reports: reports.slice(from + AT_ONCE) })
    await setImmediate()
  }
  for (const [nth, id] of findings.entries()) {
    await reopenFinding(store, id, EXPLANATION, now, actor)
    await leave({ findings: findings.slice(nth + 1) })
  }
  return { slug, title, changed: isUndone, reports, findings, last: each.last }
}

/** Hides a restored listing for the reason for which it had been hidden, which its owner reads. */
async function hideAgain(
  store: Store,
  { id, slug }: Listing,
  now: number,
  by: Pick<Moderator, 'actor' | 'seen'>,
): Promise<boolean> {
  const before = await store.db
    .selectFrom('decision')
    .selectAll()
    .where('listingId', '=', id)
    // Repeats the condition of the index, which excludes publications.
    .where('kind', '<>', 'accept')
    .where('kind', '=', 'hide')
    .orderBy(latestFirst())
    .limit(1)
    .executeTakeFirst()
  const why = (before && textIn(before, 'explanation')) ?? EXPLANATION
  const reason = before && {
    ground: groundOf(before.ground).id,
    reason: before.reason,
    hiddenBy: hiderOf(before.actor),
    facts: { undone: by.seen },
    about: before.id,
  }
  const hidden = await hideListing(store, slug, why, now, { ...by, ...reason })
  return hidden?.changed ?? false
}

/** A session's last action, as its next page shows it. */
export interface Done {
  id: string
  /** `say`: something that cannot be undone, or no action. */
  did: Act | 'end' | 'extend' | 'block' | 'unblock' | 'undo' | 'say'
  at: number
  acted: Acted[]
  /** The result, as text. */
  words?: string
  /** The host that was blocked, with the decision, or that was unblocked. */
  blocked?: HostRange & { reason: string; decisionId: string }
}

/**
 * Stores what was done, so that the next page can show it and offer to undo it. If a form is sent twice, the second
 * request changes nothing, and what the first one did stays stored. So does the last action after one that did nothing.
 */
export async function rememberAct(
  store: Store,
  { hash }: Pick<ConsoleSession, 'hash'>,
  done: Omit<Done, 'id'>,
): Promise<void> {
  const kept: Done = { id: randomUUID(), ...done }
  await store.transact(async trx => {
    const session = await trx
      .selectFrom('console_session')
      .select('lastAct')
      .where('hash', '=', hash)
      .executeTakeFirst()
    const before = session && doneIn(session)
    if (before && isRepeat(kept, before)) return
    const isVain = kept.did !== 'say' && !kept.blocked && kept.acted.every(({ first }) => first)
    const stored = before && canUndo(before) && isVain ? beside(before, kept) : kept
    await trx
      .updateTable('console_session')
      .set({ lastAct: JSON.stringify(stored) })
      .where('hash', '=', hash)
      .execute()
  })
}

/** Returns an action that can still be undone, and what its page says about a later one that did nothing. */
const beside = (before: Done, { at, acted, words }: Done): Done => ({
  ...before,
  at,
  acted: [...before.acted.filter(({ first }) => !first), ...acted],
  words: [before.blocked && before.words, words].filter(Boolean).join(' '),
})

/** Returns whether an action came too late on every listing, each time after what the session itself did last. */
const isRepeat = ({ acted }: Done, before: Done): boolean =>
  acted.length > 0 &&
  acted.every(({ slug, last, first }) => first && before.acted.some(own => own.slug === slug && own.last === last))

const doneIn = ({ lastAct: kept }: Pick<ConsoleSession, 'lastAct'>): Done | undefined =>
  kept === null ? undefined : (JSON.parse(kept) as Done)

/** For how long the console's pages offer to undo an action. */
const UNDO_MS = TEN_MINUTES_MS
/** For how long they confirm an action that can't be undone: only the page that follows it shows the message. */
const CONFIRM_MS = 30 * SECOND_MS

/** Returns what a session did just now. */
export function justDoneIn(session: ConsoleSession, now: number): Done | undefined {
  const done = doneIn(session)
  return done && now - done.at < (canUndo(done) ? UNDO_MS : CONFIRM_MS) ? done : undefined
}

/** Returns whether an action changed something, and can be undone. */
export const canUndo = ({ did, acted, blocked }: Done): boolean =>
  did !== 'undo' && did !== 'say' && (blocked !== undefined || acted.some(isSomething))

/** Returns whether an action changed anything. */
const isSomething = ({ changed, reports, findings }: Acted): boolean =>
  changed || reports.length > 0 || findings.length > 0

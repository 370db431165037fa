import { randomUUID } from 'node:crypto'
import { reopenFinding } from '../continuity/findings.ts'
import { lastAct } from '../decisions/last-act.ts'
import { operatorNamed } from '../decisions/record.ts'
import { findListing } from '../listings/listing.ts'
import { hideListing, restoreListing } from '../moderation/moderate.ts'
import { reopenSettled } from '../moderation/reports.ts'
import type { Store } from '../storage/store.ts'
import type { Act, Acted } from './act.ts'
import type { ConsoleSession } from './entry.ts'

/** What a session did last, as its next page tells it. */
export interface Done {
  id: string
  did: Act | 'undo' | 'decide'
  at: number
  acted: Acted[]
  /** Of an appeal: what came of it, in words. */
  words?: string
}

/** Remembers what was done, so that the next page can tell it and offer to undo it. */
export async function rememberAct(
  store: Store,
  { hash }: Pick<ConsoleSession, 'hash'>,
  done: Omit<Done, 'id'>,
): Promise<void> {
  const kept: Done = { id: randomUUID(), ...done }
  await store.transact(trx =>
    trx
      .updateTable('console_session')
      .set({ lastAct: JSON.stringify(kept) })
      .where('hash', '=', hash)
      .execute(),
  )
}

/** What a session did last. */
const doneIn = ({ lastAct: kept }: ConsoleSession): Done | undefined =>
  kept === null ? undefined : (JSON.parse(kept) as Done)

/** For how long pages tell it. */
const TOLD_MS = 10 * 60 * 1000

/** What a session did just now. */
export function justDoneIn(session: ConsoleSession, now: number): Done | undefined {
  const done = doneIn(session)
  return done && now - done.at < TOLD_MS ? done : undefined
}

/** Whether it is the kind of thing that can be undone, and anything was done. */
export const canUndo = ({ did, acted }: Done): boolean =>
  did !== 'undo' && did !== 'decide' && acted.some(isSomething)

const isSomething = ({ changed, reports, findings }: Acted) =>
  changed || reports.length > 0 || findings.length > 0

/**
 * Undoes what a session did last: restores what it hid, hides what it restored, and opens what it settled. A listing that
 * somebody has acted on since stays as it is.
 *
 * @returns undefined if that act is not the last one any more, or was undone
 */
export async function undo(
  store: Store,
  session: ConsoleSession,
  id: unknown,
  now: number,
): Promise<Omit<Done, 'id'> | undefined> {
  const done = doneIn(session)
  if (!done || done.id !== id || !canUndo(done)) return undefined
  // Taken before it is done: of two at once, one undoes it.
  const { numUpdatedRows } = await store.transact(trx =>
    trx
      .updateTable('console_session')
      .set({ lastAct: null })
      .where('hash', '=', session.hash)
      .where('lastAct', '=', session.lastAct)
      .executeTakeFirst(),
  )
  if (numUpdatedRows === 0n) return undefined
  const acted: Acted[] = []
  for (const each of done.acted.filter(isSomething)) {
    const undone = await undoOne(store, done.did as Act, each, session.name, now)
    if (undone) acted.push(undone)
  }
  return { did: 'undo', at: now, acted }
}

const EXPLANATION = 'Done by mistake, and undone'

async function undoOne(
  store: Store,
  did: Act,
  { slug, title, changed, reports, findings, last }: Acted,
  name: string,
  now: number,
): Promise<Acted | undefined> {
  const listing = await findListing(store.db, slug)
  if (!listing) return undefined
  const since = await lastAct(store.db, listing.id)
  if (since && since.id !== last) {
    return { slug, title, changed: false, reports: [], findings: [], last: since.id, first: since }
  }
  const actor = operatorNamed(name)
  const by = { actor, seen: last }
  const moderate = did === 'hide' ? restoreListing : hideListing
  const moderated = changed ? await moderate(store, slug, EXPLANATION, now, by) : undefined
  await reopenSettled(store, reports, EXPLANATION, now, actor)
  for (const id of findings) await reopenFinding(store, id)
  const latest = await lastAct(store.db, listing.id)
  return { slug, title, changed: moderated?.changed ?? false, reports, findings, last: latest?.id ?? null }
}

import { randomUUID } from 'node:crypto'
import type { HostRange } from '../review/blocked-hosts.ts'
import type { Store } from '../storage/store.ts'
import type { Act, Acted } from './act.ts'
import type { ConsoleSession } from './entry.ts'

/** What a session did last, as its next page tells it. */
export interface Done {
  id: string
  /** `say`: something that cannot be undone, or nothing at all. */
  did: Act | 'end' | 'extend' | 'block' | 'unblock' | 'undo' | 'say'
  at: number
  acted: Acted[]
  /** What came of it, in words. */
  words?: string
  /** Of a changed end: the end before. */
  endsAt?: number
  /** The host that was blocked, with the decision, or no longer is. */
  blocked?: HostRange & { reason: string; decisionId: string }
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
export const doneIn = ({ lastAct: kept }: ConsoleSession): Done | undefined =>
  kept === null ? undefined : (JSON.parse(kept) as Done)

/** For how long pages tell it. */
const TOLD_MS = 10 * 60 * 1000

/** What a session did just now. */
export function justDoneIn(session: ConsoleSession, now: number): Done | undefined {
  const done = doneIn(session)
  return done && now - done.at < TOLD_MS ? done : undefined
}

/** Whether it is the kind of thing that can be undone, and anything was done. */
export const canUndo = ({ did, acted, blocked }: Done): boolean =>
  did !== 'undo' && did !== 'say' && (blocked !== undefined || acted.some(isSomething))

/** Whether an act has done anything. */
export const isSomething = ({ changed, reports, findings }: Acted): boolean =>
  changed || reports.length > 0 || findings.length > 0

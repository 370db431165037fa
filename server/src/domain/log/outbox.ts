import type { LogEntry } from '@placard/contract/log'
import type { Selectable } from 'kysely'
import { statementOfRows } from '../../platform/db/statement.ts'
import type { Trx } from '../../platform/db/store.ts'
import type { LogTables } from '../../platform/db/tables/log.ts'

/** An effect on a board, or another event that the public log gets an entry for. */
export interface Effect extends Pick<LogEntry, 'kind' | 'board' | 'changeCents' | 'totalCents' | 'shown'> {
  at: number
  listingId?: number
  reachedAt?: number
  /** What only this kind has: fields of its entry. */
  extra?: Partial<LogEntry>
}

export type PendingEffect = Selectable<LogTables['log_outbox']>

/** Records effects in the transaction that causes them. A job gives them their entries, usually within a second. */
export async function noteEffects(trx: Trx, effects: readonly Effect[]): Promise<void> {
  if (effects.length > 0) await putEffects(trx, effects.map(rowOf))
}

const rowOf = ({ kind, at, board, listingId, changeCents, totalCents, reachedAt, shown, extra }: Effect) => ({
  at,
  kind,
  board: board ?? null,
  listingId: listingId ?? null,
  changeCents: changeCents ?? null,
  totalCents: totalCents ?? null,
  reachedAt: reachedAt ?? null,
  shown: shown === undefined ? null : Number(shown),
  extra: extra === undefined ? null : JSON.stringify(extra),
})

const putEffects = statementOfRows(
  {
    at: 'bigint',
    kind: 'text',
    board: 'text?',
    listingId: 'bigint?',
    changeCents: 'bigint?',
    totalCents: 'bigint?',
    reachedAt: 'bigint?',
    shown: 'bigint?',
    extra: 'text?',
  },
  (effects, db) => db.insertInto('log_outbox').values(effects),
)

export function entryOfEffect(
  { at, kind, board, listingId, changeCents, totalCents, reachedAt, shown, extra }: PendingEffect,
  place: Pick<LogEntry, 'index' | 'notBefore'>,
): LogEntry {
  return {
    ...place,
    time: new Date(at).toISOString(),
    kind,
    ...(board !== null && { board }),
    ...(listingId !== null && { listing: listingId }),
    ...(changeCents !== null && { changeCents }),
    ...(totalCents !== null && { totalCents }),
    ...(reachedAt !== null && totalCents !== 0 && { reachedAt: new Date(reachedAt).toISOString() }),
    ...(shown !== null && { shown: shown === 1 }),
    ...(extra !== null && JSON.parse(extra)),
  }
}

import { LATE_MAX_MS, type Replay } from '@placard/contract/log'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/store.ts'
import { counted as textOf } from '../../platform/lib/text.ts'
import { latestFirst } from '../decisions/record.ts'

/**
 * Finds a decision that is not in the log, or that names the entry of another one. A decision may wait for its entry,
 * for example while no instance runs, but not if it is older than the last time when nothing was pending.
 */
export async function findOutsideLog(db: Db, now: number): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select decision.id from decision left join log_entry as logged on logged.position = decision.position
    where (decision.position is null and at < ${now - LATE_MAX_MS}
        and at < (select "seenAt" from log_head) - ${sql.lit(LATE_MAX_MS)})
      or (decision.position is not null and (logged."decisionId" is null or logged."decisionId" <> decision.id))
    limit 1`.execute(db)
  return rows[0] && `decision ${rows[0].id} is not in the log`
}

/** Finds a wrong count. A decision is counted when it gets its entry, so counts and entries always agree. */
export async function findMiscounted(db: Db, counted: ReadonlyMap<string, number>): Promise<string | undefined> {
  const stored = await db.selectFrom('decision_count').selectAll().execute()
  const left = new Map(counted)
  for (const { decisions, ...count } of stored) {
    const key = [count.month, count.kind, count.reason].join(' ')
    const right = left.get(key) ?? 0
    left.delete(key)
    if (decisions !== right) return `the count of ${key} is ${decisions}, but there are ${textOf(right, 'decision')}`
  }
  const [missing] = left
  return missing && `the count of ${missing[0]} is missing: there are ${textOf(missing[1], 'decision')}`
}

/**
 * Finds a listing that is hidden or shown against its last decision. The position in the log decides which decision is
 * the last, because the clocks of instances may differ.
 */
export async function findUndecided(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ slug: string; hiddenAt: number | null }>`
    select slug, "hiddenAt" from listing where (case when "hiddenAt" is null then 0 else 1 end) <> (
      case coalesce((
        select kind from decision
        where decision."listingId" = listing.id and kind <> 'accept' and kind in ('hide', 'restore')
        order by ${latestFirst()} limit 1
      ), '') when 'hide' then 1 else 0 end
    ) limit 1`.execute(db)
  const [found] = rows
  if (!found) return undefined
  return found.hiddenAt === null
    ? `the listing ${found.slug} is shown, but a decision hid it and none restored it`
    : `the listing ${found.slug} is hidden without a decision`
}

/** Compares the totals of all boards with those that follow from the log. */
export async function findBoardFault(db: Db, replay: Replay): Promise<string | undefined> {
  const columns = ['board', 'listingId', 'totalCents', 'reachedAt', 'shown'] as const
  const rows = await db.selectFrom('board_total').select(columns).execute()
  const boards = Map.groupBy(rows, ({ board }) => board)
  for (const board of new Set(['all', ...replay.days(), ...boards.keys()])) {
    const byLog = new Map(replay.board(board).map(standing => [standing.listing, standing]))
    for (const { listingId, totalCents, reachedAt, shown } of boards.get(board) ?? []) {
      const logged = byLog.get(listingId)
      byLog.delete(listingId)
      const named = `the listing ${listingId} has ${totalCents} cents on the board ${board}`
      if (logged?.totalCents !== totalCents) return `${named}, but ${logged?.totalCents ?? 0} by the log`
      if (logged.reachedAt !== reachedAt) return `${named} since another time than by the log`
      // On past days, listings that were hidden later keep their places.
      const isWrong = board === 'all' && logged.shown !== (shown === 1)
      if (isWrong)
        return `${named}, ${shown === 1 ? 'and is shown there, but hidden' : 'and is hidden, but shown'} by the log`
    }
    const [missing] = byLog.values()
    if (missing)
      return `the listing ${missing.listing} has ${missing.totalCents} cents on the board ${board} by the log, but none there`
  }
  return undefined
}

/** Compares the listings that were drawn with those of the log. */
export async function findDrawFault(db: Db, replay: Replay): Promise<string | undefined> {
  const rows = await db.selectFrom('drawn_listing').selectAll().orderBy('day').orderBy('place').execute()
  const draws = Map.groupBy(rows, ({ day }) => day)
  for (const day of new Set([...draws.keys(), ...replay.draws().keys()])) {
    const stored = (draws.get(day) ?? []).map(({ listingId }) => listingId).join(', ')
    const logged = (replay.draws().get(day) ?? []).join(', ')
    if (stored !== logged)
      return `the listings drawn on ${day} are ${stored || 'none'}, but by the log ${logged || 'none'}`
    const draw = await db.selectFrom('draw').select('logSize').where('day', '=', day).executeTakeFirst()
    const fault = draw && replay.seedFault(day, draw.logSize)
    if (fault) return fault.charAt(0).toLowerCase() + fault.slice(1, -1)
  }
  return undefined
}

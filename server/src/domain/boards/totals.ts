import type { Board } from '@placard/contract'
import { type Selectable, sql } from 'kysely'
import { statement, statementOfRows } from '../../platform/db/statement.ts'
import type { Db, Runner, Trx } from '../../platform/db/store.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import type { EventKind } from '../../platform/db/tables/payments.ts'
import { daysMs, utcDay } from '../../platform/lib/time.ts'
import { type Effect, noteEffects } from '../log/outbox.ts'
import { count, type Move, type Place } from './rank.ts'

/** Returns the stored name of a board. Every UTC day has its own board, and `today` is the current one. */
export const boardKey = (board: Board, now: number): string => (board === 'all' ? 'all' : utcDay(now))

type BoardTotal = Selectable<Database['board_total']>

/** A destination that rose on a board. */
export interface Rise {
  board: string
  /** Undefined if it had no place. */
  before: Place | undefined
  after: Place
}

/** What a total takes from the listing of its destination. */
export type TotalledListing = Pick<Selectable<Database['listing']>, 'id' | 'destinationKey' | 'category' | 'hiddenAt'>

/** What counts of the payments of a destination on a UTC day. */
type DayTotal = Place & { day: string }

/** What a payment adds that did not count before, or the days of any other change. */
export type Changed = { added: DayTotal } | { days: readonly string[] }

/** What changed payments: the kind of the processor's event, and when it arrived. */
export interface Cause {
  kind: EventKind
  at: number
}

/**
 * Updates a destination's totals on `all` and on the boards of days, and moves it to its new places. What a payment adds
 * is added. After any other change, the totals are recomputed from all payments of the destination. Call it within
 * `changeLedger`.
 *
 * @returns its net total on `all`, in cents, and the boards on which it rose and has a place
 */
export async function settleTotals(
  trx: Trx,
  listing: TotalledListing,
  changed: Changed,
  cause: Cause,
): Promise<{ totalCents: number; rises: Rise[] }> {
  const { destinationKey } = listing
  const boards = ['all', ...('added' in changed ? [changed.added.day] : changed.days)]
  const before = await totalsOn(
    trx,
    boards.map(board => ({ board, destinationKey })),
  )
  const after =
    'added' in changed
      ? boards.map(board => totalOf(board, [...before.filter(old => old.board === board), changed.added], listing))
      : totalsOf(await paidFor(trx, { destinationKey }), listing).filter(total => boards.includes(total.board))
  await replaceTotals(trx, before, after)
  await noteEffects(trx, effectsOf(before, after, cause))
  return {
    totalCents: after.find(total => total.board === 'all')?.totalCents ?? 0,
    rises: risesOf(before, after),
  }
}

/** Returns what changed on each board, for the public log. */
function effectsOf(before: readonly BoardTotal[], after: readonly BoardTotal[], { kind, at }: Cause): Effect[] {
  // That of all time first.
  const boards = [...new Set([...before, ...after].map(({ board }) => board))].sort().reverse()
  return boards.flatMap(board => {
    const [old, total] = [before, after].map(totals => totals.find(each => each.board === board))
    const changeCents = (total?.totalCents ?? 0) - (old?.totalCents ?? 0)
    const isSame = changeCents === 0 && total?.reachedAt === old?.reachedAt && total?.shown === old?.shown
    const listingId = (total ?? old)?.listingId
    if (isSame || listingId === undefined) return []
    const reached = total && { reachedAt: total.reachedAt }
    const now = { totalCents: total?.totalCents ?? 0, ...reached, shown: total?.shown === 1 }
    return [{ kind: kindOf(kind, changeCents), at, board, listingId, changeCents, ...now }]
  })
}

function kindOf(kind: EventKind, changeCents: number): string {
  const isOfDispute = kind === 'disputed' || kind === 'dispute_won' || kind === 'dispute_lost'
  if (changeCents < 0) return isOfDispute ? 'disputed' : 'refunded'
  return isOfDispute ? 'won_back' : 'counted'
}

function risesOf(before: readonly BoardTotal[], after: readonly BoardTotal[]): Rise[] {
  return after.flatMap(total => {
    const old = before.find(({ board }) => board === total.board)
    if (!total.shown || total.totalCents <= (old?.totalCents ?? 0)) return []
    return [{ board: total.board, before: old && placeOf(old), after: placeOf(total) }]
  })
}

/**
 * Takes a destination off the boards when its listing is hidden, or puts it back when it is restored. Its money still
 * counts. It keeps its places on past days, so that hiding costs the same however many days were paid for. Pages of
 * past days leave out hidden listings. Call it within `changeLedger`.
 */
export async function showOnBoards(trx: Trx, destinationKey: string, shown: boolean, at: number): Promise<void> {
  const since = shown ? '' : await firstOpenDay(trx, at)
  const changed = await trx
    .updateTable('board_total')
    .set({ shown: Number(shown) })
    .where('destinationKey', '=', destinationKey)
    .where('shown', '<>', Number(shown))
    .where(
      'board',
      'in',
      sql<string>`(
        select 'all' union select day from payment where "destinationKey" = ${destinationKey} and day >= ${since}
      )`,
    )
    .returningAll()
    .execute()
  await count(
    trx,
    changed.map(total => ({ board: total.board, place: placeOf(total), by: shown ? 1 : -1 })),
  )
  const kind = shown ? 'placed' : 'left'
  await noteEffects(
    trx,
    changed.map(({ board, listingId, totalCents, reachedAt }) => ({
      ...{ kind, at, board, listingId, changeCents: 0, totalCents, reachedAt, shown },
    })),
  )
}

/** Moves the place of a destination to the board of another category. Needs the ledger lock. */
export async function moveToCategory(trx: Trx, destinationKey: string, category: string): Promise<void> {
  await trx
    .updateTable('board_total')
    .set({ category })
    .where('board', '=', 'all')
    .where('destinationKey', '=', destinationKey)
    .execute()
}

/**
 * The first day whose board may still be current: the day before the newest paid one, because no two clocks agree at
 * midnight, or before the present one, because a clock that was ahead may have dated a payment.
 */
async function firstOpenDay(trx: Trx, now: number): Promise<string> {
  const newest = await newestDay(trx)
  return newest === undefined ? '' : utcDay(Math.min(Date.parse(newest), now) - daysMs(1))
}

/** Returns the newest day with a board, if any. */
export async function newestDay(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ day: string | null }>`
    select max(board) as day from board_total where board < 'all'`.execute(db)
  return rows[0]?.day ?? undefined
}

/** Returns what counts of the payments of a destination, by UTC day: all totals follow from it. */
const paidFor = statement({ destinationKey: 'text' }, ({ destinationKey }, db) =>
  db
    .selectFrom('payment')
    .where('destinationKey', '=', destinationKey)
    .where('netCents', '>', 0)
    .where('day', 'is not', null)
    .groupBy('day')
    .select([sql<string>`day`.as('day')])
    .select([
      sql<number>`cast(sum("netCents") as bigint)`.as('totalCents'),
      sql<number>`max("paidAt")`.as('reachedAt'),
    ]),
)

const totalsOn: (
  runner: Runner,
  places: readonly Pick<BoardTotal, 'board' | 'destinationKey'>[],
) => Promise<BoardTotal[]> = statementOfRows(
  { board: 'text', destinationKey: 'text' },
  // For a list of boards in one condition, SQLite would build a table each time.
  places =>
    sql<BoardTotal>`${sql.join(
      places.map(
        ({ board, destinationKey }) =>
          sql`select * from board_total where board = ${board} and "destinationKey" = ${destinationKey}`,
      ),
      sql` union all `,
    )}`,
)

/** A destination's totals on every board. */
function totalsOf(paid: readonly DayTotal[], listing: TotalledListing): BoardTotal[] {
  if (paid.length === 0) return []
  return [totalOf('all', paid, listing), ...paid.map(part => totalOf(part.day, [part], listing))]
}

/** Adds up the parts of a total. Its time is that of its last payment. */
const totalOf = (
  board: string,
  parts: readonly Place[],
  { id, destinationKey, category, hiddenAt }: TotalledListing,
): BoardTotal => ({
  board,
  destinationKey,
  totalCents: parts.reduce((sum, part) => sum + part.totalCents, 0),
  reachedAt: Math.max(...parts.map(part => part.reachedAt)),
  shown: Number(hiddenAt === null),
  listingId: id,
  category: board === 'all' ? category : '',
})

async function replaceTotals(trx: Trx, before: readonly BoardTotal[], after: readonly BoardTotal[]): Promise<void> {
  const gone = before.filter(old => !after.some(total => total.board === old.board))
  for (const { board, destinationKey } of gone) {
    await trx
      .deleteFrom('board_total')
      .where('board', '=', board)
      .where('destinationKey', '=', destinationKey)
      .execute()
  }
  if (after.length > 0) await putTotals(trx, after)
  await count(trx, [...before.flatMap(total => moveOf(total, -1)), ...after.flatMap(total => moveOf(total, 1))])
}

const putTotals: (runner: Runner, totals: readonly BoardTotal[]) => Promise<unknown[]> = statementOfRows(
  {
    board: 'text',
    destinationKey: 'text',
    totalCents: 'bigint',
    reachedAt: 'bigint',
    shown: 'bigint',
    listingId: 'bigint',
    category: 'text',
  },
  (totals, db) =>
    db
      .insertInto('board_total')
      .values(totals)
      .onConflict(conflict =>
        conflict.columns(['board', 'destinationKey']).doUpdateSet(each => ({
          totalCents: each.ref('excluded.totalCents'),
          reachedAt: each.ref('excluded.reachedAt'),
          shown: each.ref('excluded.shown'),
          listingId: each.ref('excluded.listingId'),
          category: each.ref('excluded.category'),
        })),
      ),
)

const moveOf = (total: BoardTotal, by: 1 | -1): Move[] =>
  total.shown ? [{ board: total.board, place: placeOf(total), by }] : []

const placeOf = ({ totalCents, reachedAt }: BoardTotal): Place => ({ totalCents, reachedAt })

import { BOARDS, type Board } from '@placard/contract'
import { type RawBuilder, sql } from 'kysely'
import { boardVersion } from '../../domain/boards/counts.ts'
import { boardKey } from '../../domain/boards/totals.ts'
import { notifyOfEnds } from '../../domain/notifications/owner/notice.ts'
import { comparePlaces, type Followed } from '../../domain/notifications/owner/overtaken.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import { MINUTE_MS, SECOND_MS, TEN_MINUTES_MS } from '../../platform/lib/time.ts'
import type { JobDefinition } from './job.ts'

const BATCH = 200

/** The check for near ends reads every followed listing. */
const CHECK_ENDS_EVERY_MS = MINUTE_MS

/**
 * Listings whose owners get only mail are compared less often: those mails are hours apart, and thousands of listings
 * would be compared after every payment.
 */
const COMPARE_MAILED_EVERY_MS = TEN_MINUTES_MS

/** Notifies the owners of followed listings when others move ahead of them, and when their end is near. */
export const notifyOwners: JobDefinition<'clock'> = {
  name: 'followed',
  does: 'notifies owners of places and ends',
  everyMs: SECOND_MS,
  start({ clock }) {
    const boards = new ChangedBoards()
    const boardsOfMail = new ChangedBoards()
    let mailComparedAt = 0
    let endsCheckedAt = 0
    return async ({ store, signal, isFirst }) => {
      const now = clock()
      await compareFollowed(store, boards, { now, readers: 'programs' }, signal)
      if (isFirst || Math.abs(now - mailComparedAt) >= COMPARE_MAILED_EVERY_MS) {
        await compareFollowed(store, boardsOfMail, { now, readers: 'mail' }, signal)
        mailComparedAt = now
      }
      if (!isFirst && Math.abs(now - endsCheckedAt) < CHECK_ENDS_EVERY_MS) return
      await notifyOfEnds(store, now)
      endsCheckedAt = now
    }
  },
}

/**
 * Compares the places of followed listings on the boards that changed. The database records what was compared, so a
 * crash loses nothing, and a request for a feed can compare at the same time. If nothing is followed, this reads one
 * empty index.
 */
async function compareFollowed(
  store: Store,
  boards: ChangedBoards,
  { now, readers }: Which,
  signal: AbortSignal,
): Promise<void> {
  if ((await anyFollowed[readers](store, {})).length === 0) return
  await boards.forEach(store, now, board => compareAll(store, board, { now, readers }, signal))
}

/** Which followed listings are compared: those with a feed or webhook, or those with only mail. */
type Readers = 'programs' | 'mail'
interface Which {
  now: number
  readers: Readers
}

async function compareAll(store: Store, board: Board, { now, readers }: Which, signal: AbortSignal): Promise<void> {
  const on = { board, boardKey: boardKey(board, now) }
  for (let after = 0; ; ) {
    const followed = await followedOn[readers](store, { ...on, after })
    for (const each of followed) {
      // It throws, so that the board does not count as compared.
      signal.throwIfAborted()
      if (each.hasPlace) await comparePlaces(store, each, now, [board])
    }
    const last = followed.at(-1)
    if (!last || followed.length < BATCH) return
    after = last.listingId
  }
}

/** SQL about one listing of `watch`. With `in (select …)`, SQLite would list all webhooks again for each batch. */
const HAS_PROGRAM = sql`(
  watch."feedHash" is not null or exists (select 1 from webhook where webhook."listingId" = watch."listingId"))`

const IS_READ: Record<Readers, RawBuilder<unknown>> = {
  programs: HAS_PROGRAM,
  mail: sql`not ${HAS_PROGRAM} and exists (select 1 from owner_mail
    where owner_mail."listingId" = watch."listingId" and "confirmedAt" is not null)`,
}

/** Reads the first row of an index, because the job asks every second. */
const anyFollowed = {
  programs: statement(
    {},
    () => sql<{ one: number }>`
      select 1 as one from watch where "feedHash" > '' union all select 1 as one from webhook limit 1`,
  ),
  mail: statement(
    {},
    () => sql<{ one: number }>`select 1 as one from owner_mail where "confirmedAt" is not null limit 1`,
  ),
}

/**
 * The next followed listings, and whether each has a place on a board, or had one when it was last compared. Those
 * without one count for the batch, too: otherwise, a batch would read all listings that follow its last.
 */
const followedBy = (readers: Readers) =>
  statement(
    { board: 'text', boardKey: 'text', after: 'bigint' },
    ({ board, boardKey, after }) => sql<Followed & { hasPlace: boolean | number }>`
      select followed."listingId", listing."destinationKey",
        total."totalCents" is not null or place.rank is not null as "hasPlace"
      from (
          select "listingId" from watch
          where watch."checkAt" is not null and watch."listingId" > ${after} and ${IS_READ[readers]}
          order by watch."listingId" limit ${sql.lit(BATCH)}
        ) as followed
        join listing on listing.id = followed."listingId"
        left join board_total as total
          on total.board = ${boardKey} and total."destinationKey" = listing."destinationKey"
        left join watched_place as place on place."listingId" = followed."listingId" and place.board = ${board}
      order by followed."listingId"`,
  )

const followedOn = { programs: followedBy('programs'), mail: followedBy('mail') }

/** Finds boards that may have changed since they were last compared: each payment changes the version of the counts. */
class ChangedBoards {
  readonly #compared = new Map<Board, string>()

  /** Runs `compare` for each changed board. If it fails, or the board changes again, the next call repeats it. */
  async forEach(store: Store, now: number, compare: (board: Board) => Promise<void>): Promise<void> {
    const [seen] = await versionOf(store, {})
    for (const board of BOARDS) {
      const state = `${boardKey(board, now)} ${seen?.version}`
      if (this.#compared.get(board) === state) continue
      await compare(board)
      this.#compared.set(board, state)
    }
  }
}

const versionOf = statement({}, () => sql<{ version: string }>`select ${boardVersion} as version`)

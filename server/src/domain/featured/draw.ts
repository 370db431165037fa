import { createHash, hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { DRAW_DAYS_BETWEEN, DRAW_SIZE } from '@placard/contract'
import { parseEntry } from '@placard/contract/log'
import { type Insertable, sql } from 'kysely'
import { statement } from '../../platform/db/statement.ts'
import { longRead, type Store } from '../../platform/db/store.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import { daysMs, utcDay } from '../../platform/lib/time.ts'
import { isPublished } from '../listings/listed-row.ts'
import { noteEffects } from '../log/outbox.ts'
import { logTree } from '../log/tree-of-store.ts'
import { notifyFollower } from '../notifications/owner/notice.ts'

/** The version of these rules. A change of the rules needs a new version, because old draws must stay verifiable. */
const ALGORITHM = 1

/** A listing that takes part in a draw. */
interface Candidate {
  id: number
  slug: string
}

/** Returns the lot of a listing: the lowest ones of a day win (`docs/decisions/daily-draw.md`). */
export const lotOf = (seed: string, slug: string): string => hash('sha256', `${seed}\0${slug}`)

/** Draws from a stream of candidates. Only those with the lowest lots so far are in memory. */
export class Lots<C extends Candidate> {
  readonly #seed: string
  #winning: { candidate: C; lot: string }[] = []

  constructor(seed: string) {
    this.#seed = seed
  }

  add(candidate: C): void {
    const lot = lotOf(this.#seed, candidate.slug)
    const last = this.#winning[DRAW_SIZE - 1]
    if (last && lot > last.lot) return
    this.#winning = [...this.#winning, { candidate, lot }]
      .sort((one, other) => (one.lot < other.lot ? -1 : 1))
      .slice(0, DRAW_SIZE)
  }

  /** Returns the winners, the first one first. */
  drawn(): C[] {
    return this.#winning.map(({ candidate }) => candidate)
  }
}

/** Candidates per page of their list: small enough for one reply, whatever their slugs. */
const CANDIDATES_PER_PAGE = 10_000

/** How many ids are read at once: a draw of a million listings must not delay requests. */
const IDS_AT_ONCE = 2000

const compress = promisify(gzip)

/**
 * Draws the listings of the present UTC day, unless they are drawn. Everything is stored in one transaction: a killed
 * process leaves nothing behind, and of two concurrent processes, only one draws.
 *
 * @returns the day, if this call drew; undefined if nothing was due, or decisions and effects from before midnight have
 * no entry in the log yet
 */
export async function drawToday(
  store: Store,
  now: number,
  { signal, perPage = CANDIDATES_PER_PAGE }: { signal?: AbortSignal; perPage?: number } = {},
): Promise<string | undefined> {
  const day = utcDay(now)
  const midnight = Date.parse(day)
  const [state] = await stateOf(store, { day, midnight })
  if (!state || state.isDrawn > 0) return undefined
  // The seed must cover the entries that are still pending. After an upgrade, the log gets the whole history first.
  if (state.isPending) return undefined

  const logSize = await sizeBefore(store, midnight)
  const seed = (await logTree(store).rootAt(logSize)).toString('hex')
  const since = utcDay(midnight - daysMs(DRAW_DAYS_BETWEEN))
  const lots = new Lots<Candidate>(seed)
  const listHash = createHash('sha256')
  const pages: Buffer[] = []
  let [candidates, slugs] = [0, [] as string[]]
  for (let after = 0; after < state.lastId; after += IDS_AT_ONCE) {
    signal?.throwIfAborted()
    const found = await readCandidates(store, { after, until: after + IDS_AT_ONCE, now, midnight, since })
    for (const candidate of found) lots.add(candidate)
    for (const { slug } of found) slugs.push(`${slug}\n`)
    candidates += found.length
    const isLast = after + IDS_AT_ONCE >= state.lastId
    while (slugs.length >= perPage || (isLast && slugs.length > 0)) {
      const page = slugs.slice(0, perPage).join('')
      slugs = slugs.slice(perPage)
      listHash.update(page)
      pages.push(await compress(page))
    }
  }

  const candidatesHash = listHash.digest('hex')
  const draw = { day, at: now, algorithm: ALGORITHM, seed, logSize, candidates, candidatesHash, pages: pages.length }
  return storeDraw(store, draw, pages, lots.drawn())
}

/** @returns the day; undefined if another process drew it */
function storeDraw(
  store: Store,
  draw: Insertable<Database['draw']>,
  pages: Buffer[],
  winners: Candidate[],
): Promise<string | undefined> {
  const { day, at: now } = draw
  return store.transact(async trx => {
    const added = await trx
      .insertInto('draw')
      .values(draw)
      .onConflict(conflict => conflict.column('day').doNothing())
      .returning('day')
      .executeTakeFirst()
    if (!added) return undefined
    for (const [at, slugs] of pages.entries()) {
      await trx
        .insertInto('draw_candidates')
        .values({ day, page: at + 1, slugs })
        .execute()
    }
    const drawn = winners.map(({ id: listingId }, at) => ({ listingId, place: at + 1 }))
    await noteEffects(
      trx,
      drawn.map(({ listingId, place }) => ({ kind: 'drawn', at: now, board: day, listingId, extra: { place } })),
    )
    for (const { listingId, place } of drawn) {
      await trx.insertInto('drawn_listing').values({ day, place, listingId }).execute()
      await notifyFollower(trx, listingId, { kind: 'drawn', facts: { day, place } }, now)
    }
    return day
  })
}

const stateOf = statement(
  { day: 'text', midnight: 'bigint' },
  ({ day, midnight }) => sql<{ isDrawn: number; isPending: boolean | 0 | 1; lastId: number }>`
    select (select count(*) from draw where draw.day = ${day}) as "isDrawn",
      (exists (select 1 from decision where position is null and at < ${midnight})
        or exists (select 1 from log_outbox where at < ${midnight})) as "isPending",
      (select coalesce(max(id), 0) from listing) as "lastId"`,
)

/** How many entries are read at once to find the last one before midnight. Few are newer: the draw is soon after. */
const ENTRIES_AT_ONCE = 256

/** Returns the size of the log up to the last entry from before midnight. */
async function sizeBefore(store: Store, midnight: number): Promise<number> {
  for (let until = await logTree(store).size(); until > 0; until -= ENTRIES_AT_ONCE) {
    const entries = await entriesBefore(store, { until })
    const last = entries.find(({ entry }) => Date.parse(parseEntry(entry).time) < midnight)
    if (last) return last.position + 1
  }
  return 0
}

const entriesBefore = statement({ until: 'bigint' }, ({ until }, db) =>
  db
    .selectFrom('log_entry')
    .select(['position', 'entry'])
    .where('position', '<', until)
    .orderBy('position', 'desc')
    .limit(sql.lit(ENTRIES_AT_ONCE)),
)

/** Reads the candidates of a range of ids. A listing is one if it was published before midnight and still is. */
const readCandidates = longRead('drawCandidates', (runner, wanted: Parameters<typeof candidatesAfter>[1]) =>
  candidatesAfter(runner, wanted),
)

const candidatesAfter = statement(
  { after: 'bigint', until: 'bigint', now: 'bigint', midnight: 'bigint', since: 'text' },
  ({ after, until, now, midnight, since }) => sql<Candidate>`
    select listing.id, listing.slug from listing
    where listing.id > ${after} and listing.id <= ${until} and ${isPublished(now)} and listing."publishedAt" < ${midnight}
      and not exists (
        select 1 from drawn_listing as drawn where drawn."listingId" = listing.id and drawn.day > ${since})
      and not exists (select 1 from draw_exclusion as excluded where excluded."listingId" = listing.id)
    order by listing.id`,
)

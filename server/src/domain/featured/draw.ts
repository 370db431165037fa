import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { DRAW_DAYS_BETWEEN } from '@placard/contract'
import { sql } from 'kysely'
import { statement } from '../../platform/db/statement.ts'
import { longRead, type Store } from '../../platform/db/store.ts'
import { daysMs, MINUTE_MS, utcDay } from '../../platform/lib/time.ts'
import { NO_HASH } from '../decisions/chain.ts'
import { isPublished } from '../listings/listed-row.ts'
import { tellFollower } from '../notifications/owner/notice.ts'
import { ALGORITHM, type Candidate, Lots } from './lots.ts'

/** Candidates per page of their list: small enough for one reply, whatever their slugs. */
const CANDIDATES_PER_PAGE = 10_000

/** How many ids are read at once: a draw of a million listings must not delay requests. */
const IDS_AT_ONCE = 2000

/** How long a draw waits for decisions from before midnight that are not in the chain yet. */
const CHAIN_WAIT_MS = 10 * MINUTE_MS

const compress = promisify(gzip)

/**
 * Draws the listings of the present UTC day, unless that was done. Everything is stored in one transaction, so a process
 * that is killed leaves nothing, and of two processes, one draws.
 *
 * @returns the day, if this call drew; undefined if nothing was due
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
  if (state.unchained > 0 && now < midnight + CHAIN_WAIT_MS) return undefined

  const [{ seed, chainPosition } = { seed: NO_HASH, chainPosition: 0 }] = await headBefore(store, { midnight })
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
  const draw = { day, at: now, algorithm: ALGORITHM, seed, chainPosition, candidates, candidatesHash }
  return store.transact(async trx => {
    const added = await trx
      .insertInto('draw')
      .values({ ...draw, pages: pages.length })
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
    for (const [at, { id: listingId }] of lots.drawn().entries()) {
      const place = at + 1
      await trx.insertInto('drawn_listing').values({ day, place, listingId }).execute()
      await tellFollower(trx, listingId, { kind: 'drawn', facts: { day, place } }, now)
    }
    return day
  })
}

const stateOf = statement(
  { day: 'text', midnight: 'bigint' },
  ({ day, midnight }) => sql<{ isDrawn: number; unchained: number; lastId: number }>`
    select (select count(*) from draw where draw.day = ${day}) as "isDrawn",
      (select count(*) from decision where position is null and at < ${midnight}) as unchained,
      (select coalesce(max(id), 0) from listing) as "lastId"`,
)

/** The last link before midnight. The query starts at the end of the chain, which is close to it. */
const headBefore = statement(
  { midnight: 'bigint' },
  ({ midnight }) => sql<{ seed: string; chainPosition: number }>`
    select chain.hash as seed, chain.position as "chainPosition"
    from decision_chain as chain join decision on decision.id = chain."decisionId"
    where decision.at < ${midnight} order by chain.position desc limit 1`,
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

import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { type Selectable, sql } from 'kysely'
import { statement } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import { type DatedRow, isPublished, joinPicture, type ListedRow, listedColumns } from '../listings/listed-row.ts'
import { lotOf } from './draw.ts'

type Draw = Selectable<Database['draw']>

export interface Drawn extends ListedRow, Pick<DatedRow, 'id' | 'expiresAt'> {
  /** From 1. */
  place: number
  /** 1 while it is published. Pages show nothing of the others. */
  isShown: number
}

export interface FullDraw extends Draw {
  /** 1 while the list of its candidates is kept. */
  hasList: number
  drawn: (Drawn & { lot: string })[]
}

/** Returns the draw of a UTC day, or undefined if there was none. */
export async function readDraw(store: Store, day: string, now: number): Promise<FullDraw | undefined> {
  const [draw] = await drawOf(store, { day })
  if (!draw) return undefined
  const drawn = await drawnOn(store, { day, now })
  return { ...draw, drawn: drawn.map(each => ({ ...each, lot: lotOf(draw.seed, each.slug) })) }
}

/** Returns the listings of a day's draw that are still published, the first one first. */
export const readDrawn = async (store: Store, day: string, now: number): Promise<Drawn[]> =>
  (await drawnOn(store, { day, now })).filter(({ isShown }) => isShown > 0)

/** Returns the listings of all draws after a day that are still published: the latest day first, each in its order. */
export const readDrawnSince = statement(
  { day: 'text', now: 'bigint' },
  ({ day, now }) => sql<{ day: string; at: number; title: string }>`
    select draw.day, draw.at, listing.title
    from draw join drawn_listing as drawn on drawn.day = draw.day join listing on listing.id = drawn."listingId"
    where draw.day > ${day} and ${isPublished(now)} order by draw.day desc, drawn.place`,
)

const decompress = promisify(gunzip)

/** Returns a page of the candidates of a draw as text and as it is stored; undefined if there is none any more. */
export async function readCandidatesPage(
  store: Store,
  day: string,
  page: number,
): Promise<{ body: Buffer; gzipped: Buffer } | undefined> {
  const [row] = await pageOf(store, { day, page })
  return row && { body: await decompress(row.slugs), gzipped: row.slugs }
}

/** Returns the days of the nearest draws before and after a day. */
export async function drawsAround(store: Store, day: string) {
  const [found] = await around(store, { day })
  return { earlier: found?.earlier ?? undefined, later: found?.later ?? undefined }
}

/** Returns the days of the last draws, latest first. */
export const lastDraws = async (store: Store, limit: number): Promise<string[]> =>
  (await lastDays(store, { limit })).map(({ day }) => day)

const drawOf = statement(
  { day: 'text' },
  ({ day }) => sql<Omit<FullDraw, 'drawn'>>`
    select draw.*, (select count(*) from draw_candidates as list where list.day = draw.day and page = 1) as "hasList"
    from draw where day = ${day}`,
)

const drawnOn = statement(
  { day: 'text', now: 'bigint' },
  ({ day, now }) => sql<Drawn>`
    select ${listedColumns}, listing.id, listing."expiresAt", drawn.place, case when ${isPublished(now)} then 1 else 0 end as "isShown"
    from drawn_listing as drawn join listing on listing.id = drawn."listingId" ${joinPicture}
    where drawn.day = ${day} order by drawn.place`,
)

const pageOf = statement({ day: 'text', page: 'bigint' }, ({ day, page }, db) =>
  db.selectFrom('draw_candidates').select('slugs').where('day', '=', day).where('page', '=', page),
)

const around = statement(
  { day: 'text' },
  ({ day }) => sql<{ earlier: string | null; later: string | null }>`
    select (select max(day) from draw where day < ${day}) as earlier,
      (select min(day) from draw where day > ${day}) as later`,
)

const lastDays = statement({ limit: 'bigint' }, ({ limit }, db) =>
  db.selectFrom('draw').select('day').orderBy('day', 'desc').limit(limit),
)

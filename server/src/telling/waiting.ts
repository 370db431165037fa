import { sql } from 'kysely'
import type { Db } from '../storage/store.ts'
import { type Item, KINDS, type KindName } from './kinds.ts'

/** How far the operator was told, by place in the chain of decisions and by time. */
export interface Told {
  position: number
  time: number
}

/** What waits of one kind. */
export interface Waiting {
  kind: KindName
  count: number
  oldestAt: number
  /** Some of it, oldest first. */
  first: Item[]
}

/** A message names so many of a kind, and counts the others. */
const NAMED_MAX = 10

const NAMES = Object.keys(KINDS) as KindName[]

/** What came after `from`, up to `to`, and still waits. Kinds without any are left out. */
export async function newBetween(db: Db, from: Told, to: Told): Promise<Waiting[]> {
  const kinds = NAMES.filter(kind => to[KINDS[kind].by] > from[KINDS[kind].by])
  const waiting: Waiting[] = []
  for (const kind of kinds) waiting.push(...(await waitingOf(db, kind, from, to)))
  return waiting
}

/** All that waits. */
export const allWaiting = (db: Db): Promise<Waiting[]> =>
  newBetween(
    db,
    { position: -1, time: -1 },
    { position: Number.MAX_SAFE_INTEGER, time: Number.MAX_SAFE_INTEGER },
  )

async function waitingOf(db: Db, kind: KindName, from: Told, to: Told): Promise<Waiting[]> {
  const { by, waiting } = KINDS[kind]
  const items = sql`from (${waiting}) as item where told > ${from[by]} and told <= ${to[by]}`
  const counted = await sql<{ count: number; oldestAt: number }>`
    select count(*) as count, min(at) as "oldestAt" ${items}`.execute(db)
  const [{ count, oldestAt } = { count: 0, oldestAt: 0 }] = counted.rows
  if (Number(count) === 0) return []
  const { rows } = await sql<Item>`
    select at, what, title, slug ${items} order by at limit ${sql.lit(NAMED_MAX)}`.execute(db)
  return [{ kind, count: Number(count), oldestAt: Number(oldestAt), first: rows }]
}

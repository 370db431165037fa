import { type Selectable, sql } from 'kysely'
import type { Db } from '../../platform/db/store.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import { CHANGES_KEPT } from '../boards/counts.ts'
import { type DollarMove, sumAfter, sumOfCounts } from '../boards/counts-sum.ts'
import type { Difference } from './reconcile-payments.ts'

type Change = Selectable<Database['board_change']>

/** How many changes to read at a time. */
const CHUNK = 1000

/**
 * Proves the changes that processes follow with their counts in memory: none is missing or altered, and the last one
 * leads to the stored counts.
 */
export async function compareChanges(db: Db): Promise<Difference[]> {
  const { rows } = await sql<{ sum: number; counted: number; last: number | null }>`
    select ${sumOfCounts} as sum, (select count(*) from board_count where level = 3) as counted,
      (select max(version) from board_change) as last`.execute(db)
  const [stored = { sum: 0, counted: 0, last: null }] = rows
  if (stored.last === null) {
    return Number(stored.counted) > 0 ? [different('there are counts, and no change that led to them')] : []
  }
  const differences: Difference[] = []
  let before: Change | undefined
  for (;;) {
    const changes = await nextChanges(db, before?.version ?? 0)
    for (const change of changes) {
      const fault = before ? faultAfter(before, change) : faultOfFirst(change, stored.last)
      if (fault) differences.push(different(fault))
      before = change
    }
    if (changes.length < CHUNK) break
  }
  if (before && before.countsSum !== null && Number(before.countsSum) !== Number(stored.sum)) {
    differences.push(different(`change ${before.version} is the last, but the counts are not those that it led to`))
  }
  return differences
}

const different = (detail: string): Difference => ({ what: 'board change', detail })

const nextChanges = (db: Db, after: number): Promise<Change[]> =>
  db.selectFrom('board_change').selectAll().where('version', '>', after).orderBy('version').limit(CHUNK).execute()

/** Older changes are deleted, but never one of the last thousand. A history can also begin with an empty change. */
function faultOfFirst({ version, moves }: Change, last: number): string | undefined {
  const isDue = version === 1 || moves === '[]' || version <= last - CHANGES_KEPT + 1
  return isDue ? undefined : `changes before ${version} are missing`
}

function faultAfter(before: Change, { version, moves, token, countsSum }: Change): string | undefined {
  if (version !== before.version + 1) return `changes between ${before.version} and ${version} are missing`
  // Older versions of the service write no checksum.
  if (before.countsSum === null) return undefined
  if (countsSum === null || !token) return `change ${version} has no token or no checksum`
  return sumAfter(Number(before.countsSum), movesOf(moves)) === Number(countsSum)
    ? undefined
    : `change ${version} was altered: ${moves} does not lead from the counts before it to those after it`
}

function movesOf(moves: string): DollarMove[] {
  try {
    return JSON.parse(moves) as DollarMove[]
  } catch {
    // A board that does not exist makes the checksum wrong.
    return [['0', 0, 1]]
  }
}

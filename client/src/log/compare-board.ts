import type { Standing } from '@placard/contract/log'
import type { PlacardClient } from '../client.ts'
import { PlacardError } from '../error.ts'
import type { Difference } from './disagreement.ts'
import type { FollowedLog } from './follow.ts'

type Row = Record<'rank' | 'id' | 'totalCents' | 'reachedAt', number>

/** A board as the service shows it. */
interface ShownBoard {
  /** As in the log: `all`, or a UTC day. */
  key: string
  rows: Row[]
}

/** Reads all pages of a board: `all`, `today`, or a past day, which has no page without places. */
export async function readBoard(client: PlacardClient, board: string): Promise<ShownBoard> {
  const shown: ShownBoard = { key: board, rows: [] }
  let cursor: string | undefined
  do {
    const page = await client.boardPage(board, cursor).catch(error => {
      if (board !== 'all' && error instanceof PlacardError && error.code === 'not_found') return undefined
      throw error
    })
    if (page?.day) shown.key = page.day
    // Without words and addresses, a board takes little memory.
    for (const { rank, id, totalCents, reachedAt } of page?.entries ?? []) {
      // Boards of past days count only the first ranks.
      shown.rows.push({ rank: rank ?? shown.rows.length + 1, id, totalCents, reachedAt })
    }
    cursor = page?.nextCursor ?? undefined
  } while (cursor !== undefined)
  return shown
}

/**
 * Compares a board with the log: who is on it, with which total, in which order. A listing that changes at this moment
 * may be shown as it was at any time since the log was read.
 *
 * @returns differences by what they are about, such as `all 42`
 */
export function compareBoard(log: FollowedLog, { key, rows }: ShownBoard): Map<string, Difference> {
  const differences = new Map<string, Difference>()
  const name = boardName(key)
  const add = (listing: number, kind: Difference['kind'], sentence: string) =>
    differences.set(`${key} ${listing}`, { kind, sentence })
  const expected = new Map(rankedPlaces(log, key).map(place => [place.standing.listing, place]))
  const shown = new Set<number>()

  for (const [at, row] of rows.entries()) {
    const place = expected.get(row.id)
    const agreeing = [...(place ? [place.standing] : []), ...(log.movesOf(key, row.id) ?? [])]
    const isTwice = shown.has(row.id) && !log.movesOf(key, row.id)
    shown.add(row.id)
    if (isTwice) {
      add(row.id, 'place_extra', `${name} shows listing ${row.id} twice.`)
    } else if (agreeing.length === 0) {
      add(
        row.id,
        'place_extra',
        `${name} shows listing ${row.id} with ${usd(row.totalCents)}, which the log does not have.`,
      )
    } else if (!agreeing.some(each => isEqual(each, row))) {
      const { totalCents, reachedAt } = agreeing[0] as Standing
      add(
        row.id,
        'place_wrong',
        `${name} shows listing ${row.id} with ${usd(row.totalCents)}, reached ${utc(row.reachedAt)}; by the log, it has ${usd(totalCents)}, reached ${utc(reachedAt)}.`,
      )
    } else if (isAbove(row, rows[at - 1])) {
      // Whatever moves meanwhile, each page continues behind the last place of the one before.
      const above = rows[at - 1]?.id
      add(
        row.id,
        'rank_wrong',
        `${name} shows listing ${row.id} below listing ${above}, which has less or had it later.`,
      )
    } else if (place && !log.hasMoves() && !isRanked(place, row, rows[at - 1])) {
      add(
        row.id,
        'rank_wrong',
        `${name} shows listing ${row.id} at rank ${row.rank}; by the log, it is ${place.first}.`,
      )
    }
  }

  for (const { standing } of expected.values()) {
    const { listing, totalCents } = standing
    if (shown.has(listing) || log.movesOf(key, listing)) continue
    add(listing, 'place_missing', `${name} does not show listing ${listing}, which has ${usd(totalCents)} by the log.`)
  }
  return differences
}

const isEqual = (one: Pick<Row, 'totalCents' | 'reachedAt'>, other: Pick<Row, 'totalCents' | 'reachedAt'>) =>
  one.totalCents === other.totalCents && one.reachedAt === other.reachedAt

/** Returns whether a place ought to be above the one before it. */
const isAbove = (row: Row, before: Row | undefined): boolean =>
  before !== undefined &&
  (row.totalCents > before.totalCents || (row.totalCents === before.totalCents && row.reachedAt < before.reachedAt))

/** A place by the log. Listings with the same total, reached at the same time, may be in any order. */
interface RankedPlace {
  standing: Standing
  /** The ranks that it may have. */
  first: number
  last: number
}

function rankedPlaces({ replay }: FollowedLog, key: string): RankedPlace[] {
  const standings = replay.board(key).filter(({ shown }) => shown)
  const places: RankedPlace[] = []
  for (const [at, standing] of standings.entries()) {
    const before = places.at(-1)
    const isTied = before && isEqual(before.standing, standing)
    places.push({ standing, first: isTied ? before.first : at + 1, last: at + 1 })
  }
  for (let at = places.length - 2; at >= 0; at--) {
    const [place, after] = [places[at] as RankedPlace, places[at + 1] as RankedPlace]
    if (after.first === place.first) place.last = after.last
  }
  return places
}

const isRanked = ({ first, last }: RankedPlace, { rank }: Row, before: Row | undefined) =>
  rank >= first && rank <= last && rank > (before?.rank ?? 0)

/** As a sentence begins. */
const boardName = (key: string) => (key === 'all' ? 'The board of all time' : `The board of ${key}`)

const usd = (cents: number): string => `$${(cents / 100).toFixed(2)}`

const utc = (at: number) => new Date(at).toISOString()

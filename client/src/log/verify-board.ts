import { setTimeout as sleep } from 'node:timers/promises'
import type { PlacardClient } from '../client.ts'
import { compareBoard, readBoard } from './compare-board.ts'
import { compareDraw, readDraw } from './compare-draw.ts'
import { type Difference, Disagreement } from './disagreement.ts'
import type { FollowedLog } from './follow.ts'
import { inOrder, type LogFiles } from './log-files.ts'

/**
 * How long to wait before each further comparison of what disagrees. Boards change up to two seconds before their
 * entries are signed, and caches may keep a board for ten seconds.
 */
const WAITS_MS = [2500, 2500, 5000, 11_000, 11_000]

const DAY_MS = 86_400_000

/** Returns how long to wait before each further comparison, in this time altogether. */
export function waitsWithin(limitMs = Number.POSITIVE_INFINITY): number[] {
  let leftMs = limitMs
  return WAITS_MS.filter(waitMs => {
    leftMs -= waitMs
    return leftMs >= 0
  })
}

/** What was compared, and what disagrees. */
export interface BoardReport {
  places: number
  days: number
  draws: number
  differences: Difference[]
}

/**
 * Reads the log of a service to its end, and compares its boards, every past day and every draw with it. What disagrees
 * is read again, with what the log has by then, so that only what stays wrong is reported.
 *
 * @throws Disagreement if the log itself is wrong
 */
export async function verifyBoard(
  client: PlacardClient,
  files: LogFiles,
  log: FollowedLog,
  waitsMs: readonly number[],
): Promise<BoardReport> {
  await advanceToWitnesses(log, waitsMs)
  let { today, differences: wrong, ...found } = await lookAt(client, files, log)
  for (const waitMs of waitsMs) {
    if (wrong.size === 0) break
    await sleep(waitMs)
    await advance(log)
    // A day that has just ended is no longer on the board of today.
    const again = await lookAt(client, files, log, today)
    wrong = new Map([...again.differences].filter(([about]) => wrong.has(about)))
    today = again.today
  }
  return { ...found, differences: [...wrong.values()] }
}

/** Advances, unless a cache still has an older checkpoint. @returns that fault */
const advance = (log: FollowedLog): Promise<Disagreement | undefined> =>
  log.advance().then(
    () => undefined,
    error => {
      if (error instanceof Disagreement && error.kind === 'log_went_back') return error
      throw error
    },
  )

/**
 * Advances until all witnesses of the caller have cosigned the log, which happens a moment after it is signed.
 *
 * @param compare with what the caller got before, which may not be signed yet, or not in a cache
 * @returns the difference that remains
 */
export async function advanceToWitnesses<T = undefined>(
  log: FollowedLog,
  waitsMs: readonly number[],
  compare: () => Promise<T | undefined> = async () => undefined,
): Promise<T | undefined> {
  for (const waitMs of [...waitsMs, undefined]) {
    const fault = await advance(log)
    const [missing] = log.missingWitnesses()
    if (!fault && missing === undefined) {
      const difference = await compare()
      if (difference === undefined || waitMs === undefined) return difference
    }
    if (waitMs === undefined) throw fault ?? notCosigned(missing as string)
    await sleep(waitMs)
  }
  return undefined
}

const notCosigned = (vkey: string) =>
  new Disagreement('witness_missing', `The witness ${vkey.split('+')[0]} has not cosigned the latest checkpoint.`)

/** Compares everything once. @param atLeast a day that must be compared, too */
async function lookAt(client: PlacardClient, files: LogFiles, log: FollowedLog, atLeast?: string) {
  const differences = new Map<string, Difference>()
  const boards = [await readBoard(client, 'all'), await readBoard(client, 'today')]
  const today = boards[1]?.key ?? ''
  const days = pastDays(log, today)
  let [places, draws] = [0, 0]
  const compare = (board: Awaited<ReturnType<typeof readBoard>>) => {
    places += board.rows.length
    for (const [about, difference] of compareBoard(log, board)) differences.set(about, difference)
  }
  for (const board of boards) compare(board)
  if (atLeast && atLeast !== today && !days.includes(atLeast)) days.push(atLeast)
  for await (const board of inOrder(days, day => readBoard(client, day))) compare(board)
  const compareDay = async (day: string) => {
    const draw = await readDraw(client, day)
    return { day, draw, difference: await compareDraw(log, files, day, draw) }
  }
  for await (const { day, draw, difference } of inOrder([...days, today], compareDay)) {
    if (draw) draws++
    if (difference) differences.set(`draw ${day}`, difference)
  }
  return { today, places, days: days.length, draws, differences }
}

/** Returns each UTC day from the first one in the log to the one before `today`. */
function pastDays(log: FollowedLog, today: string): string[] {
  const { replay } = log
  const known = [replay.beganAt.slice(0, 10), ...replay.days(), ...replay.draws().keys()].sort()
  const days: string[] = []
  for (let at = Date.parse(known[0] ?? today); at < Date.parse(today); at += DAY_MS) {
    days.push(new Date(at).toISOString().slice(0, 10))
  }
  return days
}

import { createHash, hash } from 'node:crypto'
import { DRAW_DAYS_BETWEEN, DRAW_SIZE } from '@placard/contract/plain'
import type { PlacardClient } from '../../client.ts'
import { PlacardError } from '../../error.ts'
import { compareDraw } from '../../log/compare-draw.ts'
import { Disagreement } from '../../log/disagreement.ts'
import { advanceToWitnesses } from '../../log/verify-board.ts'
import type { Draw } from '../../service/replies.ts'
import { counted } from '../../service/text.ts'
import type { Context, Result } from '../context.ts'
import { openLog, waitsOf } from '../open-log.ts'

/** The rules that this version knows. */
const ALGORITHM = 1
const DAY_MS = 24 * 60 * 60 * 1000

/** One thing that a draw must be. */
interface Checked {
  what: string
  agrees: boolean
  /** What was found instead. */
  found?: string
}

/**
 * Repeats the draw of a UTC day, and compares it and its seed with the log. Nothing that the service computed is taken
 * for granted.
 */
export async function verifyDraw(context: Context, day: string): Promise<Result> {
  const client = context.client(context.service())
  const draw = await client.draw(day)
  if (draw.algorithm !== ALGORITHM) throw unknownRules(draw.algorithm)
  if (draw.candidates.url === null && draw.candidates.pages > 0) throw listGone(day)
  const checks = [...(await checkDraw(client, day, draw)), await checkPause(client, day, draw)]
  const checkedLog = await checkLog(context, client, day, draw)
  if (checkedLog) checks.push(checkedLog)
  const agrees = checks.every(check => check.agrees)
  return { text: textOf(draw, checks), json: { day, agrees, checks, draw }, exitCode: agrees ? 0 : 1 }
}

/**
 * Reads the log, which must have the same listings, and the seed as the root that it had at midnight.
 *
 * @returns undefined if the draw names no size of a log, and the service has no log
 */
async function checkLog(
  context: Context,
  client: PlacardClient,
  day: string,
  draw: Draw,
): Promise<Checked | undefined> {
  const isOlder = draw.logSize === null
  const what = isOlder
    ? 'The log began after the draw'
    : `The log has them, and the seed is the root of its first ${counted(draw.logSize ?? 0, 'entry', 'entries')}`
  try {
    const { log, files, keep } = await openLog(context, client)
    const difference = await advanceToWitnesses(log, waitsOf(context), () => compareDraw(log, files, day, draw))
    await keep()
    return { what, agrees: !difference, ...(difference && { found: difference.sentence }) }
  } catch (error) {
    if (error instanceof Disagreement) return { what, agrees: false, found: error.sentence }
    if (isOlder && error instanceof PlacardError && error.code === 'not_found') return undefined
    throw error
  }
}

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

/** Draws again from the list of candidates. */
async function checkDraw(client: PlacardClient, day: string, { seed, candidates, drawn }: Draw): Promise<Checked[]> {
  const listHash = createHash('sha256')
  const seen = new Set<string>()
  let count = 0
  let lowest: { slug: string; lot: string }[] = []
  for (let page = 1; page <= candidates.pages; page++) {
    const list = await client.drawCandidates(day, page)
    listHash.update(list)
    const slugs = list.split('\n').filter(slug => slug !== '')
    for (const slug of slugs) seen.add(slug)
    count += slugs.length
    const lots = slugs.map(slug => ({ slug, lot: hash('sha256', `${seed}\0${slug}`) }))
    lowest = [...lowest, ...lots].sort((one, other) => (one.lot < other.lot ? -1 : 1)).slice(0, DRAW_SIZE)
  }
  const sha256 = listHash.digest('hex')
  const isWhole = count === candidates.count && count === seen.size
  const published = drawn.map(({ slug }) => slug).join(', ')
  const again = lowest.map(({ slug }) => slug).join(', ')
  return [
    checked(
      `The list has ${counted(candidates.count, 'listing')}, each once`,
      `${candidates.count}`,
      `${count}`,
      isWhole,
    ),
    checked(`The hash of the list is ${candidates.sha256}`, candidates.sha256, sha256),
    checked(`The lowest hashes are those of: ${published || 'none'}`, published, again),
  ]
}

const checked = (what: string, said: string, found: string, agrees = said === found): Checked => ({
  what,
  agrees,
  ...(!agrees && { found: `it is ${found || 'none'}` }),
})

/** Reads the draws of the days before: no listing may be drawn again so soon. */
async function checkPause(client: PlacardClient, day: string, { drawn }: Draw): Promise<Checked> {
  const what = `None of them was drawn in the ${DRAW_DAYS_BETWEEN - 1} days before`
  const slugs = new Set(drawn.map(({ slug }) => slug))
  for (let before = 1; before < DRAW_DAYS_BETWEEN; before++) {
    const other = dayOf(Date.parse(day) - before * DAY_MS)
    const again = (await drawnOn(client, other)).find(slug => slugs.has(slug))
    if (again !== undefined) return { what, agrees: false, found: `${again} was drawn on ${other}` }
  }
  return { what, agrees: true }
}

/** A day may have no draw. */
const drawnOn = (client: PlacardClient, day: string): Promise<string[]> =>
  client.draw(day).then(
    ({ drawn }) => drawn.map(({ slug }) => slug),
    error => {
      if (error instanceof PlacardError && error.code === 'not_found') return []
      throw error
    },
  )

const textOf = ({ day, seed, logSize }: Draw, checks: readonly Checked[]): string[] => [
  checks.every(({ agrees }) => agrees) ? `The draw of ${day} agrees.` : `The draw of ${day} does not agree.`,
  '',
  ...checks.map(({ what, agrees, found }) => (agrees ? `  yes  ${what}` : `  NO   ${what}: ${found}`)),
  '',
  `Seed  ${seed}`,
  ...(logSize === null ? ['      The draw is older than the log, so nothing shows where its seed came from.'] : []),
]

const unknownRules = (algorithm: number) =>
  new PlacardError({
    kind: 'refused',
    code: 'unknown_rules',
    error: `This draw follows the rules ${algorithm}, and this version knows only ${ALGORITHM}.`,
    whatNext: 'Update placard-agent.',
  })

const listGone = (day: string) =>
  new PlacardError({
    kind: 'refused',
    code: 'list_deleted',
    error: `The service no longer keeps the list of candidates of ${day}.`,
    whatNext: 'Verify a draw of the last 90 days.',
  })

import type { SubmissionEvent, SubmissionEventType } from '@placard/contract'
import { sql } from 'kysely'
import { statement } from '../../platform/db/statement.ts'
import type { Runner } from '../../platform/db/store.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import type { Links } from '../../platform/http/links.ts'
import { Problem } from '../../platform/http/problem.ts'
import { daysMs } from '../../platform/lib/time.ts'
import { isOfNewOwner, latestFirst } from '../decisions/record.ts'
import type { Attempt } from './attempts.ts'
import { decisionNamed } from './submission-status.ts'

/**
 * How far a reader has read. Decisions are ordered by their positions in the log. Positions have no gaps, so a decision
 * that is committed late is not missed. Events about the end of a listing are not stored: the cursor has the end that
 * was announced, and its `stage` (1: ends soon, 2: ended).
 */
interface Cursor {
  position: number
  endsAt: number
  stage: number
  /** The last digits of the submission's id. Undefined before the first event. */
  of?: string | undefined
}

/** The cursor before the first event. */
export const FROM_THE_START = '0-0-0'

/** Returns a cursor that `eventsAfter` made. @throws Problem invalid_cursor for any other text */
export function parseCursor(text: string): Cursor {
  const [, position, endsAt, stage, of] = /^(\d{1,15})-(\d{1,15})-([012])(?:~([0-9a-f]{8}))?$/.exec(text) ?? []
  if (position === undefined) throw new Problem('invalid_cursor', { field: 'cursor' })
  return { position: Number(position), endsAt: Number(endsAt), stage: Number(stage), of }
}

const textOf = ({ position, endsAt, stage, of }: Cursor): string => `${position}-${endsAt}-${stage}~${of}`

const OTHER_SUBMISSION = 'This cursor continues the events of another submission.'

/** How long before its end a listing counts as ending soon. */
const SOON_MS = daysMs(7)

/**
 * Returns the next events of a submission, oldest first.
 *
 * @param limit one event more is read, to know whether more follow
 * @throws Problem invalid_cursor for a cursor of another submission
 */
export async function eventsAfter(
  runner: Runner,
  attempt: Attempt,
  cursor: Cursor,
  { limit, links, now }: { limit: number; links: Links; now: number },
): Promise<{ events: SubmissionEvent[]; hasMore: boolean }> {
  const { requestId, listingId, slug } = attempt
  const of = requestId.slice(-8)
  if ((cursor.of ?? of) !== of) throw new Problem('invalid_cursor', { field: 'cursor', detail: OTHER_SUBMISSION })
  const about = slug === null ? {} : { productUrl: links.product(slug) }
  const rows = await decisionsAfter(runner, { requestId, listingId, after: cursor.position, limit: limit + 1 })
  const decided: PendingEvent[] = rows.map(({ id, kind, reason, at, position, about: contested, isOfNewOwner }) => ({
    event: {
      id,
      type: TYPES[kind] ?? 'submission.end_changed',
      at,
      ...(!isOfNewOwner && { reason, ...decisionNamed(kind === 'outcome' ? (contested ?? id) : id, links) }),
    },
    seen: { position: position ?? 0 },
  }))
  const ends = endsOf(attempt, cursor, now)
  const [moved] = ends.length > 0 ? await lastMove(runner, { listingId }) : []
  let seen: Cursor = { ...cursor, of }
  // The end of a listing comes last, because decisions with an earlier time may still get their positions.
  const events = [...decided, ...sinceMoved(ends, moved, links)].map(found => {
    seen = { ...seen, ...found.seen }
    return { ...found.event, ...about, cursor: textOf(seen) }
  })
  return { events: events.slice(0, limit), hasMore: events.length > limit }
}

interface PendingEvent {
  event: Omit<SubmissionEvent, 'cursor'>
  seen: Partial<Cursor>
}

/** Returns the pending events about the end of a listing. A hidden listing has none. */
function endsOf({ requestId, expiresAt, hiddenAt, slug }: Attempt, { endsAt, stage }: Cursor, now: number) {
  if (slug === null || hiddenAt !== null || expiresAt === null) return []
  const announced = endsAt === expiresAt ? stage : 0
  return [
    { type: 'submission.ends_soon' as const, at: expiresAt - SOON_MS, stage: 1 },
    { type: 'submission.ended' as const, at: expiresAt, stage: 2 },
  ]
    .filter(each => each.at <= now && each.stage > announced)
    .map(({ type, at, stage: next }) => ({
      event: { id: `${requestId}-${next}-${expiresAt}`, type, at, expiresAt },
      seen: { endsAt: expiresAt, stage: next },
    }))
}

/**
 * Adapts the events of an end that an operator has set. If the listing ended at once, leaves out `ends_soon`, and names
 * the decision in `ended`. Otherwise, `ends_soon` is not earlier than the decision.
 */
const sinceMoved = (ends: PendingEvent[], moved: Moved | undefined, links: Links): PendingEvent[] =>
  ends.flatMap(({ event, seen }) => {
    const movedAt = moved?.at ?? 0
    const isOver = event.type === 'submission.ended'
    if (!isOver && Number(event.expiresAt) <= movedAt) return []
    const isNamed = isOver && moved?.reason === 'ended' && event.expiresAt === movedAt && !moved.isOfNewOwner
    const why = isNamed ? { reason: moved.reason, ...decisionNamed(moved.id, links) } : {}
    return { event: { ...event, at: Math.max(event.at, isOver ? 0 : movedAt), ...why }, seen }
  })

interface Concerned {
  isOfNewOwner: boolean | 0 | 1
}
type Moved = Pick<Database['decision'], 'id' | 'reason' | 'at'> & Concerned

/** An operator's last change of a listing's end. */
const lastMove = statement(
  { listingId: 'bigint?' },
  ({ listingId }) => sql<Moved>`
    select id, reason, at, ${isOfNewOwner(listingId, 'own')} as "isOfNewOwner" from decision as own
    where "listingId" = ${listingId} and kind <> 'accept' and kind = 'term'
    order by ${latestFirst('own')} limit 1`,
)

/** Returns when a listing may next have an event that no decision announces. */
export function nextEnd({ slug, expiresAt, hiddenAt }: Attempt, now: number): number | null {
  if (slug === null || hiddenAt !== null) return null
  const ends = expiresAt === null ? [] : [expiresAt - SOON_MS, expiresAt]
  // A payment, or its refund, moves the end without a decision.
  return Math.min(now + daysMs(1), ...ends.filter(at => at > now))
}

/** Of a `term`, only what moved the end: an early end is `submission.ended`. */
const TYPES: Partial<Record<Database['decision']['kind'], SubmissionEventType>> = {
  accept: 'submission.published',
  refuse: 'submission.refused',
  outcome: 'submission.appeal_decided',
  hide: 'submission.hidden',
  restore: 'submission.restored',
  prove: 'submission.claimed',
}

type Row = Pick<Database['decision'], 'id' | 'kind' | 'reason' | 'at' | 'about' | 'position'> & Concerned

/**
 * Each part follows an index: the first decision about a submission has its id. Reports belong to their reporters, and
 * findings, which an operator can reopen, to the operators.
 */
const decisionsAfter = statement(
  { requestId: 'text', listingId: 'bigint?', after: 'bigint', limit: 'bigint' },
  ({ requestId, listingId, after, limit }) => sql<Row>`
    select id, kind, reason, at, about, position, kind in ('hide', 'restore', 'outcome')
      and ${isOfNewOwner(listingId, 'own')} as "isOfNewOwner"
    from (
      select * from decision where id = ${requestId}
      union all
      select * from decision where "requestId" = ${requestId} and "requestId" <> id
      union all
      select * from decision where "listingId" = ${listingId} and kind <> 'accept' and "requestId" is null
    ) as own
    where position > ${after} and "reportId" is null and (
      kind in ('accept', 'refuse', 'hide', 'restore')
      or (kind = 'outcome' and reason <> 'reopened')
      or (kind = 'prove' and reason in ('claimed', 'verified'))
      or (kind = 'term' and reason <> 'ended')
    )
    order by position limit ${limit}`,
)

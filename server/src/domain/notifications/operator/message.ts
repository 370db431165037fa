import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { Db } from '../../../platform/db/store.ts'
import type { DecisionKind } from '../../../platform/db/tables/decisions.ts'
import type { Links } from '../../../platform/http/links.ts'
import { COMMAND } from '../../../platform/lib/package.ts'
import { counted, dollars, plainText } from '../../../platform/lib/text.ts'
import { daysMs, HOUR_MS, utcDay, utcMinute } from '../../../platform/lib/time.ts'
import { allWaiting, type Item, KINDS, type Waiting } from './waiting.ts'
import { WARNINGS, type Warning } from './warnings.ts'

/** The digest is sent from this hour on, UTC. */
const DIGEST_HOUR = 7

/** Returns whether the digest of a day is due, if the last one was on `digestDay`. */
export const isDigestDue = (digestDay: string, now: number): boolean =>
  utcDay(now) !== digestDay && new Date(now).getUTCHours() >= DIGEST_HOUR

/** Returns the digest: the last whole UTC day in numbers, the pending items, and the checkpoint of the log. */
export async function digestMessage(db: Db, links: Links, now: number): Promise<Message> {
  const end = Date.parse(utcDay(now))
  const day = utcDay(end - 1)
  const counts = await countsOf(db, end - daysMs(1), end)
  const paid = await paidOn(db, day)
  const waiting = await allWaiting(db)
  const checkpoint = await db.selectFrom('log_checkpoint').select(['size', 'root', 'note']).executeTakeFirst()
  const { listed, refused, hidden, withdrawn, restored, reports, appeals } = counts
  return {
    id: uuidv7({ msecs: now }),
    type: 'operator.digest',
    at: now,
    subject: `${links.site.name}: ${day}`,
    text: [
      `${day} (UTC) at ${links.base}:`,
      '',
      `- ${listed} listed, ${refused} refused`,
      `- ${hidden} taken down, ${withdrawn} withdrawn by their owners, ${restored} restored`,
      `- reports: ${reports}, appeals: ${appeals}`,
      `- places of the day: ${paid.places}, for ${dollars(paid.cents)}${links.site.isMoneyPlay ? ' of play money' : ''}`,
      '',
      ...(waiting.length > 0
        ? ['Needs your attention:', ...waiting.map(each => waitingLine(each, now))]
        : ['Nothing needs your attention.']),
      ...(checkpoint
        ? [
            '',
            'The public log, signed. To check against it later, store these lines in a file, without a change, and run',
            `${COMMAND} audit verify --checkpoint FILE`,
            '',
            checkpoint.note.trimEnd(),
          ]
        : []),
    ].join('\n'),
    data: {
      day,
      ...counts,
      places: paid.places,
      paidCents: paid.cents,
      waiting: waiting.map(each => dataOf(each, links)),
      checkpoint: checkpoint ?? null,
    },
  }
}

const waitingLine = (waiting: Waiting, now: number): string =>
  `- ${countText(waiting)}, the oldest for ${ageText(now - waiting.oldestAt)}, since ${utcMinute(waiting.oldestAt)}`

function ageText(ageMs: number): string {
  const hours = Math.max(0, Math.floor(ageMs / HOUR_MS))
  const [count, unit] = hours < 48 ? [hours, 'hour'] : [Math.floor(hours / 24), 'day']
  return counted(count, unit)
}

async function countsOf(db: Db, from: number, until: number) {
  const rows = await db
    .selectFrom('decision')
    .select(['kind', 'reason', eb => eb.fn.countAll<number>().as('decisions')])
    // Ids begin with a time, so this skips most older rows. The id of a submission is made when it arrives.
    .where('id', '>=', uuidFloor(from - daysMs(1)))
    .where('at', '>=', from)
    .where('at', '<', until)
    .groupBy(['kind', 'reason'])
    .execute()
  const of = (kind: DecisionKind, isWanted = (_reason: string) => true) =>
    rows.filter(row => row.kind === kind && isWanted(row.reason)).reduce((sum, { decisions }) => sum + decisions, 0)
  return {
    listed: of('accept'),
    refused: of('refuse'),
    hidden: of('hide', reason => reason !== 'withdrawn'),
    withdrawn: of('hide', reason => reason === 'withdrawn'),
    restored: of('restore'),
    reports: of('report'),
    appeals: of('appeal'),
  }
}

/** Every UUIDv7 of that time or later is greater. */
const uuidFloor = (at: number): string => {
  const hex = at.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}`
}

async function paidOn(db: Db, day: string): Promise<{ places: number; cents: number }> {
  const { places, cents } = await db
    .selectFrom('board_total')
    .select([eb => eb.fn.countAll<number>().as('places'), sql<number>`coalesce(sum("totalCents"), 0)`.as('cents')])
    .where('board', '=', day)
    .where('totalCents', '>', 0)
    .where('shown', '=', 1)
    .executeTakeFirstOrThrow()
  return { places, cents: Number(cents) }
}

/** An immediate notification to the operator. It is stored before it is sent, so each attempt sends the same. */
export interface Message {
  /** UUIDv7. */
  id: string
  type: 'operator.news' | 'operator.digest' | 'operator.test'
  at: number
  /** Contains only text and numbers of our own. */
  subject: string
  /** Lines of text for a person. */
  text: string
  /** The same content for a program. */
  data: object
}

/** Returns the code of a pending item as text for a person. */
export type ItemWords = (kind: Waiting['kind'], what: string) => string

/** Returns the message about what arrived since the last one. */
export const newsMessage = (news: readonly Waiting[], words: ItemWords, links: Links, now: number): Message => ({
  id: uuidv7({ msecs: now }),
  type: 'operator.news',
  at: now,
  subject: `${links.site.name}: ${news.map(countText).join(', ')}`,
  text: [`New at ${links.base}:`, ...news.flatMap(each => ['', ...linesOf(each, words, links)])].join('\n'),
  data: { waiting: news.map(each => dataOf(each, links)) },
})

/** Returns text such as `3 reports`. */
const countText = ({ kind, count }: Waiting): string => `${count} ${count === 1 ? KINDS[kind].one : KINDS[kind].many}`

function linesOf(waiting: Waiting, words: ItemWords, links: Links): string[] {
  const { kind, count, first } = waiting
  const row = KINDS[kind]
  const see = 'see' in row ? `, see ${COMMAND} ${row.see}` : ''
  const more = count > first.length ? [`- and ${count - first.length} more`] : []
  return [countText(waiting) + see, ...first.flatMap(item => itemLines(item, kind, words, links)), ...more]
}

function itemLines({ at, what, title, slug }: Item, kind: Waiting['kind'], words: ItemWords, links: Links): string[] {
  if (kind === 'warning') return [`- ${WARNINGS[what as Warning] ?? what}`]
  const line = `- ${utcMinute(at)}  ${words(kind, what)}  ${quoted(title)}`
  return slug === null ? [line] : [line, `  ${links.product(slug)}`]
}

/** Returns the data of `docs/operate.md`. Titles are as their pages declare them. */
const dataOf = ({ kind, count, oldestAt, first }: Waiting, links: Links) => ({
  kind,
  count,
  oldestAt,
  first: first.map(({ at, what, title, slug }) => ({
    at,
    what,
    title,
    productUrl: slug === null ? null : links.product(slug),
  })),
})

const QUOTED_MAX_LENGTH = 80

/**
 * Returns a stranger's text for use within a line of ours: short, in one line, without quotation marks that could end
 * it early, and without anything that a mail program turns into a link.
 */
export const quoted = (text: string): string =>
  `“${plainText(text, QUOTED_MAX_LENGTH)
    .replaceAll(/[“”"]/g, '')
    .replaceAll(/[.。．｡](?=[\p{L}\p{N}])/gu, '[.]')
    .replaceAll(/:(?=\S)/g, '[:]')
    .replaceAll('@', '[at]')}”`

import { v7 as uuidv7 } from 'uuid'
import type { Links } from '../../../platform/http/links.ts'
import { COMMAND } from '../../../platform/lib/package.ts'
import { plainText } from '../../../platform/lib/text.ts'
import { utcMinute } from '../../../platform/lib/time.ts'
import { type Item, KINDS, type Waiting } from './waiting.ts'
import { WARNINGS, type Warning } from './warnings.ts'

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
export const countText = ({ kind, count }: Waiting): string =>
  `${count} ${count === 1 ? KINDS[kind].one : KINDS[kind].many}`

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
export const dataOf = ({ kind, count, oldestAt, first }: Waiting, links: Links) => ({
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

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { VNode } from 'preact'
import { isSlug } from '../../domain/listings/listing.ts'
import type { SeenCase } from '../../domain/moderation/console/act.ts'
import type { Answer } from '../../domain/moderation/console/passkeys.ts'
import { type Case, type QueueFilter, WAITING, type WaitingCounts } from '../../domain/moderation/console/queue.ts'
import type { ConsoleSession } from '../../domain/moderation/console/sessions.ts'
import type { Done } from '../../domain/moderation/console/undo.ts'
import { REPORT_REASONS } from '../../domain/moderation/reports.ts'
import type { HostRange } from '../../domain/review/reviewers/blocked-hosts.ts'
import type { Links } from '../../platform/http/links.ts'
import { HTML } from '../../platform/http/send.ts'
import { isUuid, plainText } from '../../platform/lib/text.ts'
import { CHALLENGE, sentCookie } from '../ui/cookies.ts'
import { renderDocument } from '../ui/layout.tsx'
import type { Needs } from '../ui/page-parts.ts'

/** Fields of a form. One that occurs more than once is a list. */
export type Fields = Record<string, unknown>

export const EXPLANATION_MAX_LENGTH = 500
const LABEL_MAX_LENGTH = 40

export const textOf = (value: unknown, maxLength = EXPLANATION_MAX_LENGTH): string =>
  typeof value === 'string' ? plainText(value, maxLength) : ''

/** The listing that a form is about; empty if it names none. */
export const slugOf = ({ slug }: Fields): string => (typeof slug === 'string' && isSlug(slug) ? slug : '')

/** What its user calls the device of a new passkey. */
export const labelOf = ({ label }: Fields): string => textOf(label, LABEL_MAX_LENGTH)

export const answerIn = (request: FastifyRequest, form: Fields, { links, clock }: ConsoleDependencies): Answer => ({
  cookie: sentCookie(request, CHALLENGE, links),
  json: form.answer,
  now: clock(),
})

const PAGES = ['users', 'payments'] as const

/** The page to return to, as form fields: a listing's (`slug`), one of these (`from`), or the queue under a filter. */
export type Back = QueueFilter & { slug?: string; from?: (typeof PAGES)[number] }

/** The field by which a form names the page that it came from. Nothing in it becomes an address. */
export function backIn(form: Fields): Record<string, string> {
  const [slug, from] = [slugOf(form), PAGES.find(each => each === form.from)]
  const { waiting, reason } = filterFrom(form)
  return slug ? { slug } : from ? { from } : { ...(waiting && { waiting }), ...(reason && { reason }) }
}

/** The page that a form came from. */
export function backFrom(form: Fields): string {
  const { slug, from } = backIn(form)
  if (slug) return `/console/listing/${slug}`
  return from ? `/console/${from}` : queuePath(filterFrom(form))
}

/** Reads a filter from a form or a query, and ignores unknown values. */
export function filterFrom({ waiting, reason }: Fields): QueueFilter {
  const kind = WAITING.find(each => each === waiting)
  const isReason = typeof reason === 'string' && (Object.hasOwn(REPORT_REASONS, reason) || reason === 'failed_review')
  return {
    ...(kind && { waiting: kind }),
    ...(isReason && { reason }),
  }
}

/** Address of the queue under a filter. */
export function queuePath({ waiting, reason }: QueueFilter, more: Record<string, string> = {}): string {
  const query = new URLSearchParams({ ...(waiting && { waiting }), ...(reason && { reason }), ...more })
  return `/console${query.size > 0 ? `?${query}` : ''}`
}

/** The page that shows the listings of a host, and blocks it. */
export const blocksPath = ({ host, subdomains }: HostRange): string =>
  `/console/blocks?${new URLSearchParams({ host, ...(subdomains && { below: 'yes' }) })}`

/** A case as a form carries it: which listing, and what its operator had seen of it. Short, since a form holds many. */
export const caseValue = ({ listing, lastReport, lastFinding, last }: Case): string =>
  [listing.id, lastReport, lastFinding, last?.id ?? ''].join('.')

/** @returns undefined if it is no such value */
export function readCaseValue(value: unknown): SeenCase | undefined {
  if (typeof value !== 'string') return undefined
  const [seen = '', ...numbers] = value.split('.').reverse()
  const areNumbers = numbers.length === 3 && numbers.every(number => /^\d{1,15}$/.test(number))
  if (!areNumbers || (seen !== '' && !isUuid(seen))) return undefined
  const [lastFinding = 0, lastReport = 0, listingId = 0] = numbers.map(Number)
  return { listingId, lastReport, lastFinding, seen: seen || null }
}

/** All cases of a page, with an explanation in any characters; or the answer of a passkey. */
export const FORM_MAX_BYTES = 16 * 1024

export type ConsoleDependencies = Needs<'store' | 'links' | 'allowances' | 'serviceKeys' | 'clock'>

/** What every page of the console needs. */
export interface ConsoleView {
  links: Links
  session: ConsoleSession
  counts: WaitingCounts
  now: number
}

/** A request by an operator in the console. */
export interface Visit {
  view: ConsoleView
  request: FastifyRequest
  reply: FastifyReply
}

/**
 * Does what a form asks for. The session's next page shows the sentence, or what was done; or a page that is shown only
 * once answers.
 */
export type Perform = (
  deps: ConsoleDependencies,
  visit: Visit,
  form: Fields,
) => Promise<string | Omit<Done, 'id' | 'at'> | { page: VNode } | undefined>

export const sendPage = (reply: FastifyReply, page: VNode) => reply.type(HTML).send(renderDocument(page))

import type { FastifyReply, FastifyRequest } from 'fastify'
import { isSlug } from '../../domain/listings/listing.ts'
import type { SeenCase } from '../../domain/moderation/console/act.ts'
import type { Answer } from '../../domain/moderation/console/passkeys.ts'
import { type Case, type QueueFilter, WAITING } from '../../domain/moderation/console/queue.ts'
import { rememberAct } from '../../domain/moderation/console/undo.ts'
import { REPORT_REASONS } from '../../domain/moderation/reports.ts'
import type { ServiceKeys } from '../../domain/ownership/service-keys/service-keys.ts'
import type { HostRange } from '../../domain/review/reviewers/blocked-hosts.ts'
import type { Store } from '../../platform/db/store.ts'
import type { Links } from '../../platform/http/links.ts'
import type { Allowances } from '../../platform/http/rate-limits/counter.ts'
import { isUuid, plainText } from '../../platform/lib/text.ts'
import { sentChallenge } from '../ui/cookies.ts'
import type { ConsoleView } from './frame.tsx'

/** Fields of a form. One that occurs more than once is a list. */
export type Form = Record<string, unknown>

const EXPLANATION_MAX_LENGTH = 500
const LABEL_MAX_LENGTH = 40

export const textOf = (value: unknown, maxLength = EXPLANATION_MAX_LENGTH): string =>
  typeof value === 'string' ? plainText(value, maxLength) : ''

/** What its user calls the device of a new passkey. */
export const labelOf = ({ label }: Form): string => textOf(label, LABEL_MAX_LENGTH)

export const answerIn = (request: FastifyRequest, form: Form, { links, clock }: ConsoleDependencies): Answer => ({
  cookie: sentChallenge(request, links),
  json: form.answer,
  now: clock(),
})

const PAGES = ['users', 'payments'] as const

/** The field by which a form names the page that it came from. Nothing in it becomes an address. */
export function backIn({ slug, from }: Form): Record<string, string> {
  const page = PAGES.find(each => each === from)
  return typeof slug === 'string' && isSlug(slug) ? { slug } : page ? { from: page } : {}
}

/** The page that a form came from. */
export function backFrom(form: Form): string {
  const { slug, from } = backIn(form)
  if (slug) return `/console/listing/${slug}`
  return from ? `/console/${from}` : queuePath(filterFrom(form))
}

/** Reads a filter from a form or a query, and ignores unknown values. */
export function filterFrom({ waiting, reason }: Form): QueueFilter {
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

/** What the console's routes need. */
export interface ConsoleDependencies {
  store: Store
  links: Links
  allowances: Allowances
  /** The newest derives reissued links. */
  serviceKeys: ServiceKeys
  clock: () => number
}

/** A request by an operator in the console. */
export interface Visit {
  view: ConsoleView
  request: FastifyRequest
  reply: FastifyReply
}

/** Has the session's next page show a sentence. */
export const say = ({ store }: ConsoleDependencies, { view }: Visit, words: string): Promise<void> =>
  rememberAct(store, view.session, { did: 'say', at: view.now, acted: [], words })

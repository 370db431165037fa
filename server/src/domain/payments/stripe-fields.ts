import type { EventKind } from '../../platform/db/tables/payments.ts'

/** Unchecked fields of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>

/** Returns the fields of an object; empty for anything else. */
export const asFields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}

/** Returns the id in a reference, alone or in an expanded object; that of `otherwise` if there is no reference. */
export function idOf(reference: unknown, otherwise: unknown): string | undefined {
  const chosen = reference ?? otherwise
  const id = typeof chosen === 'string' ? chosen : asFields(chosen).id
  return isText(id) ? id : undefined
}

/** Ids and types are printable ASCII; PostgreSQL cannot store a NUL. */
export const isText = (value: unknown): value is string =>
  typeof value === 'string' && /^[\x20-\x7e]{1,255}$/.test(value)

/** Amounts are whole and not negative, in the currency's smallest unit. */
export const isAmount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

export const isCurrency = (value: unknown): value is string => typeof value === 'string' && /^[a-z]{3}$/i.test(value)

/** The last second of a four-digit year, so that its day can be written. */
const LAST_SECOND = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000

/** A time in Unix seconds. */
export const isSecond = (value: unknown): value is number => isAmount(value) && value <= LAST_SECOND

/**
 * The meaning of a refund's status. Failed and cancelled are final. For every other status, the money is returned or on
 * its way. Old API versions have no status.
 */
const REFUND_KINDS: ReadonlyMap<unknown, EventKind> = new Map<unknown, EventKind>([
  ['pending', 'refund_made'],
  ['requires_action', 'refund_made'],
  ['succeeded', 'refund_made'],
  [null, 'refund_made'],
  ['failed', 'refund_failed'],
  ['canceled', 'refund_failed'],
])

/**
 * The meaning of a dispute's status. A closed inquiry and a prevented dispute took no money. In old API versions, one
 * that a refund closed has a status of its own: what it took, the refund takes.
 */
const DISPUTE_KINDS: ReadonlyMap<unknown, EventKind> = new Map<unknown, EventKind>([
  ['needs_response', 'disputed'],
  ['under_review', 'disputed'],
  // Lost and appealed: the money is not returned unless the appeal is won.
  ['appeal_needs_response', 'disputed'],
  ['appeal_under_review', 'disputed'],
  ['won', 'dispute_won'],
  ['warning_closed', 'dispute_won'],
  ['prevented', 'dispute_won'],
  ['charge_refunded', 'dispute_won'],
  ['lost', 'dispute_lost'],
])

const FUNDS_WITHDRAWN = 'charge.dispute.funds_withdrawn'

/** Returns the kind of a refund; undefined for an unknown status. */
export const refundKind = ({ status }: Fields): EventKind | undefined => REFUND_KINDS.get(status)

/** Returns the kind of a dispute; undefined for an unknown status. */
export const disputeKind = ({ status }: Fields): EventKind | undefined =>
  isInquiry(status) ? 'disputed' : DISPUTE_KINDS.get(status)

/**
 * Returns whether an event is about an inquiry, which usually takes no money. If it does, an event says that funds were
 * withdrawn.
 */
export const isMereInquiry = (type: string, { status }: Fields): boolean =>
  isInquiry(status) && type !== FUNDS_WITHDRAWN

const isInquiry = (status: unknown): boolean => status === 'warning_needs_response' || status === 'warning_under_review'

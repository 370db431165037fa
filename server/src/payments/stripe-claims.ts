import type { EventKind } from '../storage/schema.ts'
import type { Fields } from './stripe-fields.ts'

/**
 * The meaning of a refund's status. Failed and cancelled are final. For every other status, the money is gone or on its
 * way. Old API versions have no status.
 */
const REFUND_KINDS: ReadonlyMap<unknown, EventKind> = new Map<unknown, EventKind>([
  ['pending', 'refund_made'],
  ['requires_action', 'refund_made'],
  ['succeeded', 'refund_made'],
  [null, 'refund_made'],
  ['failed', 'refund_failed'],
  ['canceled', 'refund_failed'],
])

/** The meaning of a dispute's status. A closed inquiry and a prevented dispute took no money. */
const DISPUTE_KINDS: ReadonlyMap<unknown, EventKind> = new Map<unknown, EventKind>([
  ['needs_response', 'disputed'],
  ['under_review', 'disputed'],
  // Lost and appealed: the money stays away unless the appeal is won.
  ['appeal_needs_response', 'disputed'],
  ['appeal_under_review', 'disputed'],
  ['won', 'dispute_won'],
  ['warning_closed', 'dispute_won'],
  ['prevented', 'dispute_won'],
  ['lost', 'dispute_lost'],
])

const FUNDS_WITHDRAWN = 'charge.dispute.funds_withdrawn'

/** @returns undefined for an unknown status */
export const refundKind = ({ status }: Fields): EventKind | undefined => REFUND_KINDS.get(status)

/** @returns undefined for an unknown status */
export const disputeKind = ({ status }: Fields): EventKind | undefined =>
  isInquiry(status) ? 'disputed' : DISPUTE_KINDS.get(status)

/** An inquiry takes no money and usually never does. If it does, an event says that funds were withdrawn. */
export const isMereInquiry = (type: string, { status }: Fields): boolean =>
  isInquiry(status) && type !== FUNDS_WITHDRAWN

const isInquiry = (status: unknown): boolean =>
  status === 'warning_needs_response' || status === 'warning_under_review'

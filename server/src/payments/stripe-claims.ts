import type { EventKind } from '../storage/schema.ts'
import type { Fields } from './stripe-fields.ts'

/**
 * What the status of a refund comes to. Failed and canceled are final; the money of every other one is gone, or is on its
 * way. Old API versions give none.
 */
const REFUND_KINDS: ReadonlyMap<unknown, EventKind> = new Map<unknown, EventKind>([
  ['pending', 'refund_made'],
  ['requires_action', 'refund_made'],
  ['succeeded', 'refund_made'],
  [null, 'refund_made'],
  ['failed', 'refund_failed'],
  ['canceled', 'refund_failed'],
])

/** What the status of a dispute comes to. An inquiry that was closed, and a dispute that was prevented, took no money. */
const DISPUTE_KINDS: ReadonlyMap<unknown, EventKind> = new Map<unknown, EventKind>([
  ['needs_response', 'disputed'],
  ['under_review', 'disputed'],
  // Lost, and asked again: the money stays where it is until that is won.
  ['appeal_needs_response', 'disputed'],
  ['appeal_under_review', 'disputed'],
  ['won', 'dispute_won'],
  ['warning_closed', 'dispute_won'],
  ['prevented', 'dispute_won'],
  ['lost', 'dispute_lost'],
])

const FUNDS_WITHDRAWN = 'charge.dispute.funds_withdrawn'

/** @returns undefined for a status that nobody here knows */
export const refundKind = ({ status }: Fields): EventKind | undefined => REFUND_KINDS.get(status)

/** @returns undefined for a status that nobody here knows */
export const disputeKind = ({ status }: Fields): EventKind | undefined =>
  isInquiry(status) ? 'disputed' : DISPUTE_KINDS.get(status)

/** An inquiry takes no money, and mostly never does; where it does after all, the funds are withdrawn. */
export const isMereInquiry = (type: string, { status }: Fields): boolean =>
  isInquiry(status) && type !== FUNDS_WITHDRAWN

const isInquiry = (status: unknown): boolean =>
  status === 'warning_needs_response' || status === 'warning_under_review'

import { type StoredEvent, takenOff } from './amounts.ts'

/**
 * How much of a payment was refunded, in cents.
 *
 * The processor reports each refund, and the sum so far. A refund counts from when it is made, even while pending,
 * until it has failed or was cancelled. That is final, so the order of events does not matter. Each sum was true at its
 * time, so the sum less what has failed since is a lower bound, even if a refund's own event never arrived. All these
 * bounds hold, and the largest is the answer.
 */
export function refundedCents(events: readonly StoredEvent[], paid: StoredEvent | undefined): number {
  const refunds = refundsOf(events, paid)
  const given = sum(refunds.filter(({ failedAt }) => failedAt === undefined))
  const atLeast = events
    .filter(event => event.kind === 'refunded')
    .map(event => takenOff(event, paid) - sum(refunds.filter(hasFailedSince(event.occurredAt))))
  return Math.max(0, given, ...atLeast)
}

interface Refund {
  cents: number
  /** By the processor's clock; undefined if it did not fail. */
  failedAt: number | undefined
}

function refundsOf(events: readonly StoredEvent[], paid: StoredEvent | undefined): Refund[] {
  const about = Map.groupBy(
    events.filter(event => event.kind === 'refund_made' || event.kind === 'refund_failed'),
    event => event.refundId,
  )
  return [...about.values()].map(its => {
    const failures = its.filter(event => event.kind === 'refund_failed')
    return {
      cents: Math.max(...its.map(event => takenOff(event, paid))),
      failedAt: failures.length > 0 ? Math.min(...failures.map(event => event.occurredAt)) : undefined,
    }
  })
}

/** Times are whole seconds. A refund that fails in the same second as a sum was made before it, so the sum includes it. */
const hasFailedSince =
  (at: number) =>
  ({ failedAt }: Refund): boolean =>
    failedAt !== undefined && failedAt >= at

const sum = (refunds: readonly Refund[]): number => refunds.reduce((total, { cents }) => total + cents, 0)

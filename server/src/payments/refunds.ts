import { type StoredEvent, takenOff } from './amounts.ts'

/**
 * What of a payment was given back, in cents.
 *
 * The processor tells of each refund by itself, and of the sum so far. A refund counts from when it is made, also while
 * it is pending, until it has failed or was canceled, which is final: so no order of the events is needed to tell. Each
 * sum was true at its time, so that less what has failed since is the least that is given back, also where nothing was
 * heard of one of the refunds. All of these hold at once, and the largest is the answer.
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
  /** The processor's time; undefined: it did not fail. */
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

/** Times are whole seconds: a refund that fails in the second of a sum is in that sum, for it was made before. */
const hasFailedSince =
  (at: number) =>
  ({ failedAt }: Refund): boolean =>
    failedAt !== undefined && failedAt >= at

const sum = (refunds: readonly Refund[]): number => refunds.reduce((total, { cents }) => total + cents, 0)

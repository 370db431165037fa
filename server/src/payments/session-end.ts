import { nextMidnight } from '../time.ts'
import type { SessionOrder } from './stripe.ts'

const MINUTE_MS = 60 * 1000
const LONGEST_MS = 60 * MINUTE_MS
/** Stripe's minimum is 30 minutes from the request, by its own clock. */
const SHORTEST_MS = 31 * MINUTE_MS

/**
 * When an order's payment page closes by itself, in Unix milliseconds: after an hour. For a day's board, at the end of
 * the day, or as soon after it as Stripe allows.
 */
export function sessionEnd({ board, createdAt }: Pick<SessionOrder, 'board' | 'createdAt'>): number {
  const latest = createdAt + LONGEST_MS
  if (board === 'all') return latest
  return Math.min(latest, Math.max(nextMidnight(createdAt), createdAt + SHORTEST_MS))
}

/** Whether the payment page for a day's board may stay open after that day. */
export const mayOutlastDay = (order: Pick<SessionOrder, 'board' | 'createdAt'>): boolean =>
  order.board === 'today' && sessionEnd(order) > nextMidnight(order.createdAt)

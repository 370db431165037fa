import { nextMidnight } from '../time.ts'
import type { SessionOrder } from './stripe.ts'

const MINUTE_MS = 60 * 1000
const LONGEST_MS = 60 * MINUTE_MS
/** Stripe's least is 30 minutes from when it hears of it, by its own clock. */
const SHORTEST_MS = 31 * MINUTE_MS

/**
 * When the payment page of an order closes by itself, in Unix milliseconds: after an hour, and for a board of a day with
 * that day, or as soon after it as Stripe allows.
 */
export function sessionEnd({ board, createdAt }: Pick<SessionOrder, 'board' | 'createdAt'>): number {
  const latest = createdAt + LONGEST_MS
  if (board === 'all') return latest
  return Math.min(latest, Math.max(nextMidnight(createdAt), createdAt + SHORTEST_MS))
}

/** Whether somebody may still pay for the board of a day when that day is over. */
export const mayOutlastDay = (order: Pick<SessionOrder, 'board' | 'createdAt'>): boolean =>
  order.board === 'today' && sessionEnd(order) > nextMidnight(order.createdAt)

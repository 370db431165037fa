import type { Generated } from 'kysely'
import type { LedgerTables } from './schema/ledger.ts'
import type { PublishingTables } from './schema/publishing.ts'
import type { SiteTables } from './schema/site.ts'

export type * from './schema/ledger.ts'
export type * from './schema/publishing.ts'
export type * from './schema/site.ts'

/**
 * All times are Unix milliseconds, all hashes and digests lower-case hex, all days UTC as YYYY-MM-DD. How long the rows of
 * each table are kept: `retention/retention.ts`.
 */
export interface Database extends PublishingTables, LedgerTables, SiteTables {
  sandbox_session: SandboxSessionTable
  sandbox_event: SandboxEventTable
}

/** A payment page of the sandbox processor, which plays the part of a real one: only its own files use these two. */
export interface SandboxSessionTable {
  id: string
  idempotencyKey: string
  checkoutId: string
  paymentId: string
  description: string
  amountCents: number
  successUrl: string
  cancelUrl: string
  status: 'open' | 'complete' | 'expired'
  paymentStatus: 'unpaid' | 'paid' | 'failed'
  /** In all, without those that failed. */
  refundedCents: number
  /** JSON of each refund, oldest first. */
  refunds: string
  disputeId: string | null
  /** What the dispute is about. */
  disputedCents: number
  disputeStatus: 'open' | 'won' | 'lost' | null
  createdAt: number
  expiresAt: number
}

/** An event the sandbox delivers, or has delivered. */
export interface SandboxEventTable {
  id: Generated<number>
  sessionId: string
  eventId: string
  type: string
  /** JSON, as it is signed and sent. */
  payload: string
  createdAt: number
  /** When it is sent next; null: not before somebody says so. */
  deliverAt: number | null
  /** Since it was last said to be sent. */
  attempts: number
  /** How often it was sent and accepted, and when last. */
  deliveries: number
  deliveredAt: number | null
  /** What the last attempt brought, for people. */
  answer: string | null
}

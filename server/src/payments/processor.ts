import type { Board } from '@placard/contract'
import type { ProcessorEventTable, ProcessorName } from '../storage/schema.ts'

/** What a person is going to pay for. */
export interface SessionOrder {
  /** Sent as `client_reference_id`. Repeating the request with it returns the same session. */
  checkoutId: string
  /** Decides, with `createdAt`, when the payment page closes. Money for `today` must arrive on the day. */
  board: Board
  /** Unix milliseconds. A repeat must send the same. */
  createdAt: number
  amountCents: number
  /** One line on the processor's page and receipt. */
  description: string
  /** Where the browser returns, paid or not. */
  successUrl: string
  cancelUrl: string
}

/** A payment page, as the processor describes it. Moves no money here: only events do. */
export interface ProcessorSession {
  status: 'open' | 'complete' | 'expired'
  /** Where a person pays, while the session is open. */
  url: string | null
}

/** A verified event in the ledger's terms. */
export type ProcessorEvent = Omit<ProcessorEventTable, 'receivedAt'>

/**
 * An external payment processor, the only place where anyone pays. Every method that calls it throws Problem
 * payments_unavailable if it gives no good answer.
 */
export interface Processor {
  name: ProcessorName
  /** Where it delivers events to. */
  webhookPath: `/webhooks/${string}`
  /** Its name for people, who are sent there. */
  label: string
  /** Opens a payment page. Asking twice for the same checkout gives one session. @returns the session's id */
  createSession(order: SessionOrder): Promise<string>
  readSession(sessionId: string): Promise<ProcessorSession>
  /**
   * Closes a payment page, so that nobody can pay there. One already paid or closed stays as it is.
   *
   * @returns its state: `complete` if somebody had already completed it
   */
  expireSession(sessionId: string): Promise<'closed' | 'complete'>
  /**
   * Verifies and reads one webhook delivery. `rawBody` holds the exact bytes received.
   *
   * @returns undefined for event types that say nothing about money
   * @throws Problem invalid_signature if the processor did not sign it, it was altered, or it is too old at `now`;
   * invalid_json or invalid_body if it is signed but not an event
   */
  readEvent(rawBody: Buffer, signature: string | undefined, now: number): ProcessorEvent | undefined
}

import type { Board } from '@placard/contract'
import type { ProcessorEventTable, ProcessorName } from '../storage/schema.ts'

/** What a person is about to pay for. */
export interface SessionOrder {
  /** Goes along as `client_reference_id`, and makes a repeat of the request the same session. */
  checkoutId: string
  /** With the next decides when the payment page closes by itself. Money for `today` has to come on the day. */
  board: Board
  /** Unix milliseconds. A repeat must say the same. */
  createdAt: number
  amountCents: number
  /** One line on the processor's page and receipt. */
  description: string
  /** Where the browser comes back to, paid or not. */
  successUrl: string
  cancelUrl: string
}

/** A payment page of the processor, as it says itself. Moves no money here: only its events do. */
export interface ProcessorSession {
  status: 'open' | 'complete' | 'expired'
  /** Where a person pays, while the session is open. */
  url: string | null
}

/** What a verified event says, in the words of the ledger. */
export type ProcessorEvent = Omit<ProcessorEventTable, 'receivedAt'>

/**
 * An external payment processor: the only place where anyone pays. Every method that asks it throws the Problem
 * `payments_unavailable` when it gives no good answer.
 */
export interface Processor {
  name: ProcessorName
  /** Where it delivers events to. */
  webhookPath: `/webhooks/${string}`
  /** As people know it, to say where they are being sent. */
  label: string
  /** Opens a payment page. The same checkout asked for twice is one session. @returns the session's id */
  createSession(order: SessionOrder): Promise<string>
  readSession(sessionId: string): Promise<ProcessorSession>
  /**
   * Closes a payment page, so that nobody pays there any more. One that is paid or closed already stays as it is.
   *
   * @returns what it now is: `complete` where somebody went through with it before
   */
  expireSession(sessionId: string): Promise<'closed' | 'complete'>
  /**
   * Verifies and reads one delivery of its webhook. `rawBody` is what was received, byte for byte.
   *
   * @returns undefined where the event is of a type that says nothing about money
   * @throws Problem invalid_signature when it is not signed by the processor, was altered, or is too old at `now`;
   *   invalid_json or invalid_body when it is signed and yet no event
   */
  readEvent(rawBody: Buffer, signature: string | undefined, now: number): ProcessorEvent | undefined
}

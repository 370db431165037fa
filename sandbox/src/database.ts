import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import SQLite from 'better-sqlite3'

export type Database = SQLite.Database

/** What a payment page sells. */
export interface Order {
  clientReferenceId: string | null
  description: string
  amountCents: number
  successUrl: string
  cancelUrl: string
  /** Unix milliseconds. */
  expiresAt: number
}

/** A payment page and the state of its payment. */
export interface Session extends Order {
  id: string
  idempotencyKey: string | null
  /** The form that opened it, sorted. */
  parameters: string
  paymentId: string
  status: 'open' | 'complete' | 'expired'
  paymentStatus: 'unpaid' | 'paid' | 'failed'
  /** In total, without those that failed. */
  refundedCents: number
  /** JSON of each refund, oldest first. */
  refunds: string
  disputeId: string | null
  disputedCents: number
  disputeStatus: 'open' | 'won' | 'lost' | null
  /** Unix milliseconds. */
  createdAt: number
}

/** An event to deliver, or already delivered. All times are Unix milliseconds. */
export interface StoredEvent {
  id: number
  sessionId: string
  eventId: string
  type: string
  /** JSON, as it is signed and sent. */
  payload: string
  createdAt: number
  /** When to send it next; null if only on request. */
  deliverAt: number | null
  /** Attempts since it was last requested. */
  attempts: number
  /** How often it was accepted, and when last. */
  deliveries: number
  deliveredAt: number | null
  /** The outcome of the last attempt, for people. */
  answer: string | null
}

const SCHEMA = `
  create table if not exists session (
    id text primary key,
    idempotencyKey text unique,
    parameters text not null,
    clientReferenceId text,
    paymentId text not null,
    description text not null,
    amountCents integer not null,
    successUrl text not null,
    cancelUrl text not null,
    status text not null,
    paymentStatus text not null,
    refundedCents integer not null,
    refunds text not null,
    disputeId text,
    disputedCents integer not null,
    disputeStatus text,
    createdAt integer not null,
    expiresAt integer not null
  ) strict;
  create table if not exists event (
    id integer primary key,
    sessionId text not null references session (id) on delete cascade,
    eventId text not null unique,
    type text not null,
    payload text not null,
    createdAt integer not null,
    deliverAt integer,
    attempts integer not null default 0,
    deliveries integer not null default 0,
    deliveredAt integer,
    answer text
  ) strict;
  create index if not exists event_waiting on event (deliverAt) where deliverAt is not null;
  create index if not exists event_of_session on event (sessionId);
`

/** Opens the sandbox's own database, or creates it. Several processes may share one file. */
export function openDatabase(file: string): Database {
  if (file !== ':memory:') {
    mkdirSync(dirname(file), { recursive: true })
    // Private from the beginning, like the service's own database.
    closeSync(openSync(file, 'a', 0o600))
  }
  const db = new SQLite(file)
  db.pragma('journal_mode = WAL')
  // A payment survives a power cut, as it does at Stripe.
  db.pragma('synchronous = FULL')
  db.exec(SCHEMA)
  return db
}

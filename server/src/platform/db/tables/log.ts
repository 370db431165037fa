import type { Generated } from 'kysely'
import { FOREVER, type TablePolicies } from './retention.ts'

/** The public log of decisions and of effects on boards, and what this service witnessed of others' logs. */
export interface LogTables {
  /** An effect without an index: written by the transaction that causes it, deleted by the job that adds its entry. */
  log_outbox: {
    id: Generated<number>
    at: number
    kind: string
    /** `all`, or a UTC day. */
    board: string | null
    listingId: number | null
    changeCents: number | null
    /** Verified money after the effect, also while the listing is hidden. */
    totalCents: number | null
    reachedAt: number | null
    /** Whether the listing has its place afterwards, 0 or 1. */
    shown: number | null
    /** JSON: what only this kind has. */
    extra: string | null
  }
  /** An entry of the log. Never changes. */
  log_entry: {
    /** Its index, from 0 without gaps. */
    position: number
    /** The leaf, as it is hashed. */
    entry: string
    /** The decision that it is about. */
    decisionId: string | null
  }
  /** The root of a full tile of the level below. Level 0, the hashes of entries, is not stored. */
  log_node: {
    /** From 1. */
    level: number
    index: number
    hash: Buffer
  }
  /** One row, with the id 1, from the first entry on. */
  log_head: {
    id: number
    size: number
    /** The last time when no decision or effect was pending. */
    seenAt: number | null
    /** Why no checkpoint is signed any more: JSON. */
    broken: string | null
  }
  /** The latest checkpoint, signed. One row, with the id 1. */
  log_checkpoint: {
    id: number
    origin: string
    size: number
    /** Base64. */
    root: string
    /** The signed note, with the cosignatures so far. */
    note: string
    at: number
  }
  /** The newest checkpoint of another log that this service cosigned. */
  witnessed_log: {
    origin: string
    size: number
    /** Base64. */
    root: string
    at: number
    /** The checkpoint with the signatures of its log and of this service. */
    note: Generated<string>
  }
}

export const logPolicies: TablePolicies<LogTables> = {
  log_outbox: {
    isExported: true,
    what: 'A change of the boards that has no entry in the public log yet',
    kept: 'until it has its entry, usually a second',
    why: 'The log gives each change its number.',
  },
  log_entry: {
    isExported: true,
    what: 'An entry of the public log: amounts and places of listings, and hashes of decisions',
    kept: FOREVER,
    why: 'Anyone can check the boards with it. It names no person, and the log proves that no entry was removed.',
  },
  log_node: {
    isExported: true,
    what: 'Hashes of many entries',
    kept: FOREVER,
    why: 'Proofs of single entries need them.',
  },
  log_head: {
    isExported: true,
    what: 'How long the log is',
    kept: FOREVER,
    why: 'The next entry follows the last one.',
  },
  log_checkpoint: {
    isExported: true,
    what: 'The latest signed checkpoint',
    kept: 'until the next one',
    why: 'The log must contain its entries, or signing stops.',
  },
  witnessed_log: {
    isExported: true,
    what: 'The newest checkpoint that this service signed for another log',
    kept: FOREVER,
    why: 'A witness never cosigns two versions of a log.',
  },
}

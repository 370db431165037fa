import { sql } from 'kysely'
import { FOREVER, forDays, type TablePolicies, WITH_ITS_LISTING } from './retention.ts'

/** How long a decision can be appealed: no six months have more days. */
export const CONTEST_DAYS = 184

/** How long facts that are removed are kept first: an appeal of the last day is decided by then. */
export const FACTS_DAYS = CONTEST_DAYS + 60

/** The kinds whose facts are removed. The facts of the others are kept as long as their listing, or permanently. */
export const FACTS_END: readonly DecisionKind[] = ['refuse', 'report', 'settle', 'appeal', 'outcome']

/** Whether a row of `decision` is an appeal that no one has decided. */
export const isOpenAppeal = sql<boolean>`(decision.about is not null and decision.kind = 'appeal' and not exists (
  select 1 from decision as answer where answer.about = decision.about and answer.kind = 'outcome'))`

/** The submissions or reports with an appeal that no one has decided. It may still reopen them. */
export const withOpenAppeal = (column: 'requestId' | 'reportId') =>
  sql`(select ${sql.ref(column)} from decision where ${isOpenAppeal} and ${sql.ref(column)} is not null)`

/** The decisions about submissions, listings and reports. The public log exposes changes to them. */
export interface DecisionTables {
  /**
   * One decision. Append-only: only three columns ever change, `position` and `salt` once and `facts` to null. Its
   * entry in the log covers all others by a hash with the salt. No column has a client's address.
   */
  decision: {
    /** UUIDv7, sent as `Placard-Decision`. For a submission, it is the `requestId`, unless it was reopened. */
    id: string
    kind: DecisionKind
    listingId: number | null
    requestId: string | null
    reportId: number | null
    /** The decision that this one appeals, answers or settles; at most one of each kind refers to a decision. */
    about: string | null
    /** The rule or law with its version, such as `rules/content@1`. */
    ground: string
    reason: string
    /** What it relies on, as JSON; null after `FACTS_DAYS`. */
    facts: string | null
    /** SHA-256 of `facts`; kept permanently. */
    factsHash: string
    actor: Actor
    at: number
    /** The index of its entry in the log; null until a job adds it, usually within a second. */
    position: number | null
    /** 16 random bytes, as hex. Without it, no one can tell what its entry is about. Null until it has its position. */
    salt: string | null
  }
  /** How many decisions of a kind and reason were made in a month. They are counted when they get their entries. */
  decision_count: {
    /** UTC, YYYY-MM. */
    month: string
    kind: DecisionKind
    reason: string
    decisions: number
  }
}

export type DecisionKind =
  /** About a submission. */
  | 'accept'
  | 'refuse'
  /** About a listing, by an operator, its owner or the service. */
  | 'hide'
  | 'restore'
  /** Its end, changed by an operator. */
  | 'term'
  /** Other changes by its owner. */
  | 'refresh'
  | 'category'
  | 'renew'
  /** A proof that the website is the owner's, and what came of it. */
  | 'prove'
  | 'report'
  | 'settle'
  | 'settle_finding'
  | 'settle_payment'
  /** About a host. */
  | 'block'
  | 'unblock'
  /** About a listing, by an operator: on the home page, and in the draws. */
  | 'pick'
  | 'unpick'
  | 'exclude'
  | 'include'
  | 'appeal'
  | 'outcome'

/** Who decided. Reporters and owners can only request a decision of others. */
export type Actor = 'automatic' | 'owner' | 'reporter' | `operator:${string}`

export const decisionPolicies: TablePolicies<DecisionTables> = {
  decision: {
    isExported: true,
    retention: [
      {
        what: 'What was decided about a submission, listing or report, when, by whom and on which ground',
        kept: FOREVER,
        why: 'A record with gaps proves nothing.',
      },
      {
        what: 'The facts of a decision about a listing',
        kept: WITH_ITS_LISTING,
        why: 'Its owner can ask for the reasons.',
      },
      {
        what: 'The facts of blocking a host, or of settling a payment',
        kept: FOREVER,
        why: 'They name no person, and the decision has no meaning without them.',
      },
      {
        what: 'The facts of a refusal, of a report and its outcome, and of an appeal and its outcome',
        kept: forDays(FACTS_DAYS, 'after the decision, and until an appeal is decided, then as their hash'),
        why: 'They can be appealed for six months. The hash proves that nothing else was changed.',
        end: { days: FACTS_DAYS, step: 'decision-facts' },
      },
    ],
  },
  decision_count: {
    isExported: true,
    what: 'How many decisions of each kind and reason there were in a month',
    kept: FOREVER,
    why: 'The transparency page shows it. It contains nothing about any person.',
  },
}

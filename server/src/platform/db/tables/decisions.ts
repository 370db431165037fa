import { FOREVER, forDays, type RetentionRules, WITH_ITS_LISTING } from './retention.ts'

/** For how long a decision can be contested: six months, however long they are. */
export const CONTEST_DAYS = 184

/** For how long the facts that end are kept: an appeal of the last day is decided by then. */
export const FACTS_DAYS = CONTEST_DAYS + 60

export const DECISIONS: RetentionRules<DecisionTables> = {
  decision: [
    {
      what: 'What was decided about a submission, listing or report, when, by whom and on which ground',
      kept: FOREVER,
      why: 'A record with gaps proves nothing.',
    },
    {
      what: 'The facts that a decision about a listing relies on',
      kept: WITH_ITS_LISTING,
      why: 'Its owner can ask for the reasons.',
    },
    {
      what: 'The facts of blocking a host, or of settling a payment',
      kept: FOREVER,
      why: 'They name no person, and the decision says nothing without them.',
    },
    {
      what: 'The facts of a refusal, of a report and its outcome, and of an appeal and its outcome',
      kept: forDays(FACTS_DAYS, 'after it, and then as their hash'),
      why: 'They can be contested for six months. The hash proves that nothing else was changed.',
      end: { days: FACTS_DAYS, step: 'decision-facts' },
    },
  ],
  decision_chain: [
    {
      what: 'The hash of each decision and those before it',
      kept: FOREVER,
      why: 'It shows whether a decision was changed, removed or put in later.',
    },
  ],
  decision_count: [
    {
      what: 'How many decisions of each kind and reason there were in a month',
      kept: FOREVER,
      why: 'The transparency page shows it. It says nothing about anybody.',
    },
  ],
}

/** Whose facts end. Those of the others belong to a listing, and stay as long as it does. */
export const FACTS_END: readonly DecisionKind[] = ['refuse', 'report', 'settle', 'appeal', 'outcome']

/** What was decided about submissions, listings and reports, and the chain that shows changes to it. */
export interface DecisionTables {
  decision: DecisionTable
  decision_chain: DecisionChainTable
  decision_count: DecisionCountTable
}

export type DecisionKind =
  /** Of a submission. */
  | 'accept'
  | 'refuse'
  /** Of a listing, by an operator, its owner or the service. */
  | 'hide'
  | 'restore'
  /** Its end, changed by an operator. */
  | 'term'
  /** Its owner's other acts. */
  | 'refresh'
  | 'category'
  | 'renew'
  | 'report'
  | 'settle'
  | 'settle_finding'
  | 'settle_payment'
  /** Of a host. */
  | 'block'
  | 'unblock'
  | 'appeal'
  | 'outcome'

/** Who decided. The reporter and the owner only ever ask. */
export type Actor = 'automatic' | 'owner' | 'reporter' | `operator:${string}`

/**
 * One decision. Append-only: of all columns only two ever change, `position` once and `facts` to null, and the chain's
 * hash covers neither. Nothing here knows a client's address.
 */
export interface DecisionTable {
  /** UUIDv7, given out as `Placard-Decision`. That of a submission is its `requestId`, unless it was reopened. */
  id: string
  kind: DecisionKind
  listingId: number | null
  requestId: string | null
  reportId: number | null
  /** The decision that this one contests, answers or settles; one of each kind at most. */
  about: string | null
  /** The rule or law with its version, such as `rules/content@1`. */
  ground: string
  reason: string
  /** What it relies on, as JSON; null once its time is over. */
  facts: string | null
  /** SHA-256 of `facts`. It stays. */
  factsHash: string
  actor: Actor
  at: number
  /** Its place in the chain; null for up to a second. */
  position: number | null
}

/** One link of the chain. */
interface DecisionChainTable {
  /** From 1, without gaps. */
  position: number
  decisionId: string
  /** SHA-256 of the hash before it, the decision, and `notBefore` where it is known. */
  hash: string
  /** When no decision was last seen to wait behind this one. Changes while this is the last link. */
  seenAt: number | null
  /** `seenAt` of the link before, when this one was made: the decision cannot be older. Null from older versions. */
  notBefore: number | null
}

/** How many decisions of a kind and reason were taken in a month: counted as they are chained. */
interface DecisionCountTable {
  /** UTC, YYYY-MM. */
  month: string
  kind: DecisionKind
  reason: string
  decisions: number
}

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
  /** SHA-256 of the hash before it, and the decision. */
  hash: string
}

/** How many decisions of a kind and reason were taken in a month: counted as they are chained. */
interface DecisionCountTable {
  /** UTC, YYYY-MM. */
  month: string
  kind: DecisionKind
  reason: string
  decisions: number
}

import { endFacts, FACTS_DAYS } from '../../decisions/end-facts.ts'
import type { DecisionTables } from '../../storage/schema/decisions.ts'
import { AS_ITS_LISTING, FOR_GOOD, forDays, type Kept } from '../kept.ts'

export const DECISIONS: Record<keyof DecisionTables, readonly Kept[]> = {
  decision: [
    {
      what: 'What was decided about a submission, listing or report, when, by whom and on which ground',
      ...FOR_GOOD,
      why: 'A record with gaps proves nothing.',
    },
    {
      what: 'The facts that a decision about a listing relies on',
      ...AS_ITS_LISTING,
      why: 'Its owner can ask for the reasons.',
    },
    {
      what: 'The facts of blocking a host, or of settling a payment',
      ...FOR_GOOD,
      why: 'They name no person, and the decision says nothing without them.',
    },
    {
      what: 'The facts of a refusal, of a report and its outcome, and of an appeal and its outcome',
      ...forDays(FACTS_DAYS, ' after it, and then as their hash', endFacts),
      why: 'They can be contested for six months. The hash proves that nothing else was changed.',
    },
  ],
  decision_chain: [
    {
      what: 'The hash of each decision and those before it',
      ...FOR_GOOD,
      why: 'It shows whether a decision was changed, removed or put in later.',
    },
  ],
  decision_count: [
    {
      what: 'How many decisions of each kind and reason there were in a month',
      ...FOR_GOOD,
      why: 'The transparency page shows it. It says nothing about anybody.',
    },
  ],
}

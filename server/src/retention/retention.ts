import { forgetWindows } from '../allowances/forget-windows.ts'
import { forgetChanges, forgetOldMarks, forgetPlacesTaken } from '../boards/forget-places.ts'
import { forgetUnpaidOrders } from '../checkout/forget-orders.ts'
import { forgetLinks, forgetSessions } from '../console/entry.ts'
import { forgetSettledFindings } from '../continuity/findings.ts'
import { endFacts, FACTS_DAYS } from '../decisions/end-facts.ts'
import { foldTraffic } from '../listings/fold-traffic.ts'
import { forgetSettledReports } from '../moderation/forget-reports.ts'
import { forgetNotices } from '../notices/forget-notices.ts'
import { forgetClients, forgetUnpublished } from '../publishing/forget-attempts.ts'
import { forgetEndedBlocks } from '../review/blocked-hosts.ts'
import { renewEntries } from '../search/renew-entries.ts'
import type { Database } from '../storage/schema.ts'
import type { Store } from '../storage/store.ts'
import { forgetWarnings } from '../warnings/forget-warnings.ts'

/**
 * Deletes or folds the oldest few rows from before a time, in one short transaction. Doing it twice, or in two places
 * at once, has the same effect as doing it once.
 *
 * @returns how many rows it has handled; fewer than `ROWS_AT_ONCE` if none are left
 */
type Step = (store: Store, before: number, now: number) => Promise<number>

export interface Kept {
  /** What the rows are, in words. */
  what: string
  /** How long they are kept, in words. */
  kept: string
  why: string
  /** The age at which rows end, and the step that ends them. Without it, the job leaves them alone. */
  end?: { days: number; step: Step }
}

const forDays = (days: number, words: string, step: Step) => ({
  kept: `${days} ${days === 1 ? 'day' : 'days'}${words}`,
  end: { days, step },
})
const FOR_GOOD = { kept: 'for good' }
const AS_ITS_LISTING = { kept: 'as long as its listing' }

/** How long unpaid orders and what we told can be looked up. */
const LOOKED_UP_DAYS = 90
/** Longer than any daily chart. */
const DAYS_OF_TRAFFIC = 90

/**
 * How long each table's rows are kept, and why. The job deletes by this table, and the docs and the privacy page are
 * made from it. The type makes sure that no table is missing.
 */
export const RETENTION: Record<keyof Database, readonly Kept[]> = {
  attempt: [
    {
      what: 'A submission that was published',
      ...AS_ITS_LISTING,
      why: 'Repeating it recovers the receipt.',
    },
    {
      what: 'A submission that was refused or never finished',
      ...forDays(FACTS_DAYS, ' after it was sent', forgetUnpublished),
      why: 'Repeating it returns the same answer, and a refusal can be contested for six months. After that it counts as a new one.',
    },
    {
      what: 'The hash of a client address with a submission',
      ...forDays(1, ' after the UTC day it was sent', forgetClients),
      why: 'We count each client’s submissions per day. The extra day allows for clocks that differ.',
    },
  ],
  listing: [
    {
      what: 'A listing',
      ...FOR_GOOD,
      why: 'Nobody else can take its address over, and its receipt can be recovered. It is shown only while it is published.',
    },
  ],
  seen_page: [
    {
      what: 'What a listed page looked like when we last read it: its title, a fingerprint and some words of its text, its certificate, and the websites it links to',
      ...AS_ITS_LISTING,
      why: 'We read listed pages again, and see by it whether somebody else has taken one over.',
    },
  ],
  finding: [
    {
      what: 'Something for the operator to see about a listed page, until it is settled',
      ...FOR_GOOD,
      why: 'The operator decides what it means.',
    },
    {
      what: 'One that is settled',
      ...forDays(LOOKED_UP_DAYS, ' after it was settled', forgetSettledFindings),
      why: 'It can be looked up, and is not told again.',
    },
  ],
  search_word: [
    {
      what: 'A word that some listing uses or used',
      ...FOR_GOOD,
      why: 'Search finds it by a part of it, or with a typo. It says nothing about which listing.',
    },
  ],
  search_stale: [
    {
      what: 'A listing that search does not find by all of its words yet',
      kept: 'until it does',
      end: { days: 0, step: renewEntries },
      why: 'A new version of this software has changed what search finds a listing by.',
    },
  ],
  claim: [
    {
      what: 'The approval of a listing, and the hash of its private link',
      ...AS_ITS_LISTING,
      why: 'The private link needs it.',
    },
  ],
  renewed_link: [
    {
      what: 'A renewal of a private link',
      ...AS_ITS_LISTING,
      why: 'A repeated submission needs it to return the current link.',
    },
  ],
  service_key: [
    {
      what: 'A check value that identifies a service key without revealing it',
      ...FOR_GOOD,
      why: 'It keeps the service from starting with a wrong key, which would lose links.',
    },
  ],
  checkout: [
    {
      what: 'An order that its payment processor has reported on',
      ...FOR_GOOD,
      why: 'It says what a payment was for.',
    },
    {
      what: 'An order that nobody paid',
      ...forDays(LOOKED_UP_DAYS, ' after it was made', forgetUnpaidOrders),
      why: 'Its payment page closed within hours, but a processor may tell of a payment weeks later.',
    },
  ],
  processor_event: [
    {
      what: 'What the payment processor reported about a payment',
      ...FOR_GOOD,
      why: 'It proves the boards.',
    },
  ],
  payment: [
    { what: 'A payment', ...FOR_GOOD, why: 'It counts on the boards, and can be refunded or disputed.' },
  ],
  settled_payment: [
    {
      what: 'What the operator did about a payment credited to nobody',
      ...FOR_GOOD,
      why: 'It is not shown as open again, unless the processor tells more of it.',
    },
  ],
  board_total: [
    {
      what: 'A total on a board, even of a past day',
      ...FOR_GOOD,
      why: 'Every past day has a page with its winners.',
    },
  ],
  board_count: [
    {
      what: 'Counts of destinations, which give the ranks',
      kept: 'until they reach zero',
      why: 'The totals determine them.',
    },
  ],
  board_change: [
    {
      what: 'A change of those counts',
      kept: 'until 1,000 newer ones follow',
      end: { days: 0, step: forgetChanges },
      why: 'Each instance follows them with the counts that it keeps in memory.',
    },
  ],
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
  picture: [
    {
      what: 'The picture of a listing',
      ...AS_ITS_LISTING,
      why: 'It is shown again when the listing is restored.',
    },
  ],
  listing_day: [
    {
      what: 'Views and clicks of a listing on a day',
      ...forDays(DAYS_OF_TRAFFIC, ', then as part of their month', foldTraffic),
      why: 'The private page shows the last days one by one.',
    },
    {
      what: 'Views and clicks of a listing in a month',
      ...AS_ITS_LISTING,
      why: 'Together they give the listing’s lifetime numbers.',
    },
  ],
  report: [
    {
      what: 'A report that nobody has settled yet',
      kept: 'until it is settled',
      why: 'Somebody has to look at it.',
    },
    {
      what: 'A report that was settled',
      ...forDays(FACTS_DAYS, ' after it was settled', forgetSettledReports),
      why: 'The sender may contest what was done for six months.',
    },
  ],
  blocked_host: [
    {
      what: 'A host whose websites the operator does not list',
      kept: 'until the operator ends it',
      why: 'Review refuses it.',
    },
    {
      what: 'One that was ended',
      ...forDays(LOOKED_UP_DAYS, ' after it was ended', forgetEndedBlocks),
      why: 'It can be looked up.',
    },
  ],
  watch: [
    {
      what: 'That an owner follows a listing, and the hash of its feed’s address',
      ...AS_ITS_LISTING,
      why: 'The feed needs it. An address that was renewed or turned off leaves nothing.',
    },
  ],
  watched_place: [
    {
      what: 'Where a followed listing was last seen on a board',
      ...AS_ITS_LISTING,
      why: 'We tell when others move ahead.',
    },
  ],
  notice: [
    {
      what: 'What we told about a followed listing',
      ...forDays(LOOKED_UP_DAYS, ' after it was told', forgetNotices),
      why: 'Its feed shows it.',
    },
  ],
  webhook: [
    {
      what: 'The address of an owner’s webhook, and how its last delivery ended',
      kept: 'until its owner removes it',
      why: 'Events are sent there. The secret is not stored.',
    },
  ],
  console_link: [
    {
      what: 'The hash of a link that opens the console, and whom it is for',
      ...forDays(1, ' after it ended, unless it was used', forgetLinks),
      why: 'The operator enters with it, once. Using it deletes it.',
    },
  ],
  console_session: [
    {
      what: 'The hash of an operator’s session in the console, and what was done last in it',
      ...forDays(1, ' after it ended', forgetSessions),
      why: 'The operator acts in it, and can undo the last act. Ending it deletes it.',
    },
  ],
  console_operator: [
    {
      what: 'The name of an operator who was given a link to the console',
      kept: 'until `console-end`',
      why: 'Where there are two operators, one does not decide the appeal against a decision of their own.',
    },
  ],
  board_mark: [
    {
      what: 'The top places of a board in some hour',
      ...forDays(7, ' at most', forgetOldMarks),
      why: 'Boards show who has risen or fallen since. Usually the next mark deletes them.',
    },
  ],
  place_taken: [
    {
      what: 'One of the first ten places of a board, when somebody took it',
      ...forDays(7, ' after it was taken', forgetPlacesTaken),
      why: 'Pages tell what moved on the boards.',
    },
  ],
  allowance_window: [
    {
      what: 'What a client did in the present window of a request limit, by a hash of its address',
      kept: 'an hour after the window ended',
      end: { days: 1 / 24, step: forgetWindows },
      why: 'With PostgreSQL, all instances count a client’s requests together.',
    },
  ],
  told: [
    {
      what: 'How far the operator was told what waits, by webhook or mail',
      ...FOR_GOOD,
      why: 'Nothing is told twice. There is one row for each way.',
    },
    {
      what: 'A message to the operator',
      kept: 'until it is delivered, or for a day',
      why: 'It is sent again if it could not be delivered.',
    },
  ],
  warning: [
    {
      what: 'That something went wrong which a person has to look at',
      ...forDays(7, ' after it last happened', forgetWarnings),
      why: 'The operator is told, and not again for a day.',
    },
  ],
  write_probe: [
    {
      what: 'One row, rewritten every second',
      ...FOR_GOOD,
      why: 'It proves that the database takes writes.',
    },
  ],
}

import type { FoundDecision } from '../../domain/moderation/appeals/statement.ts'
import type { Queue, QueueFilter, WaitingCounts } from '../../domain/moderation/console/queue.ts'
import { justDoneIn } from '../../domain/moderation/console/undo.ts'
import type { ReviewFacts } from '../../domain/review/reviewers/reviewers.ts'
import { AppealCase, PaymentCase } from './appeals-and-payments.tsx'
import { CaseArticle, QUEUE_FORM } from './case.tsx'
import { DoneMessage } from './done.tsx'
import { type ConsoleView, renderConsole } from './frame.tsx'
import { queuePath } from './request.ts'
import { counted, reportReason } from './words.ts'

interface QueuePage {
  view: ConsoleView
  queue: Queue
  filter: QueueFilter
  /** Whether all boxes are ticked, for browsers without the script. */
  areAllSelected: boolean
}

/** The pending items of the operators, grouped by listing. */
export function renderQueue({ view, queue, filter, areAllSelected }: QueuePage): string {
  const { cases, otherAppeals, otherPayments, listings, waiting, reasons } = queue
  const { counts, now, session } = view
  const done = justDoneIn(session, now)
  const shown = cases.length + otherAppeals.length + otherPayments.length
  return renderConsole({
    view,
    title: 'Queue',
    path: '/console',
    children: (
      <>
        <div class="console-head">
          <h1>{waiting === 0 ? 'Nothing pending' : `${waiting.toLocaleString('en')} pending`}</h1>
          <p class="lead">{leadOf(counts, listings)}</p>
        </div>
        {done && <DoneMessage done={done} now={now} />}
        <p class="callout" data-news hidden role="status" />
        <Filters counts={counts} reasons={reasons} filter={filter} />
        {cases.length > 0 && <NoDefault />}
        {cases.map(found => (
          <CaseArticle key={found.listing.id} found={found} now={now} isSelected={areAllSelected} />
        ))}
        {otherAppeals.map(contested => (
          <article class="case" key={contested.id} aria-label={contested.hostname ?? 'Appeal'} tabIndex={-1}>
            <div>
              <h2>
                <Website contested={contested} />
              </h2>
              <p class="soft">This submission was refused, so it has no listing.</p>
            </div>
            <div class="case-evidence">
              <AppealCase contested={contested} now={now} />
            </div>
          </article>
        ))}
        {otherPayments.map(payment => (
          <article class="case" key={payment.paymentId} aria-label={payment.paymentId} tabIndex={-1}>
            <div>
              <h2>A payment without a listing</h2>
              <p class="soft">{payment.amounts}</p>
            </div>
            <div class="case-evidence">
              <PaymentCase payment={payment} />
            </div>
          </article>
        ))}
        {waiting > shown && (
          <p class="soft">
            These come first. {(waiting - shown).toLocaleString('en')} more follow as they are decided.
          </p>
        )}
        {cases.length > 0 && <Several areAllSelected={areAllSelected} filter={filter} count={cases.length} />}
        <Keys />
      </>
    ),
  })
}

/** The website of a refused submission. The address of its page is known if a review read it. */
function Website({ contested: { hostname, facts } }: { contested: FoundDecision }) {
  if (hostname === null) return <>A submission</>
  const { fetched } = JSON.parse(facts ?? '{}') as Partial<ReviewFacts>
  return (
    <a href={fetched?.url ?? `https://${hostname}/`} rel="noopener noreferrer nofollow">
      <bdi dir="ltr">{hostname}</bdi>
    </a>
  )
}

function leadOf({ reports, findings, appeals, payments }: WaitingCounts, listings: number): string {
  const parts = [
    ...(reports > 0 ? [counted(reports, 'report')] : []),
    ...(findings > 0 ? [counted(findings, 'finding')] : []),
    ...(appeals > 0 ? [counted(appeals, 'appeal')] : []),
    ...(payments > 0 ? [counted(payments, 'unmatched payment')] : []),
  ]
  if (parts.length === 0) return 'No report, finding, appeal or payment is open.'
  const on = listings > 0 ? `, ${counted(listings, 'listing')} here` : ''
  return `${parts.join(', ')} in all${on}. Hiding takes effect immediately, and you can undo it. Everything is recorded.`
}

/** The filter, as the next page keeps it. */
const Kept = ({ filter: { waiting, reason } }: { filter: QueueFilter }) => (
  <>
    {waiting && <input type="hidden" name="waiting" value={waiting} />}
    {reason && <input type="hidden" name="reason" value={reason} />}
  </>
)

interface FiltersProps {
  counts: WaitingCounts
  reasons: Queue['reasons']
  filter: QueueFilter
}

function Filters({ counts, reasons, filter }: FiltersProps) {
  const chips: { name: string; count?: number; to: QueueFilter }[] = [
    { name: 'All', to: {} },
    { name: 'Reports', count: counts.reports, to: { waiting: 'reports' } },
    { name: 'Findings', count: counts.findings, to: { waiting: 'findings' } },
    { name: 'Appeals', count: counts.appeals, to: { waiting: 'appeals' } },
    { name: 'Payments', count: counts.payments, to: { waiting: 'payments' } },
    ...reasons.map(({ reason, count }) => ({ name: reason.replaceAll('_', ' '), count, to: { reason } })),
  ]
  return (
    <nav class="console-filters" aria-label="Show">
      <ul>
        {chips.map(({ name, count, to }) => (
          <li key={name}>
            <a
              href={queuePath(to)}
              aria-current={queuePath(to) === queuePath(filter) ? 'true' : undefined}
              title={to.reason && reportReason(to.reason)}
            >
              {name} {count !== undefined && <b>{count.toLocaleString('en')}</b>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Enter in a box presses the first button of its form: this one, which does nothing. */
const NoDefault = () => (
  <button class="unseen" type="submit" form={QUEUE_FORM} tabIndex={-1} aria-hidden="true">
    Do nothing
  </button>
)

/** Acts on all selected cases. Without the script, a link selects all. */
function Several({ areAllSelected, filter, count }: { areAllSelected: boolean; filter: QueueFilter; count: number }) {
  return (
    <form id={QUEUE_FORM} class="console-several" method="post" action="/console/act">
      <Kept filter={filter} />
      <a class="btn" href={queuePath(filter, areAllSelected ? {} : { select: 'all' })} data-select-all>
        {areAllSelected ? 'Select none' : `Select all ${count}`}
      </a>
      <button class="btn" type="submit" name="several" value="hide">
        Hide selected
      </button>
      <button class="btn" type="submit" name="several" value="keep">
        Leave selected
      </button>
    </form>
  )
}

/** The keyboard shortcuts. The script shows them. */
const Keys = () => (
  <p class="console-keys small soft" data-keys hidden>
    Keys: <kbd>j</kbd> <kbd>k</kbd> next and previous, <kbd>h</kbd> hide, <kbd>r</kbd> restore, <kbd>l</kbd> leave,{' '}
    <kbd>x</kbd> select, <kbd>o</kbd> open, <kbd>u</kbd> undo.
  </p>
)

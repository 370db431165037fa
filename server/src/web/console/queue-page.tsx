import type { ComponentChildren } from 'preact'
import { chosenGround } from '../../domain/decisions/grounds.ts'
import type { FoundDecision } from '../../domain/moderation/appeals/statement.ts'
import { ACTS, type Act, type Acted, actOn, type SeenCase } from '../../domain/moderation/console/act.ts'
import {
  CASES_SHOWN,
  type Queue,
  type QueueFilter,
  readCase,
  readQueue,
  type WaitingCounts,
} from '../../domain/moderation/console/queue.ts'
import { shortReason } from '../../domain/moderation/findings.ts'
import type { ReviewFacts } from '../../domain/review/reviewers/reviewers.ts'
import { counted } from '../../platform/lib/text.ts'
import { Button, ButtonLink, Form } from '../ui/elements.tsx'
import { AppealCase, PaymentCase } from './appeals-and-payments.tsx'
import { CaseArticle, QUEUE_FORM } from './case.tsx'
import { actOnEach, JustDone } from './done.tsx'
import { ConsolePage, Head } from './page.tsx'
import {
  type ConsoleDependencies,
  type Fields,
  filterFrom,
  type Perform,
  queuePath,
  readCaseValue,
  textOf,
  type Visit,
} from './request.ts'
import { codeOf, countItems, explanationOf, reportReason, waitingWords } from './words.ts'

/** The pending items of the operators, grouped by listing. Browsers without the script tick all boxes by a link. */
export async function queue({ store }: ConsoleDependencies, { view, request }: Visit) {
  const { counts, now } = view
  const query = request.query as Fields
  const filter = filterFrom(query)
  const areAllSelected = query.select === 'all'
  const { cases, otherAppeals, otherPayments, listings, waiting, reasons } = await readQueue(store, filter)
  const more = waiting - cases.length - otherAppeals.length - otherPayments.length
  return (
    <ConsolePage view={view} title="Queue" path="/console">
      <Lead counts={counts} pending={pendingIn(filter, counts, reasons)} listings={listings} />
      <JustDone view={view} back={filter} />
      <div role="status">
        <p class="callout" data-news hidden />
      </div>
      <Filters counts={counts} reasons={reasons} filter={filter} />
      {cases.length > 0 && <NoDefault />}
      {cases.map(found => (
        <CaseArticle key={found.listing.id} found={found} now={now} filter={filter} isSelected={areAllSelected} />
      ))}
      {otherAppeals.map(contested => (
        <OtherCase
          key={contested.id}
          label={contested.hostname ?? 'Appeal'}
          title={<Website contested={contested} />}
          note="This submission was refused, so it has no listing."
        >
          <AppealCase contested={contested} now={now} back={filter} />
        </OtherCase>
      ))}
      {otherPayments.map(payment => (
        <OtherCase key={payment.paymentId} label={payment.paymentId} title="A payment without a listing">
          <PaymentCase payment={payment} back={filter} />
        </OtherCase>
      ))}
      {more > 0 && <p class="soft">These come first. {more.toLocaleString('en')} more follow as they are decided.</p>}
      {cases.length > 0 && <Several areAllSelected={areAllSelected} filter={filter} count={cases.length} />}
      <Keys />
    </ConsolePage>
  )
}

interface OtherCaseProps {
  label: string
  title: ComponentChildren
  note?: string
  children: ComponentChildren
}

/** What is open about no listing. */
const OtherCase = ({ label, title, note, children }: OtherCaseProps) => (
  <article class="case" aria-label={label} tabIndex={-1}>
    <div>
      <h2>{title}</h2>
      {note && <p class="soft">{note}</p>}
    </div>
    <div class="case-evidence">{children}</div>
  </article>
)

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

/** The number of items under a filter, as its link and the menu show it. */
function pendingIn({ waiting, reason }: QueueFilter, counts: WaitingCounts, reasons: Queue['reasons']): number {
  if (reason) return reasons.find(each => each.reason === reason)?.count ?? 0
  return waiting ? counts[waiting] : countItems(counts)
}

interface LeadProps {
  counts: WaitingCounts
  /** How many of them the filter shows, and about how many listings. */
  pending: number
  listings: number
}

function Lead({ counts, pending, listings }: LeadProps) {
  const parts = waitingWords(counts)
  if (parts.length === 0) return <Head title="Nothing pending">No report, finding, appeal or payment is open.</Head>
  const all = `${parts.join(', ')} in all`
  if (pending === 0) {
    return (
      <Head title="Nothing pending here">
        {all}. <a href="/console">Show all</a>
      </Head>
    )
  }
  const on = listings > 0 ? `, ${counted(listings, 'listing')} here` : ''
  return (
    <Head title={`${pending.toLocaleString('en')} pending`}>
      {all}
      {on}. Hiding takes effect immediately, and you can undo it. Everything is recorded.
    </Head>
  )
}

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
    ...reasons.map(({ reason, count }) => ({ name: shortReason(reason), count, to: { reason } })),
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
    <Form id={QUEUE_FORM} class="console-several" action="/console/act" fields={{ ...filter }}>
      <ButtonLink href={queuePath(filter, areAllSelected ? {} : { select: 'all' })} data-select-all>
        {areAllSelected ? 'Select none' : `Select all ${count}`}
      </ButtonLink>
      <Button name="several" value="hide">
        Hide selected
      </Button>
      <Button name="several" value="keep">
        Leave selected
      </Button>
    </Form>
  )
}

/** The keyboard shortcuts. The script shows them. */
const Keys = () => (
  <p class="console-keys small soft" data-keys hidden>
    Keys: <kbd>j</kbd> <kbd>k</kbd> next and previous, <kbd>h</kbd> hide, <kbd>r</kbd> restore, <kbd>l</kbd> leave,{' '}
    <kbd>x</kbd> select, <kbd>o</kbd> open, <kbd>u</kbd> undo.{' '}
    <button class="btn low" type="button" data-turn-keys>
      Turn keys off
    </button>
  </p>
)

/** Hides, restores, or leaves as they are: the one case whose button was pressed, or all that are selected. */
export const actOnCases: Perform = async (deps, visit, form) => {
  const { act, cases } = wanted(form)
  if (!act) return undefined
  const { name } = visit.view.session
  const acted = await actOnEach(deps, visit, { did: act }, cases, seen => actOnCase(deps, act, seen, name, form))
  return { did: act, ...acted, ...(cases.length === 0 && { words: 'Nothing changed. Select at least one listing.' }) }
}

/** The action of the pressed button. Undefined if the button is unknown, or the one that does nothing. */
function wanted(form: Fields): { act: Act | undefined; cases: SeenCase[] } {
  const pressed = ACTS.find(act => form[act] !== undefined)
  const act = pressed ?? ACTS.find(each => each === form.several)
  const values = pressed ? [form[pressed]] : [form.case ?? []].flat()
  return { act, cases: values.slice(0, CASES_SHOWN).flatMap(value => readCaseValue(value) ?? []) }
}

async function actOnCase(
  { store, clock }: ConsoleDependencies,
  act: Act,
  seen: SeenCase,
  name: string,
  form: Fields,
): Promise<Acted | undefined> {
  const found = await readCase(store, seen.listingId, 1, seen)
  if (!found) return undefined
  const ground = chosenGround(form.ground)
  const by = {
    name,
    explanation: textOf(form.explanation) || explanationOf(act, found),
    reason: ground?.startsWith('law/') ? undefined : codeOf(found),
    ground,
  }
  return actOn(store, act, seen, by, clock())
}

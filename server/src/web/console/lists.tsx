import type { Decision } from '../../domain/decisions/record.ts'
import type { Listing } from '../../domain/listings/listing.ts'
import { textIn } from '../../domain/moderation/appeals/statement.ts'
import { justDoneIn } from '../../domain/moderation/console/undo.ts'
import type { UnplacedPayment } from '../../domain/payments/unplaced.ts'
import type { ListingStatus } from '../../platform/db/tables/publishing.ts'
import { Day, Minute } from '../ui/time.tsx'
import { PaymentCase } from './appeals-and-payments.tsx'
import { DoneMessage } from './done.tsx'
import { type ConsoleView, renderConsole } from './frame.tsx'
import { whoDid, wordsFor } from './words.ts'

type Known = Pick<Listing, 'slug' | 'title' | 'hostname' | 'publishedAt'> & { status: ListingStatus }

/** The newest listings of any status, or those that match the search. */
export const renderListings = (view: ConsoleView, listings: readonly Known[], query: string): string =>
  renderConsole({
    view,
    title: 'Listings',
    path: '/console/listings',
    children: (
      <>
        <div class="console-head">
          <h1>Listings</h1>
        </div>
        <search>
          <form class="ask console-find" action="/console/listings">
            <input
              type="search"
              name="q"
              value={query}
              maxLength={300}
              placeholder="Address or slug"
              aria-label="Address or slug"
            />
            <button class="btn" type="submit">
              Find
            </button>
          </form>
        </search>
        {listings.length === 0 && <p>There is no such listing.</p>}
        <ul class="console-log">
          {listings.map(({ slug, title, hostname, publishedAt, status }) => (
            <li key={slug}>
              <p>
                <a href={`/console/listing/${slug}`}>
                  <bdi>{title}</bdi>
                </a>
              </p>
              <p class="host">
                <bdi dir="ltr">{hostname}</bdi> · {status} · <Day at={publishedAt} />
              </p>
            </li>
          ))}
        </ul>
      </>
    ),
  })

/** The unmatched payments, with a form to settle each. Money moves only at the processor. */
export function renderPayments(view: ConsoleView, payments: readonly UnplacedPayment[]): string {
  const done = justDoneIn(view.session, view.now)
  return renderConsole({
    view,
    title: 'Payments',
    path: '/console/payments',
    children: (
      <>
        <div class="console-head">
          <h1>{payments.length === 0 ? 'No unmatched payments' : 'Unmatched payments'}</h1>
          <p class="lead">Settle these at the payment processor. This page moves no money.</p>
        </div>
        {done && <DoneMessage done={done} now={view.now} />}
        <ul class="console-log">
          {payments.map(payment => (
            <li key={payment.paymentId}>
              <PaymentCase payment={payment} back={{ from: 'payments' }} />
            </li>
          ))}
        </ul>
      </>
    ),
  })
}

/** What operators, owners and reporters did last. */
export const renderLog = (view: ConsoleView, decisions: readonly (Decision & { slug: string | null })[]): string =>
  renderConsole({
    view,
    title: 'Log',
    path: '/console/log',
    children: (
      <>
        <div class="console-head">
          <h1>Log</h1>
          <p class="lead">The newest decisions made by people. All of them stay on record.</p>
        </div>
        <History decisions={decisions} />
      </>
    ),
  })

/** Decisions, newest first, each with who took it and why. */
export function History({ decisions }: { decisions: readonly (Decision & { slug?: string | null })[] }) {
  return (
    <ol class="console-log">
      {decisions.map(decision => {
        const { id, actor, at, slug } = decision
        const { what, means } = wordsFor(decision)
        const other = textIn(decision, 'host') ?? textIn(decision, 'paymentId')
        return (
          <li key={id}>
            <p>
              <strong>{what}</strong> by <bdi>{whoDid(actor)}</bdi>
              {other && (
                <>
                  {': '}
                  <bdi dir="ltr">{other}</bdi>
                </>
              )}
              {slug && (
                <>
                  {': '}
                  <a href={`/console/listing/${slug}`}>{slug}</a>
                </>
              )}
            </p>
            {means && <p class="soft">{means}.</p>}
            <p dir="auto">{textIn(decision, 'explanation') ?? textIn(decision, 'statement')}</p>
            <p class="host">
              <Minute at={at} />
            </p>
          </li>
        )
      })}
    </ol>
  )
}

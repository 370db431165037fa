import type { Decision } from '../../decisions/chain.ts'
import type { Listing } from '../../listings/listing.ts'
import type { UnplacedPayment } from '../../payments/unplaced.ts'
import type { ListingStatus } from '../../storage/schema.ts'
import { Day, Minute } from '../ui/time.tsx'
import { type ConsoleView, renderConsole } from './frame.tsx'
import { History } from './history.tsx'

type Known = Pick<Listing, 'slug' | 'title' | 'hostname' | 'publishedAt'> & { status: ListingStatus }

/** The newest listings of any status, or the one that was asked for. */
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

/** The payments credited to nobody, and what to do about each: at the processor, since nothing here moves money. */
export const renderPayments = (view: ConsoleView, payments: readonly UnplacedPayment[]): string =>
  renderConsole({
    view,
    title: 'Payments',
    path: '/console/payments',
    children: (
      <>
        <div class="console-head">
          <h1>{payments.length === 0 ? 'Every payment is credited' : 'Credited to nobody'}</h1>
          <p class="lead">Settle these at the payment processor. Nothing here moves money.</p>
        </div>
        <ul class="console-log">
          {payments.map(({ processor, paymentId, lastAt, amounts, why }) => (
            <li key={paymentId}>
              <p>
                <strong>{amounts}</strong> <code>{paymentId}</code>
              </p>
              <p>{why}</p>
              <p class="host">
                {processor} · <Minute at={lastAt} />
              </p>
            </li>
          ))}
        </ul>
      </>
    ),
  })

/** What operators, owners and reporters did last. */
export const renderLog = (
  view: ConsoleView,
  decisions: readonly (Decision & { slug: string | null })[],
): string =>
  renderConsole({
    view,
    title: 'Log',
    path: '/console/log',
    children: (
      <>
        <div class="console-head">
          <h1>Log</h1>
          <p class="lead">The newest decisions that people took. All of them stay on record.</p>
        </div>
        <History decisions={decisions} />
      </>
    ),
  })

import type { Decision } from '../../domain/decisions/record.ts'
import { textIn } from '../../domain/moderation/appeals/statement.ts'
import { findListings, newestByPeople } from '../../domain/moderation/console/history.ts'
import { unplacedPayments } from '../../domain/payments/unplaced.ts'
import { counted } from '../../platform/lib/text.ts'
import { Button } from '../ui/elements.tsx'
import { Day, Minute } from '../ui/time.tsx'
import { PaymentCase } from './appeals-and-payments.tsx'
import { JustDone } from './done.tsx'
import { ConsolePage, Head, ListingRow } from './page.tsx'
import type { ConsoleDependencies, Fields, Visit } from './request.ts'
import { STATUS_WORDS, whoDid, wordsFor } from './words.ts'

/** The newest listings of any status, or those that match the search. */
export async function listings({ store, clock }: ConsoleDependencies, { view, request }: Visit) {
  const { q } = request.query as Fields
  const query = typeof q === 'string' ? q.trim() : ''
  const found = await findListings(store, query, clock())
  return (
    <ConsolePage view={view} title="Listings" path="/console/listings">
      <Head title="Listings" />
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
          <Button>Find</Button>
        </form>
      </search>
      {found.length === 0 ? (
        <p>
          {query
            ? 'There is no such listing. Enter its whole address, such as example.org, or its whole slug.'
            : 'Nothing is listed yet.'}
        </p>
      ) : (
        <ul class="console-log">
          {found.map(listing => (
            <ListingRow key={listing.slug} listing={listing}>
              {STATUS_WORDS[listing.status]} · <Day at={listing.publishedAt} />
            </ListingRow>
          ))}
        </ul>
      )}
    </ConsolePage>
  )
}

const PAYMENTS_SHOWN = 100

/** The unmatched payments, with a form to settle each. Money moves only at the processor. */
export async function payments({ store }: ConsoleDependencies, { view }: Visit) {
  const unmatched = await unplacedPayments(store, PAYMENTS_SHOWN)
  const more = view.counts.payments - unmatched.length
  return (
    <ConsolePage view={view} title="Payments" path="/console/payments">
      <Head title={unmatched.length === 0 ? 'No unmatched payments' : 'Unmatched payments'}>
        {unmatched.length > 0 && 'Settle these at the payment processor. This page moves no money.'}
      </Head>
      <JustDone view={view} />
      {unmatched.length > 0 && (
        <ul class="console-log">
          {unmatched.map(payment => (
            <li key={payment.paymentId}>
              <PaymentCase payment={payment} back={{ from: 'payments' }} />
            </li>
          ))}
        </ul>
      )}
      {more > 0 && <p class="soft">{more.toLocaleString('en')} more, shown as these are settled.</p>}
    </ConsolePage>
  )
}

/** What operators and owners did last, and the appeals of reporters. */
export async function log({ store }: ConsoleDependencies, { view }: Visit) {
  return (
    <ConsolePage view={view} title="Log" path="/console/log">
      <Head title="Log">The newest decisions made by people. All of them stay on record.</Head>
      <History decisions={await newestByPeople(store.db)} />
    </ConsolePage>
  )
}

/** What happened to several reports at once. */
const TOGETHER: Record<string, string> = { settle: 'settled', report: 'that day' }

/** Decisions, newest first, each with who took it and why. */
export function History({
  decisions,
}: {
  decisions: readonly (Decision & { slug?: string | null; reports: number })[]
}) {
  if (decisions.length === 0) return <p class="soft">No decisions yet.</p>
  return (
    <ol class="console-log">
      {decisions.map(decision => {
        const { id, kind, actor, at, slug, reports } = decision
        const { what, means } = wordsFor(decision)
        const together = `${counted(reports, 'report')} ${TOGETHER[kind] ?? 'opened again'}`
        const who = reports > 1 && actor === 'reporter' ? 'visitors' : whoDid(actor)
        const other = textIn(decision, 'host') ?? textIn(decision, 'paymentId')
        return (
          <li key={id}>
            <p>
              <strong>{reports > 1 ? together : what}</strong> by <bdi>{who}</bdi>
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
            <p dir="auto">
              {textIn(decision, 'explanation') ?? textIn(decision, 'statement') ?? textIn(decision, 'note')}
            </p>
            <p class="host">
              <Minute at={at} />
            </p>
          </li>
        )
      })}
    </ol>
  )
}

import type { Standing, Standings } from '../../boards/standings.ts'
import type { PromotableListing } from '../../checkout/promotable.ts'
import type { CheckoutNow } from '../../checkout/state.ts'
import type { Links } from '../../http/links.ts'
import { BOARD_NAMES } from '../ui/board-names.ts'
import { dollars } from '../ui/money.ts'
import { Day } from '../ui/time.tsx'

/** The result of a paid order. */
export interface PaidOrder {
  /** The destination's listing; undefined while it is not shown. */
  listing: PromotableListing | undefined
  standings: Standings
  /** Whether the day on which the payment counts has ended. */
  isDayOver: boolean
}

interface PaidProps {
  order: CheckoutNow
  outcome: PaidOrder
  links: Links
}

/** Where the website of a paid order ranks now. */
export function CheckoutPaid({ order, outcome, links }: PaidProps) {
  const { listing, standings, isDayOver } = outcome
  return (
    <section aria-labelledby="boards">
      <h2 id="boards">On the boards now</h2>
      {listing ? (
        <>
          <dl class="record standings">
            <dt>{BOARD_NAMES.all}</dt>
            <dd>
              <Place standing={standings.all} />
            </dd>
            {isDayOver && order.payment && (
              <>
                <dt>
                  {BOARD_NAMES.today} (<Day at={order.payment.paidAt} />)
                </dt>
                <dd>That board has ended</dd>
              </>
            )}
            {(!isDayOver || standings.today) && (
              <>
                <dt>{BOARD_NAMES.today}</dt>
                <dd>
                  <Place standing={standings.today} />
                </dd>
              </>
            )}
          </dl>
          <p>
            <a class="btn go" href={`/product/${listing.slug}`}>
              See the public page
            </a>
          </p>
          <p>
            See the boards: <a href="/board/all">all time</a>, <a href="/board/today">today</a>.
          </p>
          {listing.linkVersion === null && (
            <p>
              This purchase listed the website, so its listing has no private link. To change or withdraw it,
              ask <a href={links.support}>support</a>, and give the order number.
            </p>
          )}
        </>
      ) : (
        <p class="callout">
          The listing is down, so it has no place. Your payment still counts. To bring the listing back, ask{' '}
          <a href={links.support}>support</a>.
        </p>
      )}
    </section>
  )
}

function Place({ standing }: { standing: Standing | undefined }) {
  if (!standing) return <span class="none">No place: no payment counts on this board</span>
  return (
    <>
      <strong>No. {standing.rank.toLocaleString('en-US')}</strong> with {dollars(standing.totalCents)} in
      total
    </>
  )
}

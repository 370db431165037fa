import { BOARDS, type Board } from '@placard/contract'
import type { Standing } from '../../domain/boards/standings.ts'
import type { Checkout, CheckoutNow, PaidAmounts } from '../../domain/checkout/order-state.ts'
import type { PromotableListing } from '../../domain/checkout/price.ts'
import type { LogRow } from '../../domain/log/read-log.ts'
import { type Links, OWN_PATH } from '../../platform/http/links.ts'
import { dayText, dollars } from '../../platform/lib/text.ts'
import { utcDay } from '../../platform/lib/time.ts'
import { dayPath } from '../boards/day-paths.ts'
import { type CurrentPlaces, Share } from '../listing/share.tsx'
import { Button, ButtonLink, Form } from '../ui/elements.tsx'
import { BOARDS_IN_WORDS } from '../ui/format.ts'
import { rowPath, rowProofPath } from '../ui/log-rows.ts'
import { Day } from '../ui/time.tsx'

export interface PaidOrder extends CurrentPlaces {
  /** The destination's listing; undefined while it is not shown. */
  listing: (PromotableListing & { pictureVersion: string | null }) | undefined
  /** What its payment changed on the boards, as rows of the log, oldest first. */
  rows: readonly LogRow[]
  /** Whether the day on which the payment counts has ended. */
  isDayOver: boolean
}

interface PaidProps {
  order: CheckoutNow
  outcome: PaidOrder
  links: Links
}

/** Where the website of a paid order ranks now, how to share it, and how to get notified of changes. */
export function CheckoutPaid({ order, outcome, links }: PaidProps) {
  const { listing, standings } = outcome
  if (!listing) {
    return (
      <>
        <Down order={order} links={links} />
        <InTheLog order={order} outcome={outcome} />
      </>
    )
  }
  const hasLink = listing.linkVersion !== null
  return (
    <>
      <section aria-labelledby="boards">
        <h2 id="boards">On the boards now</h2>
        <Places order={order} outcome={outcome} />
        <p class="acts">
          <a class={hasLink ? 'btn go' : 'btn'} href={`/product/${listing.slug}`}>
            See the public page
          </a>
          <ButtonLink href={boardPathOf(order, outcome)}>See the board</ButtonLink>
        </p>
      </section>
      {!hasLink && <GetLink url={listing.url} />}
      {standings.all && (
        <section aria-labelledby="share">
          <h2 id="share">Share it</h2>
          <Share product={listing} places={outcome} links={links} showsPicture />
        </section>
      )}
      <InTheLog order={order} outcome={outcome} />
      {hasLink && <PrivatePageHint />}
    </>
  )
}

/** A payment for a day that is over counts on the page of that day. */
const boardPathOf = ({ checkout: { board }, payment }: CheckoutNow, { isDayOver }: PaidOrder): string =>
  board === 'today' && isDayOver && payment ? dayPath(utcDay(payment.paidAt)) : `/board/${board}`

/** The rows of the log that the payment caused, each with its proof as a file to keep. */
function InTheLog({ order: { payment }, outcome: { rows, isDayOver } }: Omit<PaidProps, 'links'>) {
  // If a refund was reported before the payment, the payment never counted, and never gets a row. The log of an upgraded
  // site has no rows of single payments from before.
  if (rows.length === 0 && (isDayOver || payment?.netCents === 0)) return null
  return (
    <section aria-labelledby="log">
      <h2 id="log">In the open log</h2>
      {rows.length === 0 ? (
        <p>Your payment gets its row in the log within seconds: reload this page.</p>
      ) : (
        <ul class="bullets">
          {rows.map(({ index, entry }) => (
            <li key={index}>
              <a href={rowPath(index)}>Row {index.toLocaleString('en')}</a>: {dollars(Math.abs(entry.changeCents ?? 0))}{' '}
              {ON_ORDER[entry.kind] ?? entry.kind}{' '}
              {entry.board === 'all' ? BOARDS_IN_WORDS.all : `the board of ${dayText(Date.parse(entry.board ?? ''))}`}.{' '}
              <a href={rowProofPath(index)}>Its proof</a>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const ON_ORDER: Record<string, string> = {
  counted: 'counted on',
  refunded: 'refunded, and taken from',
  disputed: 'in dispute, and taken from',
  won_back: 'counted again on',
}

/** The page of an order doesn't say who took a listing down, or why: anyone with its address can read it. */
export const HowToRestore = ({ links }: { links: Links }) => (
  <>
    Its private page says why, and what you can do. No private link? Ask <a href={links.support}>support</a>.
  </>
)

const Down = ({ order: { payment }, links }: Pick<PaidProps, 'order' | 'links'>) => (
  <section aria-labelledby="boards">
    <h2 id="boards">On the boards now</h2>
    <p class="callout">
      The listing is down, so it has no place.{' '}
      {payment?.netCents === payment?.paidCents && 'Your payment still counts. '}
      <HowToRestore links={links} />
    </p>
  </section>
)

/** The ordered board first. */
function Places({ order: { checkout, payment }, outcome }: Omit<PaidProps, 'links'>) {
  const { standings, isDayOver } = outcome
  const boards = BOARDS.toSorted((a, b) => Number(b === checkout.board) - Number(a === checkout.board))
  return (
    <ul class="places">
      {boards.map(board => (
        <li key={board}>
          {board === 'today' && isDayOver && payment && (
            <p>
              The{' '}
              <a href={dayPath(utcDay(payment.paidAt))}>
                board of <Day at={payment.paidAt} />
              </a>{' '}
              has ended.
            </p>
          )}
          {(board === 'all' || !isDayOver || standings.today) && <Place board={board} standing={standings[board]} />}
        </li>
      ))}
    </ul>
  )
}

function Place({ board, standing }: { board: Board; standing: Standing | undefined }) {
  const name = <a href={`/board/${board}`}>{BOARDS_IN_WORDS[board]}</a>
  if (!standing) return <p>No place on {name}: no payment counts there.</p>
  return (
    <p>
      <strong>No. {standing.rank.toLocaleString('en-US')}</strong> on {name}, with {dollars(standing.totalCents)} in
      total
    </p>
  )
}

/** Orders do not know the private link, so this only says where to find it. */
const PrivatePageHint = () => (
  <section aria-labelledby="private">
    <h2 id="private">Your private page</h2>
    <p>
      Open it to get notified when another listing overtakes you: see <strong>Notifications</strong>. Its link is on the
      receipt your agent got. Lost it? <a href={OWN_PATH}>Prove your website</a> to get a new one.
    </p>
  </section>
)

/** A purchase that listed the website: its proof is worth the private link. */
const GetLink = ({ url }: { url: string }) => (
  <section aria-labelledby="private">
    <h2 id="private">Your private link</h2>
    <p>
      This purchase listed the website. With its private link you can change or withdraw the listing, and get notified
      when another one overtakes you. We check once more that your token is on the website, and show you the link.
    </p>
    <Form action={`${OWN_PATH}/check#result`} fields={{ address: url }}>
      <p class="acts">
        <Button look="go">Get the private link</Button>
      </p>
    </Form>
  </section>
)

/** What happened to an order's money. `isDown`: the paid listing is not shown. */
export function paid({ checkout, payment }: CheckoutNow, isDown: boolean) {
  if (!payment || payment.netCents === payment.paidCents) {
    const what = isDown
      ? 'Your payment is confirmed. The listing isn’t shown right now, so it is on no board.'
      : 'Your payment is confirmed and counts.'
    return {
      heading: 'Paid',
      body: (
        <>
          <p>{what}</p>
          {payment && <OtherDay checkout={checkout} payment={payment} />}
        </>
      ),
    }
  }
  const { paidCents, netCents, refundedCents, disputedCents, lostCents } = payment
  return {
    heading: netCents > 0 ? 'Paid, and partly counted' : 'Paid, but no longer counted',
    body: (
      <>
        <p class="callout">
          Of the {dollars(paidCents)} you paid, <strong>{dollars(netCents)} counts</strong>
          {refundedCents > 0 && <>. {dollars(refundedCents)} was refunded</>}
          {disputedCents > 0 && <>. {dollars(disputedCents)} is in dispute, and counts again if the dispute fails</>}
          {lostCents > 0 && <>. {dollars(lostCents)} was lost in a dispute</>}.
        </p>
        {netCents > 0 && <OtherDay checkout={checkout} payment={payment} />}
      </>
    ),
  }
}

/** A payment that the processor dates on another day than the ordered one: later, or earlier by its own clock. */
function OtherDay({ checkout, payment }: { checkout: Checkout; payment: PaidAmounts }) {
  const { board, createdAt } = checkout
  if (board === 'all' || utcDay(createdAt) === utcDay(payment.paidAt)) return null
  return (
    <p class="callout">
      You ordered a place on the board of <Day at={createdAt} />, but the payment processor confirmed your payment on
      another day. It counts on the board of{' '}
      <strong>
        <Day at={payment.paidAt} />
      </strong>
      , and on the all-time board.
    </p>
  )
}

import { BOARDS_PATH, MINIMUM_CHARGE_CENTS, MINIMUM_TARGET_USD, QUOTE_LIFETIME_MS } from '@placard/contract'
import type { Links } from '../../platform/http/links.ts'
import { dollars } from '../../platform/lib/text.ts'
import { lastingText } from '../ui/time.tsx'
import { renderText } from './text-page.tsx'

/** What a place on a board is, how to buy one while places are for sale, and how to check it. */
export function renderHowBoardsWork(links: Links): string {
  const { sellsPlaces } = links.site
  return renderText(
    {
      links,
      title: 'How boards work',
      description: 'What a place on a board is, what counts and what does not, and how to check it.',
      path: '/how-boards-work',
    },
    <>
      <p>
        Every place on a board is paid for and labelled as paid. You can also find every listing, free or paid, among
        the newest, by category and by search. There, money does not change the order.
      </p>
      <h2>Two boards</h2>
      <p>
        The all-time board counts every payment. Today’s board counts the current UTC day’s payments and resets at
        midnight UTC. One payment counts on both, by the time the payment processor gives it.
      </p>
      <p>
        Each category has a board, too: the all-time board, that category only. Past days keep their pages, with their
        winners: <a href="/board/today">today’s board</a> leads there.
      </p>
      <h2>What a total is</h2>
      <p>
        A total is the sum of a website’s verified payments on that board, minus refunded or disputed money. The higher
        total ranks first. In a tie, the total that was reached first ranks higher. If two totals were reached within
        the same second, the websites’ addresses decide, in alphabetical order.
      </p>
      {sellsPlaces && (
        <>
          <h2>What a place costs</h2>
          <p>
            You choose the total you want. We subtract what already counts for your website on that board, and you pay
            the rest. For example, you want {dollars(5000)} and {dollars(2000)} already count. Then you pay{' '}
            {dollars(3000)}.
          </p>
          <p>
            The lowest total is {dollars(MINIMUM_TARGET_USD * 100)}, the smallest payment{' '}
            {dollars(MINIMUM_CHARGE_CENTS)}. A price from the API holds for {lastingText(QUOTE_LIFETIME_MS)} at most and
            never past midnight UTC. We recalculate it when you order.
          </p>
          <h2>No position is reserved</h2>
          <p>
            You buy an amount, not a position. Anyone may pay more a minute later. A rank in a quote is a conservative
            estimate. A place on the all-time board has no scheduled end: it lasts until others have more.
          </p>
        </>
      )}
      <h2>Refunds and disputes</h2>
      <p>
        Refunded or disputed money stops counting as soon as the processor reports it. Money from a won dispute counts
        again. So a total can fall, even after the day is over: the page of that day then shows the ranks at midnight.
        There is no refund for being overtaken, nor for withdrawing the listing. The operator decides on any other
        refund.
      </p>
      <h2>Hidden listings</h2>
      <p>
        A listing that is withdrawn or taken down has no place on a board. Its payments still count: once it is shown
        again, it returns to the place they give it. The operator can restore it, and the proven owner of a website can
        show a withdrawn listing again. While payments count for a listing, it has no scheduled end. If the listing had
        a place on a day that is over, the page of that day says so without a name, and shows the other ranks at
        midnight.
      </p>
      <h2>What does not count</h2>
      <ul>
        <li>
          Clicks and views. We count them at most once an hour per address. The listing’s owner sees the numbers. How
          often we check its page depends on them.
        </li>
        <li>How old a listing is, or how good anyone thinks it is.</li>
        <li>Who asks. An agent’s request moves nothing.</li>
        <li>An order that is not paid, and a payment the processor has not confirmed.</li>
      </ul>
      {sellsPlaces && (
        <>
          <h2>Who may buy</h2>
          <p>
            Only a website’s owner. Prove ownership with the private link of its listing, or with a token in a file on
            the website, in its page or in its DNS. A website that is not listed yet is reviewed first and listed once
            it is paid. You cannot buy a place for a listing that has ended or was taken down.
          </p>
          <h2>No API can charge</h2>
          <p>
            An agent can ask what a place would cost and give you a link. The link only fills in a form. A person opens
            it, agrees to <a href="/rules">the rules</a> and pays on the processor’s page. No card is stored.
          </p>
        </>
      )}
      <h2>How to check</h2>
      <p>
        The boards are public data: <a href={`${BOARDS_PATH}/all`}>all</a> and{' '}
        <a href={`${BOARDS_PATH}/today`}>today</a>, with every total and when it was reached, as described in the{' '}
        <a href="/api#getBoard">API reference</a>. Every change of a total is a row of <a href="/proof">the open log</a>
        , from which anyone can compute the boards again, to the cent. The operator can prove with the command{' '}
        <code>reconcile</code> that everything follows from the processor’s signed events.
      </p>
      <p class="note">
        {sellsPlaces && (
          <>
            Ready to choose? <a href="/promote">Buy a place</a>.{' '}
          </>
        )}
        A payment that does not count yet? Ask <a href="/support">support</a>.
      </p>
    </>,
  )
}

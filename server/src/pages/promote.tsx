import { BOARDS, type Board, CATEGORIES, MAXIMUM_TARGET_USD, MINIMUM_TARGET_USD } from '@placard/contract'
import type { Links } from '../http/links.ts'
import { Layout, renderDocument } from './layout.tsx'
import { webAddress } from './listed-text.ts'

/** What a hand-off link chose. A part that is missing or makes no sense is undefined. */
export interface PromoteChoice {
  destination: string | undefined
  category: string | undefined
  board: Board | undefined
  /** Whole US dollars. */
  target: number | undefined
}

const BOARD_NAMES: Record<Board, string> = {
  all: 'All time',
  today: 'Today (starts anew at midnight UTC)',
}

/** Reads the query of a hand-off link. Lenient: a part that cannot be used is left out, never an error. */
export function readChoice(query: Record<string, unknown>, links: Links): PromoteChoice {
  const { category, board, target } = query
  const amount = typeof target === 'string' && /^\d{1,6}$/.test(target) ? Number(target) : Number.NaN
  return {
    destination: readDestination(query.destination, links),
    category: CATEGORIES.find(id => id === category),
    board: BOARDS.find(id => id === board),
    target: amount >= MINIMUM_TARGET_USD && amount <= MAXIMUM_TARGET_USD ? amount : undefined,
  }
}

/** Never a private link: no address of our own, nothing that carries an owner key, and no query or fragment. */
function readDestination(text: unknown, links: Links): string | undefined {
  if (typeof text !== 'string' || text.length > 500 || /owner(=|%3d)/i.test(text)) return undefined
  const address = webAddress(text)
  if (address === undefined) return undefined
  const url = new URL(address)
  if (url.username || url.password || url.hostname === links.hostname) return undefined
  return url.origin + url.pathname
}

const dollars = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 0,
})

/** The form a person pays from, prefilled and read-only: paid places are not on sale yet. */
export const renderPromote = (choice: PromoteChoice): string =>
  renderDocument(
    <Layout
      title="A paid place"
      description="What a paid place on a board is, and what was chosen."
      path="/promote"
    >
      <article class="sheet">
        <h1>A paid place</h1>
        <p class="callout">
          <strong>Paid places are not on sale yet.</strong> Nothing can be bought on this page, and opening it
          costs nothing.
        </p>
        <h2>What was chosen</h2>
        <dl class="record">
          <Choice name="Website" value={choice.destination} />
          <Choice name="Category" value={choice.category} />
          <Choice name="Board" value={choice.board && BOARD_NAMES[choice.board]} />
          <Choice
            name="Board total"
            value={choice.target && `${dollars.format(choice.target)} (US dollars)`}
          />
        </dl>
        <h2>How a paid place works</h2>
        <ul>
          <li>You buy an amount, not a position. Whoever has paid more stands above you, today or later.</li>
          <li>Rank follows verified payments only. Clicks and free listings do not move it.</li>
          <li>
            The board total is what you want to have paid in all. What was verified before is taken off, and
            the price is worked out again before you pay.
          </li>
          <li>
            No API can charge. Only a person can confirm a payment, in a browser, after seeing the final
            price, website, board and rules.
          </li>
        </ul>
        <p class="note">
          Never paste a private management link here. It is not needed, and it opens your listing.
        </p>
      </article>
    </Layout>,
  )

function Choice({ name, value }: { name: string; value: string | number | undefined }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value ?? <span class="none">Not chosen, or not usable</span>}</dd>
    </>
  )
}

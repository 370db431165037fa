import { BOARDS } from '@placard/contract'
import type { Links } from '../http/links.ts'
import type { Listing } from '../listings/listing.ts'
import type { Standing, Standings } from '../placement/standings.ts'
import { BOARD_NAMES } from './board-names.ts'
import { dollars } from './money.ts'

/** What became of a paid order. */
export interface Outcome {
  /** The listing of the destination; undefined while it is not shown. */
  listing: Listing | undefined
  standings: Standings
}

/** Where the website of a paid order stands now. */
export function CheckoutPaid({ outcome, links }: { outcome: Outcome; links: Links }) {
  const { listing, standings } = outcome
  return (
    <section aria-labelledby="boards">
      <h2 id="boards">On the boards now</h2>
      {listing ? (
        <>
          <dl class="record">
            {BOARDS.map(board => (
              <>
                <dt>{BOARD_NAMES[board]}</dt>
                <dd>
                  <Place standing={standings[board]} />
                </dd>
              </>
            ))}
          </dl>
          <p>
            <a class="button" href={`/product/${listing.slug}`}>
              See the public page
            </a>
          </p>
          <p>
            See the boards: <a href="/board/all">all time</a>, <a href="/board/today">today</a>.
          </p>
        </>
      ) : (
        <p class="callout">
          The listing is down, so it has no place. What was paid stays counted. To bring it back, ask{' '}
          <a href={links.support}>support</a>.
        </p>
      )}
    </section>
  )
}

function Place({ standing }: { standing: Standing | undefined }) {
  if (!standing) return <span class="none">No place: nothing that counts was paid for this board</span>
  return (
    <>
      <strong>Number {standing.rank}</strong> with {dollars(standing.totalCents)} in all
    </>
  )
}

import { BOARDS, type Board } from '@placard/contract'
import type { DayOfTotal } from '../../boards/history.ts'
import type { Standings } from '../../boards/standings.ts'
import type { NextPlace } from '../../checkout/next-place.ts'
import { promotePath } from '../../http/links.ts'
import type { Product } from '../../listings/product.ts'
import { BOARD_NAMES } from '../ui/board-names.ts'
import { shortDollars } from '../ui/money.ts'
import { History } from './history-chart.tsx'

/** The place that the listing could take next on each board, if that is known. */
export type Takes = Partial<Record<Board, NextPlace>>

interface StandingProps {
  product: Product
  standings: Standings
  history: readonly DayOfTotal[]
  takes: Takes
}

/** The listing's places, how its total came about, and what the next place up costs. */
export function ProductStanding({ product, standings, history, takes }: StandingProps) {
  if (!standings.all) {
    return (
      <section aria-labelledby="standing">
        <h2 id="standing">On the boards</h2>
        <p>Listed free. Not on a paid board.</p>
        <TakeNext product={product} takes={takes} />
      </section>
    )
  }
  return (
    <section aria-labelledby="standing">
      <h2 id="standing">
        On the boards <span class="paid">Paid placement</span>
      </h2>
      <ul class="stand">
        {BOARDS.map(board => {
          const standing = standings[board]
          return (
            <li key={board} class={standing?.rank === 1 ? 'first' : undefined}>
              <a href={`/board/${board}`}>{BOARD_NAMES[board]}</a>
              {standing ? (
                <>
                  <b>No. {standing.rank.toLocaleString('en-US')}</b>
                  <small>{shortDollars(standing.totalCents)} paid</small>
                </>
              ) : (
                <>
                  <b>–</b>
                  <small>No payment counts</small>
                </>
              )}
            </li>
          )
        })}
      </ul>
      <History days={history} />
      <p class="small soft">Paid, not earned. Days are UTC; refunds and disputes are left out.</p>
      <TakeNext product={product} takes={takes} />
    </section>
  )
}

const ON_BOARD: Record<Board, string> = { all: '', today: ' today' }

/** Prices are for this website, less what it has. They may be some seconds old: the order page shows the one that counts. */
function TakeNext({ product, takes }: Pick<StandingProps, 'product' | 'takes'>) {
  const { category } = product
  const offered = BOARDS.flatMap(board => (takes[board] ? [{ board, ...takes[board] }] : []))
  return (
    <p class="takes">
      {offered.map(({ board, rank, targetBid, chargeAmountCents }) => (
        <a
          class="take"
          key={board}
          href={promotePath({ destination: product, category, board, targetBid })}
          rel="nofollow"
        >
          Take No. {rank.toLocaleString('en-US')}
          {ON_BOARD[board]} for {shortDollars(chargeAmountCents)}
        </a>
      ))}
      {offered.length === 0 && (
        <a class="take" href={promotePath({ destination: product, category })} rel="nofollow">
          Buy a place
        </a>
      )}
    </p>
  )
}

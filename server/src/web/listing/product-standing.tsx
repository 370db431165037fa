import { BOARDS } from '@placard/contract'
import type { DayOfTotal } from '../../boards/history.ts'
import type { Standings } from '../../boards/standings.ts'
import { promotePath } from '../../http/links.ts'
import type { Product } from '../../listings/product.ts'
import { BOARD_NAMES } from '../ui/board-names.ts'
import { shortDollars } from '../ui/money.ts'
import { History } from './history-chart.tsx'

interface StandingProps {
  product: Product
  standings: Standings
  history: readonly DayOfTotal[]
}

/** The listing's places and how its total came about, or only a link to promote it. */
export function ProductStanding({ product, standings, history }: StandingProps) {
  const promote = promotePath({ destination: product, category: product.category })
  if (!standings.all) {
    return (
      <section aria-labelledby="standing">
        <h2 id="standing">Standing</h2>
        <p>
          Not on a board: no payment counts for it.{' '}
          <a href={promote} rel="nofollow">
            Promote this website
          </a>
        </p>
      </section>
    )
  }
  return (
    <section aria-labelledby="standing">
      <h2 id="standing">
        Standing <span class="paid">Paid placement</span>
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
      <p class="small soft">Places on the boards are paid for and say nothing about quality.</p>
      <p>
        <a class="take" href={promote} rel="nofollow">
          Promote this website
        </a>
      </p>
    </section>
  )
}

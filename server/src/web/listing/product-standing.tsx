import { BOARDS } from '@placard/contract'
import type { Standings } from '../../boards/standings.ts'
import { promotePath } from '../../http/links.ts'
import type { Product } from '../../listings/product.ts'
import { BOARD_NAMES } from '../ui/board-names.ts'
import { dollars } from '../ui/money.ts'

interface StandingProps {
  product: Product
  standings: Standings
}

/** The listing's totals and ranks, or only a link to promote it. */
export function ProductStanding({ product, standings }: StandingProps) {
  const promote = promotePath({ destination: product, category: product.category })
  if (!standings.all) {
    return (
      <p class="promote-quietly">
        <a href={promote} rel="nofollow">
          Promote this website
        </a>
      </p>
    )
  }
  return (
    <section class="standing">
      <h2 class="standing-name">Paid placement</h2>
      <dl class="record">
        {BOARDS.map(board => {
          const standing = standings[board]
          return (
            standing && (
              <>
                <dt>
                  <a href={`/board/${board}`}>{BOARD_NAMES[board]}</a>
                </dt>
                <dd>
                  <strong>No. {standing.rank.toLocaleString('en-US')}</strong> with{' '}
                  {dollars(standing.totalCents)}
                </dd>
              </>
            )
          )
        })}
      </dl>
      <p class="note">
        Places on the boards are paid for and say nothing about quality.{' '}
        <a href={promote} rel="nofollow">
          Promote this website
        </a>
      </p>
    </section>
  )
}

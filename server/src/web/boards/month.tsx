import type { Links } from '../../http/links.ts'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { BoardTabs } from './board-tabs.tsx'
import { dayPath, monthPath, monthText } from './day-paths.ts'
import { type MonthWinners, WinnersCalendar, WinnersStrip } from './winners.tsx'

/** The winners of a month, and of some before it: plain data, as that of a past day. */
export interface MonthView {
  /** The one the page is about first, then older ones. */
  months: readonly [MonthWinners, ...MonthWinners[]]
  /** The last day with a winner before all of these. */
  earlier: string | undefined
  /** The month after, unless it has not begun. */
  later: string | undefined
  /** Midnight of the present day. Unix milliseconds. */
  today: number
}

/** The calendar of winners. */
export const renderMonth =
  (links: Links) =>
  ({ months: [month, ...older], earlier, later, today }: MonthView): string =>
    renderDocument(
      <Layout
        links={links}
        isWall
        title={`Winners of ${monthText(month.month)}`}
        description={`Paid placement: who was No. 1 of each day of ${monthText(month.month)}, and what they paid.`}
        path={monthPath(month.month)}
        {...(month.winners.length > 0 && { canonical: links.base + monthPath(month.month) })}
      >
        <div class="wrap page-head">
          <h1>Past days</h1>
          <p class="lead">
            <span class="paid">Paid placement</span>
            <br />
            Every day has a board of its own, which closes at midnight UTC. These are the winners.
          </p>
        </div>
        <BoardTabs at="past" now={today} />
        <div class="wrap">
          <WinnersCalendar {...month} now={today} />
          {older.map(each => (
            <WinnersStrip key={each.month} {...each} now={today} />
          ))}
          <nav class="pager" aria-label="Earlier and later">
            {earlier && (
              <a href={monthPath(earlier)} rel="prev">
                <small>Earlier</small>← {monthText(earlier.slice(0, 7))}
              </a>
            )}
            {later && (
              <a href={dayPath(later)} rel="next">
                <small>Later</small>
                {monthText(later)} →
              </a>
            )}
          </nav>
        </div>
      </Layout>,
    )

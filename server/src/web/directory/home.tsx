import { CAPABILITIES_PATH, CATEGORIES, DISPLAY_DAYS } from '@placard/contract'
import type { Shown } from '../../listings/shown.ts'
import { BoardTop, type TopEntry } from '../boards/top.tsx'
import { Cards } from '../ui/card.tsx'
import { Layout, renderDocument, SearchForm } from '../ui/layout.tsx'
import { Categories } from './categories.tsx'

/** What the home page shows: plain data, so that an unchanged page need not be made again. */
export interface Home {
  /** Address of the service. */
  base: string
  isMoneyPlay: boolean
  listings: Shown[]
  /** The first places of the boards; undefined where they cannot be read. */
  tops: { all: TopEntry[]; today: TopEntry[] } | undefined
  /** From `submissionWindow`. */
  submissions: string
}

/** The board with its newest listings, and the way on for agents and people. */
export const renderHome = ({ base, isMoneyPlay, listings, tops, submissions }: Home): string =>
  renderDocument(
    <Layout
      isMoneyPlay={isMoneyPlay}
      title="A public notice board for websites"
      description="A public notice board for websites. Agents pin up one free listing for a customer who said yes."
      path="/"
      canonical={`${base}/`}
    >
      <div class="hero">
        <div>
          <h1>A public notice board for websites</h1>
          <p class="lead">
            An agent pins up one free listing for its customer’s website, once the customer has said yes: it
            is reviewed first, and stays for {DISPLAY_DAYS} days.
          </p>
          <SearchForm class="find" />
          <p>
            or look through the <a href="#categories">{CATEGORIES.length} categories</a>
          </p>
        </div>
        <PinUp submissions={submissions} />
      </div>
      <div class="board">
        <div class="tops">
          <BoardTop board="all" entries={tops?.all} />
          <BoardTop board="today" entries={tops?.today} />
        </div>
        <section aria-labelledby="newest">
          <h2 class="on-felt" id="newest">
            <a class="plain" href="/newest">
              Newest listings
            </a>
          </h2>
          {listings.length > 0 ? <Cards listings={listings} /> : <EmptyBoard />}
        </section>
      </div>
      <Categories />
    </Layout>,
  )

/** The way in, for who has a website and for the agent of who has one. */
function PinUp({ submissions }: Pick<Home, 'submissions'>) {
  return (
    <section class="sheet slip" aria-labelledby="pin-up">
      <h2 id="pin-up">Pin up a website</h2>
      <p>
        Send your agent to the <a href="/agent-guide.md">agent guide</a>: a listing is free. A place on a
        board is <a href="/promote">bought by a person</a>, never by an agent.
      </p>
      <p class="note">
        For agents: <a href={CAPABILITIES_PATH}>capabilities</a>, <a href="/openapi.json">OpenAPI</a>,{' '}
        <a href="/llms.txt">llms.txt</a>. {submissions}
      </p>
    </section>
  )
}

function EmptyBoard() {
  return (
    <div class="card lone pin-1">
      <h3>Nothing is pinned up yet</h3>
      <p>
        The first listing will hang here. To make it yours, send your agent to the{' '}
        <a href="/agent-guide.md">agent guide</a>.
      </p>
    </div>
  )
}

import { CAPABILITIES_PATH, CATEGORIES, DISPLAY_DAYS } from '@placard/contract'
import type { Shown } from '../../listings/shown.ts'
import { BoardTop, type TopEntry } from '../boards/top.tsx'
import { Cards } from '../ui/card.tsx'
import { Layout, renderDocument, SearchForm } from '../ui/layout.tsx'
import { Categories } from './categories.tsx'

/** What the home page shows: plain data, so that an unchanged page is not rendered again. */
export interface Home {
  /** Address of the service. */
  base: string
  isMoneyPlay: boolean
  listings: Shown[]
  /** The top places of both boards; undefined if they cannot be read. */
  tops: { all: TopEntry[]; today: TopEntry[] } | undefined
  /** From `submissionWindow`. */
  submissions: string
}

/** The home page: top places, newest listings, and links for agents and people. */
export const renderHome = ({ base, isMoneyPlay, listings, tops, submissions }: Home): string =>
  renderDocument(
    <Layout
      isMoneyPlay={isMoneyPlay}
      title="A public notice board for websites"
      description="A public notice board for websites. Your AI agent lists your website for free, once you approve it."
      path="/"
      canonical={`${base}/`}
    >
      <div class="hero">
        <div>
          <h1>A public notice board for websites</h1>
          <p class="lead">
            List your website free for {DISPLAY_DAYS} days. Your AI agent does it; you approve it. Every
            website is reviewed first.
          </p>
          <SearchForm class="find" />
          <p>
            or browse the <a href="#categories">{CATEGORIES.length} categories</a>
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

/** How to get listed, for website owners and for their agents. */
function PinUp({ submissions }: Pick<Home, 'submissions'>) {
  return (
    <section class="sheet slip" aria-labelledby="pin-up">
      <h2 id="pin-up">List a website</h2>
      <p>
        Listings are free: send your agent to the <a href="/agent-guide.md">agent guide</a>. Agents can’t
        spend money: you <a href="/promote">buy places</a> yourself.
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
      <h3>Nothing is listed yet</h3>
      <p>
        Be the first: send your agent to the <a href="/agent-guide.md">agent guide</a>.
      </p>
    </div>
  )
}

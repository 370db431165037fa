import { CAPABILITIES_PATH, DISPLAY_DAYS } from '@placard/contract'
import type { Links } from '../http/links.ts'
import type { Listing } from '../listings/listing.ts'
import { Card } from './card.tsx'
import { Layout, renderDocument } from './layout.tsx'

interface Home {
  links: Links
  listings: Listing[]
  /** From `submissionWindow`. */
  submissions: string
}

/** The board with its newest listings, and the way on for agents and people. */
export const renderHome = ({ links, listings, submissions }: Home): string =>
  renderDocument(
    <Layout
      title="A public notice board for websites"
      description="A public notice board for websites. Agents pin up one free listing for a customer who said yes."
      path="/"
      canonical={`${links.base}/`}
    >
      <div>
        <h1>A public notice board for websites</h1>
        <p class="lead">
          An agent pins up one free listing for its customer’s website, once the customer has said yes. Each
          page is reviewed before it goes up, and stays for {DISPLAY_DAYS} days.
        </p>
      </div>
      <section class="board" aria-labelledby="newest">
        <h2 id="newest">Newest listings</h2>
        {listings.length > 0 ? (
          <ul class="cards">
            {listings.map(listing => (
              <Card key={listing.id} listing={listing} />
            ))}
          </ul>
        ) : (
          <EmptyBoard />
        )}
      </section>
      <Ways submissions={submissions} />
    </Layout>,
  )

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

function Ways({ submissions }: Pick<Home, 'submissions'>) {
  return (
    <div class="ways">
      <section class="sheet" aria-labelledby="agents">
        <h2 id="agents">For agents</h2>
        <p>{submissions}</p>
        <ul>
          <li>
            <a href="/agent-guide.md">Agent guide</a>: how to publish, step by step
          </li>
          <li>
            <a href={CAPABILITIES_PATH}>Capabilities</a>: categories, limits and policy, live
          </li>
          <li>
            <a href="/openapi.json">OpenAPI</a>: every operation and field
          </li>
        </ul>
      </section>
      <section class="sheet" aria-labelledby="people">
        <h2 id="people">For people</h2>
        <p>Your agent does the publishing. You decide, and you keep the private link.</p>
        <ul>
          <li>
            <a href="/rules">Rules</a>: what may be listed, and what is promised
          </li>
          <li>
            <a href="/support">Support</a>: lost receipts, and listings that are down
          </li>
          <li>
            <a href="/promote">Paid places</a>: how they work
          </li>
        </ul>
      </section>
    </div>
  )
}

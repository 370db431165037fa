import type { Decision } from '../../domain/decisions/record.ts'
import { statusOf } from '../../domain/listings/listing.ts'
import type { Case } from '../../domain/moderation/console/queue.ts'
import { isRecent } from '../../domain/moderation/console/sessions.ts'
import { justDoneIn } from '../../domain/moderation/console/undo.ts'
import type { LinkIdentity } from '../../domain/ownership/owner-token.ts'
import { stockClass } from '../../domain/pictures/posters/stock.ts'
import type { BlockedHost } from '../../domain/review/reviewers/blocked-hosts.ts'
import { knownLanguage } from '../ui/format.ts'
import { PosterPicture } from '../ui/poster.tsx'
import { Minute } from '../ui/time.tsx'
import { Acts, BlockLink, Evidence, Host, QUEUE_FORM } from './case.tsx'
import { DoneMessage } from './done.tsx'
import { FeatureForms, type FeatureState } from './feature.tsx'
import { type ConsoleView, renderConsole } from './frame.tsx'
import { ReissueForm, TermForm } from './listing-acts.tsx'
import { History } from './lists.tsx'
import { caseValue } from './request.ts'
import { whyOf } from './words.ts'

interface ListingPage {
  view: ConsoleView
  found: Case
  decisions: readonly Decision[]
  link: LinkIdentity | undefined
  /** Whether it is picked, or left out of the draws. */
  featured: FeatureState
  /** The block that applies to its host. */
  block: BlockedHost | undefined
}

/** A listing with its evidence, picture and history, and all that can be done about it. */
export function renderListing({ view, found, decisions, link, featured, block }: ListingPage): string {
  const { listing } = found
  const { now, session } = view
  const done = justDoneIn(session, now)
  const status = statusOf(listing, now)
  return renderConsole({
    view,
    title: listing.title,
    children: (
      <>
        <p class="small">
          <a href="/console">Back to the queue</a>
        </p>
        {done && <DoneMessage done={done} now={now} />}
        <article class={`case${status === 'unavailable' ? ' hid' : ''}`} aria-labelledby="title" tabIndex={-1}>
          <div class="case-whole">
            <div class={`case-picture ${stockClass(listing.category)}`}>
              <PosterPicture listing={listing} />
            </div>
            <p class="case-why">{whyOf(found)}</p>
            <h1 id="title" dir="auto" lang={knownLanguage(listing.language)}>
              {listing.title}
            </h1>
            <Host listing={listing} />
            <p dir="auto" lang={knownLanguage(listing.language)}>
              {listing.description}
            </p>
            <p class="small soft">
              {status}, listed <Minute at={listing.publishedAt} />,{' '}
              {listing.expiresAt === null ? (
                'no end while it has a paid place'
              ) : (
                <>
                  ends <Minute at={listing.expiresAt} />
                </>
              )}
              . <a href={`/product/${listing.slug}`}>Public page</a>
            </p>
          </div>
          <Evidence found={found} now={now} />
          <form id={QUEUE_FORM} class="case-do" method="post" action="/console/act">
            <input type="hidden" name="slug" value={listing.slug} />
            <Acts found={found} now={now} />
            {block ? <BlockedNote block={block} /> : <BlockLink found={found} />}
          </form>
        </article>
        <InYourWords found={found} />
        <TermForm found={found} now={now} />
        <FeatureForms slug={listing.slug} name={session.name} state={featured} />
        {session.role === 'admin' && <ReissueForm slug={listing.slug} link={link} isRecent={isRecent(session, now)} />}
        <section class="console-sec" aria-labelledby="history">
          <h2 id="history">History</h2>
          <History decisions={decisions} />
        </section>
      </>
    ),
  })
}

const BlockedNote = ({ block }: { block: BlockedHost }) => (
  <a href="/console/blocks">
    <bdi dir="ltr">{block.host}</bdi> is blocked
  </a>
)

/** The same actions with the operator's own explanation, which owner and reporters can read. */
function InYourWords({ found }: { found: Case }) {
  const isHidden = found.listing.hiddenAt !== null
  return (
    <section class="console-sec" aria-labelledby="words">
      <h2 id="words">In your own words</h2>
      <form class="console-words" method="post" action="/console/act">
        <input type="hidden" name="slug" value={found.listing.slug} />
        <p>
          <label for="explanation">Why</label>
          <input type="text" id="explanation" name="explanation" maxLength={500} required autocomplete="off" />
        </p>
        <p class="hint">Its owner and the reporters can read this.</p>
        {!isHidden && (
          <p>
            <label for="ground">Rule or law</label>
            <select id="ground" name="ground">
              <option value="rules/content">The rules of this site</option>
              <option value="law/illegal-content">It is against the law: name the law above</option>
              <option value="law/notice">An authority has ordered it: name the order above</option>
            </select>
          </p>
        )}
        <p>
          <button class="btn" type="submit" name={isHidden ? 'restore' : 'hide'} value={caseValue(found)}>
            {isHidden ? 'Restore, for this reason' : 'Hide, for this reason'}
          </button>
        </p>
      </form>
    </section>
  )
}

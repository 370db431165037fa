import { readFeatured } from '../../domain/featured/feature.ts'
import { findListing, statusOf } from '../../domain/listings/listing.ts'
import { historyOf } from '../../domain/moderation/console/history.ts'
import { type Case, readCase } from '../../domain/moderation/console/queue.ts'
import { isRecent } from '../../domain/moderation/console/sessions.ts'
import { findLink } from '../../domain/ownership/renew-link.ts'
import { stockClass } from '../../domain/pictures/posters/stock.ts'
import { type BlockedHost, blockOf } from '../../domain/review/reviewers/blocked-hosts.ts'
import { Button, Form } from '../ui/elements.tsx'
import { knownLanguage } from '../ui/format.ts'
import { PosterPicture } from '../ui/poster.tsx'
import { Minute } from '../ui/time.tsx'
import { Acts, BlockLink, Evidence, Host, QUEUE_FORM } from './case.tsx'
import { JustDone } from './done.tsx'
import { FeatureForms, ReissueForm, TermForm } from './listing-acts.tsx'
import { History } from './lists.tsx'
import { ConsolePage, Head, Part, Reason } from './page.tsx'
import { blocksPath, type ConsoleDependencies, caseValue, type Visit } from './request.ts'
import { STATUS_WORDS, whyOf } from './words.ts'

const REPORTS_SHOWN = 50

/** A listing with its evidence, picture and history, and all that can be done about it. */
export async function listing({ store }: ConsoleDependencies, { view, request, reply }: Visit) {
  const { slug } = request.params as { slug: string }
  const { now, session } = view
  const known = await findListing(store.db, slug)
  const found = known && (await readCase(store, Number(known.id), REPORTS_SHOWN))
  if (!found) {
    reply.code(404)
    return (
      <ConsolePage view={view} title="No such listing">
        <Head title="No such listing">The address may be mistyped.</Head>
        <p>
          <a href="/console/listings">Find a listing</a>
        </p>
      </ConsolePage>
    )
  }
  const { listing } = found
  const [decisions, link, featured, block] = await Promise.all([
    historyOf(store.db, listing.id),
    findLink(store.db, listing.id),
    readFeatured(store.db, listing.id),
    blockOf(store, listing.hostname),
  ])
  const status = statusOf(listing, now)
  return (
    <ConsolePage view={view} title={listing.title}>
      <p class="small">
        <a href="/console">Back to the queue</a>
      </p>
      <JustDone view={view} back={{ slug }} />
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
            {STATUS_WORDS[status]}. Listed <Minute at={listing.publishedAt} />,{' '}
            {listing.expiresAt === null ? (
              'no end while it has a paid place'
            ) : (
              <>
                {status === 'expired' ? 'ended' : 'ends'} <Minute at={listing.expiresAt} />
              </>
            )}
            . <a href={`/product/${slug}`}>Public page</a>
          </p>
        </div>
        <Evidence found={found} now={now} back={{ slug }} />
        <Form id={QUEUE_FORM} class="case-do" action="/console/act" fields={{ slug }}>
          <Acts found={found} now={now} />
          {block ? <BlockedNote block={block} /> : <BlockLink found={found} />}
        </Form>
      </article>
      <InYourWords found={found} />
      <TermForm found={found} now={now} />
      <FeatureForms slug={slug} name={session.name} state={featured} />
      {session.role === 'admin' && <ReissueForm slug={slug} link={link} isRecent={isRecent(session, now)} />}
      <Part id="history" title="History">
        <History decisions={decisions} />
      </Part>
    </ConsolePage>
  )
}

const BlockedNote = ({ block: { host, subdomains } }: { block: BlockedHost }) => (
  <a href={blocksPath({ host, subdomains: subdomains === 1 })}>
    <bdi dir="ltr">{host}</bdi> is blocked
  </a>
)

/** The same actions with the operator's own explanation, which owner and reporters can read. */
function InYourWords({ found }: { found: Case }) {
  const isHidden = found.listing.hiddenAt !== null
  return (
    <Part id="words" title="In your own words">
      <Form class="console-words" action="/console/act" fields={{ slug: found.listing.slug }}>
        <Reason id="explanation" label="Why" hint="Its owner and the reporters can read this." />
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
          <Button name={isHidden ? 'restore' : 'hide'} value={caseValue(found)}>
            {isHidden ? 'Restore, for this reason' : 'Hide, for this reason'}
          </Button>
        </p>
      </Form>
    </Part>
  )
}

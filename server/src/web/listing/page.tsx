import type { Standings } from '../../domain/boards/standings.ts'
import type { Neighbours } from '../../domain/listings/discovery.ts'
import type { DatedRow } from '../../domain/listings/listed-row.ts'
import type { Product } from '../../domain/listings/listing.ts'
import { stockClass } from '../../domain/pictures/posters/stock.ts'
import type { ListingStatus } from '../../platform/db/tables/publishing.ts'
import { drawPath, type Links } from '../../platform/http/links.ts'
import { ButtonLink, Fact, IsItYours } from '../ui/elements.tsx'
import { categoryPath, clip, knownLanguage, languageName, webAddress } from '../ui/format.ts'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { rowPath } from '../ui/log-rows.ts'
import { SearchForm } from '../ui/masthead.tsx'
import { PosterPicture, SignPage } from '../ui/poster.tsx'
import { Day, Month } from '../ui/time.tsx'
import { ForPrograms } from './oembed.tsx'
import { Related } from './related.tsx'
import { type ReportDraft, ReportForm } from './report-form.tsx'
import { type CurrentPlaces, listingSharePicture, Share } from './share.tsx'
import { ProductStanding, type StandingProps } from './standing.tsx'

/** Titles longer than this, in characters, are set smaller. */
const LONG_TITLE = 60

interface ProductPage extends StandingProps, CurrentPlaces {
  related: readonly DatedRow[]
  neighbours: Neighbours
  links: Links
  /** A refused report, to fill in again. */
  draft?: ReportDraft
}

/** The public page of a published listing. */
export function renderProduct({ product, links, draft, ...shown }: ProductPage): string {
  const { standings, history, takes, related, neighbours, today } = shown
  const { slug, title, description, category, hostname, url } = product
  const summary = description || `${title}, listed in ${category}.`
  const { site } = links
  return renderDocument(
    <Layout
      links={links}
      title={title}
      description={clip(summary, 160)}
      summary={summary}
      sharePicture={listingSharePicture(product, shown, site)}
      canonical={links.product(slug)}
      isWall
      head={<ForPrograms product={product} summary={summary} links={links} />}
      scripts={['copy.js', 'keep.js']}
    >
      <div class="wrap">
        <div class="cols">
          <Poster product={product} />
          <div class="rail">
            {webAddress(url) && (
              <p>
                <ButtonLink look="go" href={`/visit/${slug}`} rel={relOf(standings)}>
                  <span>
                    Visit <bdi dir="ltr">{hostname}</bdi>
                  </span>
                </ButtonLink>
              </p>
            )}
            <ProductStanding product={product} standings={standings} history={history} takes={takes} />
            <section aria-labelledby="facts">
              <h2 id="facts">Facts</h2>
              <Facts product={product} />
              <p class="small soft">
                {product.pictureVersion ? 'Title, description and picture are' : 'Title and description are'} the
                website’s own.{' '}
                {product.provenAt === null
                  ? LISTED_BY[product.listedBy]
                  : 'Its owner is verified: they proved that the website is theirs.'}{' '}
                <IsItYours url={url} /> <a href={rowPath(`/product/${slug}`)}>In the open log</a>
              </p>
              <ReportForm slug={slug} draft={draft} />
            </section>
            <section aria-labelledby="share" data-for-people>
              <h2 id="share">Share</h2>
              <Share product={product} places={shown} links={links} />
            </section>
          </div>
        </div>
        <Related category={category} related={related} neighbours={neighbours} today={today} />
      </div>
    </Layout>,
  )
}

const LISTED_BY = {
  agent: 'An AI agent posted this and said its customer agreed. Ownership is unverified.',
  agent_after_approval: 'An AI agent posted this after an approval in a browser. Ownership is unverified.',
  owner: 'A person posted this after proof of control of the website. That proof is gone: ownership is unverified.',
  payment: 'Listed with a paid place, after proof of control of the website.',
}

/** The placard of the listing, enlarged. */
function Poster({ product }: { product: Product }) {
  const { slug, title, description, hostname, category } = product
  const lang = knownLanguage(product.language)
  return (
    <article class={`poster ${stockClass(category)} ${title.length > LONG_TITLE ? 'long' : 'short'}`} data-keep={slug}>
      <PosterPicture listing={product} />
      <div>
        <h1 dir="auto" lang={lang}>
          {title}
        </h1>
        {description && (
          <p class="say" dir="auto" lang={lang}>
            {description}
          </p>
        )}
        <p class="by">
          <bdi dir="ltr">{hostname}</bdi>
          <a href={categoryPath(category)}>{category}</a>
        </p>
      </div>
    </article>
  )
}

/** The link out does not endorse the website, and is marked as sponsored if its place is paid. */
const relOf = ({ all }: Standings) => `nofollow ugc noopener${all ? ' sponsored' : ''}`

function Facts({ product: { publishedAt, expiresAt, language, provenAt, drawnOn } }: { product: Product }) {
  return (
    <dl class="facts">
      <Fact name="Listed">
        <Day at={publishedAt} />
      </Fact>
      <Fact name="Ends">{expiresAt === null ? 'No end date while its place is paid' : <Day at={expiresAt} />}</Fact>
      {drawnOn !== null && (
        <Fact name="Drawn by lot">
          <a href={drawPath(drawnOn)}>
            <Day at={Date.parse(drawnOn)} />
          </a>
        </Fact>
      )}
      <Fact name="Language">{languageName(language) ?? 'Not given'}</Fact>
      <Fact name="Owner">
        {provenAt === null ? (
          'Not verified'
        ) : (
          <>
            Verified in <Month at={provenAt} />
          </>
        )}
      </Fact>
    </dl>
  )
}

interface GonePage {
  status: Exclude<ListingStatus, 'published'>
  links: Links
  related?: Parameters<typeof Related>[0]
}

/** Renders the page of a listing that is down, without any of its content. */
export const renderGone = ({ status, links, related }: GonePage): string =>
  renderDocument(
    <Layout links={links} title="This listing is down" description="This listing is no longer shown." isWall>
      <div class="wrap">
        <SignPage sign="GO NE" tone="ink" heading="This listing is down">
          <p>
            {status === 'expired' ? 'Its time on the site has ended.' : 'It was taken down and is not shown now.'}{' '}
            <IsItYours />
          </p>
          <SearchForm isMain />
          <p class="acts">
            <ButtonLink href="/newest">Newest listings</ButtonLink>
            <ButtonLink href="/">Home</ButtonLink>
          </p>
        </SignPage>
        {related && <Related {...related} />}
      </div>
    </Layout>,
  )

/** Renders the page that confirms a report. */
export const renderReported = (slug: string, key: string | undefined, links: Links): string =>
  renderDocument(
    <Layout links={links} title="Thank you" description="Your report was sent.">
      <SignPage sign="THANK YOU" tone="green" heading="Thank you">
        <p>
          We received your report. The operator of this site will review it.
          {links.isSupportGiven && (
            <>
              {' '}
              If it is urgent, contact <a href={links.support}>support</a>.
            </>
          )}
        </p>
        {key && (
          <p>
            <a href={`/reports/${key}`}>See the outcome of your report</a>: keep this link. Only you have it, and we
            can’t send it again.
          </p>
        )}
        <p class="acts">
          <ButtonLink href={`/product/${slug}`}>Back to the listing</ButtonLink>
          <ButtonLink href="/">Home</ButtonLink>
        </p>
      </SignPage>
    </Layout>,
  )

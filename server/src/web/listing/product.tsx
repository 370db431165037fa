import { stockClass } from '../../art/stock.ts'
import type { Standings } from '../../boards/standings.ts'
import type { Links } from '../../http/links.ts'
import type { Product } from '../../listings/product.ts'
import type { ListingStatus } from '../../storage/schema.ts'
import { PosterPicture } from '../ui/art.tsx'
import { categoryPath } from '../ui/category-path.ts'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { clip, knownLanguage, webAddress } from '../ui/listed-text.ts'
import { SignPage } from '../ui/sign-page.tsx'
import { Day } from '../ui/time.tsx'
import { IsItYours } from './is-it-yours.tsx'
import { SharingTags } from './product-sharing.tsx'
import { ProductStanding } from './product-standing.tsx'
import { type ReportDraft, ReportForm } from './report-form.tsx'

/** Titles longer than this, in characters, are set smaller. */
const LONG_TITLE = 80

interface ProductPage {
  product: Product
  standings: Standings
  links: Links
  /** A refused report, to fill in again. */
  draft?: ReportDraft
}

/** The public page of a published listing. */
export function renderProduct({ product, standings, links, draft }: ProductPage): string {
  const { slug, title, description, category, hostname, url } = product
  const summary = description || `${title}, listed in ${category}.`
  const lang = knownLanguage(product.language)
  return renderDocument(
    <Layout
      isMoneyPlay={links.isMoneyPlay}
      title={title}
      description={clip(summary, 160)}
      canonical={links.product(slug)}
      head={<SharingTags product={product} summary={summary} links={links} />}
    >
      <div>
        <article class={`sheet listing${title.length > LONG_TITLE ? ' long-title' : ''}`}>
          <div class={`product-picture ${stockClass(category)}`}>
            <PosterPicture listing={product} />
          </div>
          <h1 dir="auto" lang={lang}>
            {title}
          </h1>
          <p class="host">
            <bdi dir="ltr">{hostname}</bdi>
          </p>
          {description && (
            <p class="description" dir="auto" lang={lang}>
              {description}
            </p>
          )}
          {webAddress(url) && (
            <p>
              <a class="button" href={`/visit/${slug}`} rel={relOf(standings)}>
                Visit <bdi dir="ltr">{hostname}</bdi>
              </a>
            </p>
          )}
          <Facts product={product} />
          <ProductStanding product={product} standings={standings} />
          <p class="note">
            {product.pictureVersion ? 'The text and picture above are' : 'The text above is'} the website’s
            own.{' '}
            {product.byAgent
              ? 'An agent declared its customer’s approval; nobody verified who owns the website.'
              : 'It was listed with a paid place, after the buyer proved control of the website.'}
          </p>
          <ReportForm slug={slug} draft={draft} />
        </article>
      </div>
    </Layout>,
  )
}

/** The link out never vouches for the website, and says if its place is paid. */
const relOf = ({ all }: Standings) => `nofollow ugc noopener${all ? ' sponsored' : ''}`

function Facts({ product: { category, publishedAt, expiresAt } }: { product: Product }) {
  return (
    <dl class="record">
      <dt>Category</dt>
      <dd>
        <a href={categoryPath(category)}>{category}</a>
      </dd>
      <dt>Listed on</dt>
      <dd>
        <Day at={publishedAt} />
      </dd>
      <dt>Ends on</dt>
      <dd>{expiresAt === null ? 'No scheduled end' : <Day at={expiresAt} />}</dd>
    </dl>
  )
}

/** Says that a listing is down, and reveals nothing it said. */
export const renderGone = (status: Exclude<ListingStatus, 'published'>, links: Links): string =>
  renderDocument(
    <Layout
      isMoneyPlay={links.isMoneyPlay}
      title="This listing is down"
      description="This listing is no longer shown."
    >
      <SignPage sign="GO NE" tone="ink" heading="This listing is down">
        <p>
          {status === 'expired'
            ? 'Its time on the board has ended.'
            : 'It was taken down and is not shown at present.'}
        </p>
        <p>
          <IsItYours links={links} /> Otherwise, see <a href="/">what is on the board</a>.
        </p>
      </SignPage>
    </Layout>,
  )

/** Thanks for a report, and says what happens next. */
export const renderReported = (slug: string, links: Links): string =>
  renderDocument(
    <Layout isMoneyPlay={links.isMoneyPlay} title="Thank you" description="Your report was sent.">
      <div>
        <div class="sheet">
          <h1>Thank you</h1>
          <p>
            We received your report. The operator of this board will look at it.
            {links.isSupportGiven && (
              <>
                {' '}
                If it is urgent, contact <a href={links.support}>support</a>.
              </>
            )}
          </p>
          <p>
            <a href={`/product/${slug}`}>Back to the listing</a>, or to <a href="/">the board</a>.
          </p>
        </div>
      </div>
    </Layout>,
  )

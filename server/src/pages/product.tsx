import type { Links } from '../http/links.ts'
import type { Listing } from '../listings/listing.ts'
import type { ListingStatus } from '../storage/schema.ts'
import { pinOf } from './card.tsx'
import { Layout, renderDocument } from './layout.tsx'
import { clip, knownLanguage, webAddress } from './listed-text.ts'
import { Day } from './time.tsx'

/** The public page of a published listing. */
export function renderProduct(listing: Listing, links: Links): string {
  const { title, category, hostname, url, published_at: firstSeen, expires_at: endsAt } = listing
  const summary = listing.description || `${title}, listed in ${category}.`
  const lang = knownLanguage(listing.language)
  const href = webAddress(url)
  return renderDocument(
    <Layout
      title={title}
      description={clip(summary, 160)}
      canonical={links.product(listing.slug)}
      head={<SharingTags listing={listing} summary={summary} links={links} />}
    >
      <div class="board">
        <article class={`card lone ${pinOf(category)}`}>
          <h1 dir="auto" lang={lang}>
            {title}
          </h1>
          <p class="host">{hostname}</p>
          {listing.description && (
            <p class="description" dir="auto" lang={lang}>
              {listing.description}
            </p>
          )}
          {href && (
            <p>
              <a class="button" href={href} rel="nofollow ugc noopener">
                Visit {hostname}
              </a>
            </p>
          )}
          <dl class="record">
            <dt>Category</dt>
            <dd>{category}</dd>
            <dt>First seen</dt>
            <dd>
              <Day at={firstSeen} />
            </dd>
            <dt>Ends on</dt>
            <dd>{endsAt === null ? 'No end is scheduled' : <Day at={endsAt} />}</dd>
          </dl>
          <p class="note">
            The words above are the website’s own. An agent declared its customer’s approval; who owns the
            website was not verified.
          </p>
        </article>
      </div>
    </Layout>,
  )
}

/** Says that a listing is down, and nothing of what it said. */
export const renderGone = (status: Exclude<ListingStatus, 'published'>, links: Links): string =>
  renderDocument(
    <Layout title="This listing is down" description="This listing is no longer shown.">
      <div class="board">
        <div class="card lone pin-1">
          <h1>This listing is down</h1>
          <p>
            {status === 'expired'
              ? 'Its time on the board has ended.'
              : 'It was taken down and is not shown at present.'}
          </p>
          <p>
            Is it yours? <a href={links.support}>Support</a> can help. Otherwise, see{' '}
            <a href="/">what is on the board</a>.
          </p>
        </div>
      </div>
    </Layout>,
  )

/** Open Graph and schema.org, text only: pictures of other websites are never loaded here. */
function SharingTags({ listing, summary, links }: { listing: Listing; summary: string; links: Links }) {
  const address = links.product(listing.slug)
  const data = {
    '@context': 'https://schema.org',
    '@type': 'ItemPage',
    url: address,
    name: listing.title,
    description: summary,
    datePublished: new Date(listing.published_at).toISOString(),
    ...(listing.expires_at !== null && { expires: new Date(listing.expires_at).toISOString() }),
    mainEntity: { '@type': 'WebSite', url: listing.url, name: listing.title },
  }
  // A data block ends at the first `</script`, whatever JSON says: no `<` may stand in it.
  const json = JSON.stringify(data).replaceAll('<', '\\u003c')
  return (
    <>
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content="Placard" />
      <meta property="og:title" content={listing.title} />
      <meta property="og:description" content={summary} />
      <meta property="og:url" content={address} />
      <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: json }} />
    </>
  )
}

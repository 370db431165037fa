import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'
import { COLLECTIONS_PER_MINUTE, findPublished } from '../domain/listings/discovery.ts'
import type { DatedRow } from '../domain/listings/listed-row.ts'
import { isSlug } from '../domain/listings/listing.ts'
import { brandOf, type PostersDrawing } from '../domain/pictures/drawing.ts'
import { shortName } from '../domain/pictures/posters/name.ts'
import { listingTags } from '../platform/cdn/tags.ts'
import type { Site } from '../platform/config/site.ts'
import { CACHE, LIVE_HEADERS } from '../platform/http/headers.ts'
import type { Links } from '../platform/http/links.ts'
import { Problem } from '../platform/http/problem.ts'
import { allowance, refuseTooMany } from '../platform/http/rate-limits/rate-limit.ts'
import { sendPublic } from '../platform/http/send.ts'
import { MINUTE_MS } from '../platform/lib/time.ts'
import { assetPath } from './ui/assets.ts'
import { ButtonLink, PageHead } from './ui/elements.tsx'
import { Layout, renderDocument } from './ui/layout.tsx'
import { ListingPoster } from './ui/listing-poster.tsx'
import type { Needs } from './ui/page-parts.ts'
import { LISTED_CACHE, sendDrawn } from './ui/send-picture.ts'
import { SharingTags, sharedPath } from './ui/share-picture.tsx'

type KeptRequest = FastifyRequest<{ Querystring: { listings?: unknown } }>

/**
 * GET /kept: the listings that a visitor keeps, which only the browser knows. With `listings`, a shared collection: the
 * address contains it, and nothing of it is stored.
 */
export function keptRoutes(
  app: FastifyInstance,
  deps: Needs<'links' | 'store' | 'drawn' | 'allowances' | 'clock'>,
): void {
  const { links, store, drawn, clock } = deps
  const limit = { name: 'collectionsPerMinutePerIp', max: COLLECTIONS_PER_MINUTE, windowMs: MINUTE_MS }
  const collections = allowance(deps.allowances, limit)

  app.get('/kept', async (request: KeptRequest, reply) => {
    reply.headers(LIVE_HEADERS)
    if (request.query.listings === undefined) {
      return sendPublic(request, reply, renderKept(links), { cache: CACHE.text, tags: [] })
    }
    const slugs = slugsIn(request)
    await refuseTooMany(collections, request)
    const listings = await findPublished(store, slugs, clock())
    const html = renderShared({ listings, missing: slugs.length - listings.length, links })
    return sendPublic(request, reply, html, { cache: CACHE.home, tags: listingTags(listings) })
  })

  app.get('/share/kept.png', async (request: KeptRequest, reply) => {
    const listings = await findPublished(store, slugsIn(request), clock())
    if (listings.length === 0) throw new Problem('not_found')
    const drawing = keptDrawing(listings, links.site)
    return sendDrawn(request, reply, drawn, { drawing, cache: LISTED_CACHE, tags: listingTags(listings) })
  })
}

/** Returns the listings that an address names, each once. @throws Problem invalid_request */
function slugsIn({ query: { listings } }: KeptRequest): string[] {
  const slugs = typeof listings === 'string' ? [...new Set(listings.split(','))] : []
  if (slugs.length > 0 && slugs.length <= SHARED_MAX && slugs.every(isSlug)) return slugs
  throw new Problem('invalid_request', {
    field: 'listings',
    message: `This is not the whole address of a collection. “listings” must name 1 to ${SHARED_MAX} listings as their pages do, separated by commas. Ask for the address again, or open /kept for your own collection.`,
  })
}

/** With more, addresses would be too long for some services. */
const SHARED_MAX = 60

/** How many listings the share picture of a collection shows. */
const DRAWN_MAX = 6

/** Returns what the share picture of a collection is drawn from. */
const keptDrawing = (listings: readonly DatedRow[], site: Site): PostersDrawing => ({
  kind: 'bills',
  brand: brandOf(site),
  note: 'Kept listings',
  bills: listings.slice(0, DRAWN_MAX).map(({ title, hostname, language, category }) => ({
    title: shortName(title) || title,
    hostname,
    language,
    category,
  })),
})

/** The address of a collection, and the part of its picture's. */
const queryOf = (listings: readonly DatedRow[]) => `listings=${listings.map(({ slug }) => slug).join(',')}`

interface Shared {
  /** Those of the collection that are published, in its order. */
  listings: readonly DatedRow[]
  /** How many others it names. */
  missing: number
  links: Links
}

/** Renders a shared collection. It is complete without JavaScript. */
function renderShared({ listings, missing, links }: Shared): string {
  const heading = listings.length === 1 ? '1 kept listing' : `${listings.length} kept listings`
  const names = listings.slice(0, DRAWN_MAX).map(({ title }) => shortName(title) || title)
  const others = listings.length > DRAWN_MAX ? ' and others' : ''
  const named = names.length > 0 ? `${names.join(', ')}${others}. ` : ''
  const description = `${named}Listings on ${links.site.name} that a visitor kept and shared.`
  const picture = {
    path: sharedPath('kept', keptDrawing(listings, links.site), queryOf(listings.slice(0, DRAWN_MAX))),
    alt: `${heading} on ${links.site.name}: ${names.join(', ')}`,
  }
  const isEmpty = listings.length === 0
  return renderPage(
    { links, title: heading, description },
    !isEmpty && (
      <SharingTags
        links={links}
        title={heading}
        description={description}
        url={`${links.base}/kept?${queryOf(listings)}`}
        picture={picture}
      />
    ),
    <>
      <PageHead isWide title={heading}>
        A visitor kept these listings and shared them with you. The address contains them all.
      </PageHead>
      <div class="wrap" data-shared>
        <p class="acts bar-acts">
          {!isEmpty && (
            <button class="btn go" type="button" data-keep-all hidden>
              Keep all
            </button>
          )}
          <ButtonLink href="/kept">Your own collection</ButtonLink>
        </p>
        {missing > 0 && (
          <p class="later">
            {missing === 1 ? '1 listing is' : `${missing} listings are`} left out: ended, taken down, or not found.
          </p>
        )}
        {!isEmpty && (
          <>
            <h2 class="unseen">Listings</h2>
            <ul class="wall six">
              {listings.map(listing => (
                <li key={listing.slug}>
                  <ListingPoster listing={listing} note={listing.category} />
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </>,
  )
}

/** Renders the page of a visitor's own collection, which the page's script fills. */
const renderKept = (links: Links): string =>
  renderPage(
    { links, title: 'Kept', description: `The listings on ${links.site.name} that you keep in this browser.` },
    <script type="module" src={assetPath('copy.js')} />,
    <>
      <PageHead isWide title="Kept">
        Your collection stays in this browser. To show it, the browser asks us for these listings, and we store nothing
        about it.
      </PageHead>
      <div class="wrap" data-kept>
        <noscript>
          <p>To keep listings, turn on JavaScript. A collection that was shared with you opens without it.</p>
        </noscript>
        <div data-some hidden>
          <div class="acts bar-acts">
            <ButtonLink look="ink" href="#share">
              Share
            </ButtonLink>
            <label class="sorted">
              Sort by{' '}
              <select data-sort>
                <option value="kept">Last kept</option>
                <option value="title">Name</option>
                <option value="host">Website</option>
                <option value="category">Category</option>
              </select>
            </label>
            <span class="acts">
              Export as
              {(['HTML', 'text', 'JSON'] as const).map(format => (
                <button
                  key={format}
                  class="btn low"
                  type="button"
                  data-export={format.toLowerCase()}
                  aria-label={`Export as ${format}`}
                >
                  {format}
                </button>
              ))}
            </span>
          </div>
          <p class="later" data-left-out hidden />
          <h2 class="unseen">Listings</h2>
          <ul class="wall six" data-list />
          <section class="sec" aria-labelledby="share">
            <div class="sec-head">
              <h2 id="share" tabIndex={-1}>
                Share them
              </h2>
            </div>
            <label for="kept-address">Address of the collection</label>
            <div class="ask kept-address">
              <input type="text" id="kept-address" readOnly />
              <button class="btn" type="button" data-copy="kept-address" hidden>
                Copy
              </button>
            </div>
            <p class="hint">
              The address itself contains the collection, in the order shown. Anyone with it sees these listings.{' '}
              <span data-too-many hidden>
                It has room for the first {SHARED_MAX}.
              </span>
            </p>
          </section>
        </div>
        <section class="blank" aria-labelledby="none" data-none hidden>
          <b aria-hidden="true">0</b>
          <div>
            <h2 id="none">Nothing kept yet</h2>
            <p>Press Keep on any listing, and it waits for you here. You need no account, and we set no cookie.</p>
            <p class="acts">
              <ButtonLink look="ink" href="/newest">
                Newest listings
              </ButtonLink>
            </p>
          </div>
        </section>
      </div>
    </>,
  )

/** Neither page is for search engines, so neither names a canonical address. */
const renderPage = (
  about: { links: Links; title: string; description: string },
  head: ComponentChildren,
  content: ComponentChildren,
): string =>
  renderDocument(
    <Layout {...about} path="/kept" isWall head={head} scripts={['keep.js', 'kept.js']}>
      {content}
    </Layout>,
  )

import { DISPLAY_DAYS } from '@placard/contract'
import type { ComponentChildren } from 'preact'
import { type ShownPage, writeDiscoveryCursor } from '../../domain/listings/listed-row.ts'
import { LIST_PATH, type Links } from '../../platform/http/links.ts'
import { Wall } from '../ui/bill.tsx'
import { Layout, renderDocument } from '../ui/layout.tsx'
import type { SharePicture } from '../ui/share-picture.tsx'

interface ListingPage {
  links: Links
  title: string
  /** One sentence for search results. */
  description: string
  /** Path of the first page, with its query if it has one. */
  path: string
  /** Path of the menu entry, if there is one. */
  menuPath?: string
  /** Address of the first page. A page without one asks not to be indexed. */
  canonical?: string
  sharePicture?: SharePicture
  /** Whether this is not the first page. */
  isFurther: boolean
  page: ShownPage
  /** Unix milliseconds. */
  now: number
  /** The head of the page, with its `h1`. */
  head: ComponentChildren
  /** Whether all listings are of one category: they share one colour, and an invitation follows them. */
  isOfCategory?: boolean
  /** Shown if there are no listings. */
  empty: ComponentChildren
}

/** A page of listings, newest first, with a link to older ones. */
export function renderListingPage({ page, now, path, isFurther, isOfCategory, ...words }: ListingPage): string {
  const { links, title, description, menuPath, canonical, sharePicture, head, empty } = words
  const older = page.next && withCursor(path, writeDiscoveryCursor(page.next))
  return renderDocument(
    <Layout
      links={links}
      title={isFurther ? `${title}, older` : title}
      description={description}
      {...(menuPath !== undefined && { path: menuPath })}
      {...(canonical !== undefined && { canonical })}
      {...(sharePicture && { sharePicture })}
      isWall
      head={older && <link rel="next" href={older} />}
    >
      {head}
      <div class="wrap hung">
        {page.listings.length > 0 ? (
          <section aria-labelledby="listings">
            <h2 class="unseen" id="listings">
              {isFurther ? 'Older listings, newest first' : 'Newest first'}
            </h2>
            <Wall
              listings={page.listings}
              now={now}
              saysCategory={!isOfCategory}
              {...(isOfCategory && { class: 'tones' })}
            >
              {isOfCategory && !older && <Yours />}
            </Wall>
          </section>
        ) : (
          <div class="blank">
            <div>{isFurther ? <p>There are no older listings.</p> : empty}</div>
          </div>
        )}
        {(isFurther || older) && (
          <nav class="pager" aria-label="Pages">
            {isFurther && (
              <a class="btn" href={path}>
                Back to the newest
              </a>
            )}
            {older && (
              <a class="btn" href={older}>
                Older
              </a>
            )}
          </nav>
        )}
      </div>
    </Layout>,
  )
}

/** The invitation to list a website. */
const Yours = () => (
  <li class="yours">
    <a href={LIST_PATH}>
      <b>Yours?</b>
      <span>List it free for {DISPLAY_DAYS} days</span>
    </a>
  </li>
)

const withCursor = (path: string, cursor: string) => `${path}${path.includes('?') ? '&' : '?'}after=${cursor}`

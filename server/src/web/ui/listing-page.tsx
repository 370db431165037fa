import type { ComponentChildren } from 'preact'
import { writeDiscoveryCursor } from '../../listings/discovery-cursor.ts'
import type { ShownPage } from '../../listings/shown.ts'
import { Cards } from './card.tsx'
import { Layout, renderDocument } from './layout.tsx'

interface ListingPage {
  isMoneyPlay: boolean
  title: string
  /** One sentence for search results. */
  description: string
  /** Path of the first page, with its query if it has one. */
  path: string
  /** Path as the menu knows it, where it does. */
  menuPath?: string
  /** Address of the first page; without one it asks not to be indexed. */
  canonical?: string
  /** Whether something newer is left behind. */
  isFurther: boolean
  page: ShownPage
  /** Below the heading. */
  intro?: ComponentChildren
  /** What to say where there is no listing at all. */
  empty: ComponentChildren
}

/** A page of listings, newest first, with the way on to older ones. */
export function renderListingPage({ isMoneyPlay, page, path, isFurther, ...words }: ListingPage): string {
  const { title, description, menuPath, canonical, intro, empty } = words
  const older = page.next && withCursor(path, writeDiscoveryCursor(page.next))
  return renderDocument(
    <Layout
      isMoneyPlay={isMoneyPlay}
      title={isFurther ? `${title}, older` : title}
      description={description}
      {...(menuPath !== undefined && { path: menuPath })}
      {...(canonical !== undefined && { canonical })}
      head={older && <link rel="next" href={older} />}
    >
      <div class="listing-intro">
        <h1>
          <bdi>{title}</bdi>
        </h1>
        {intro}
      </div>
      {page.listings.length > 0 ? (
        <section class="board" aria-labelledby="listings">
          <h2 id="listings">{isFurther ? 'Older listings, newest first' : 'Newest first'}</h2>
          <Cards listings={page.listings} />
        </section>
      ) : (
        <div class="sheet listing-none">{isFurther ? <p>Nothing older is on show.</p> : empty}</div>
      )}
      {(isFurther || older) && (
        <nav class="listing-ways" aria-label="Pages">
          {isFurther && <a href={path}>Back to the newest</a>}
          {older && (
            <a class="button" href={older}>
              Older
            </a>
          )}
        </nav>
      )}
    </Layout>,
  )
}

const withCursor = (path: string, cursor: string) => `${path}${path.includes('?') ? '&' : '?'}after=${cursor}`

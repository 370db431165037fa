import { LRUCache } from 'lru-cache'
import type { ComponentChildren, VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Site } from '../../platform/config/site.ts'
import type { Links } from '../../platform/http/links.ts'
import { type Tagged, tagged } from '../../platform/http/send.ts'
import { type AssetName, assetPath } from './assets.ts'
import { pageFootHtml, wallFootHtml } from './footer.tsx'
import { clip } from './format.ts'
import { mastheadHtml } from './masthead.tsx'
import { type SharePicture, SharingTags } from './share-picture.tsx'
import { iconPath, isOurs, siteFiles } from './site-files.ts'

export interface Frame {
  title: string
  /** One sentence for search results. */
  description: string
  /** Path of this page, which the menu marks. */
  path?: string
  /** Public address of this page. A page without one asks not to be indexed. */
  canonical?: string
  /** The site, and whether it uses play money. */
  links: Links
  /** The feed of this page, in addition to the site's. */
  feed?: { path: string; title: string } | undefined
  /** Address under which other services show this page. Without it, the canonical one. */
  shared?: string | undefined
  /** The picture that other services show for shared links to this page, if it has its own. */
  sharePicture?: SharePicture
  /** The text they show there, if it is not the description. */
  summary?: string
  /**
   * A list of listings or a board has the whole width of the screen, sets its own `.wrap`s, and ends with the large footer.
   * Other pages have one column, and end with the small footer.
   */
  isWall?: boolean
  /** Instead of the masthead of public pages. */
  mast?: ComponentChildren
  /** More elements for the head. */
  head?: ComponentChildren
  scripts?: readonly (AssetName | false | undefined)[] | undefined
  /** The page of the form, if this is a reply to one. Its script lets reloading and going back lead there. */
  at?: string | undefined
  children: ComponentChildren
}

/** Longer titles are cut off in tabs and search results anyway. */
const TITLE_LENGTH = 70

/** The frame of every page. */
export function Layout({ title, description, path, canonical, isWall, ...frame }: Frame) {
  const { links, feed, shared = canonical, sharePicture, summary = description, mast, scripts = [], at } = frame
  const { site } = links
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{tabTitle(title, site)}</title>
        <meta name="description" content={description} />
        <meta name="color-scheme" content="light dark" />
        {canonical ? <link rel="canonical" href={canonical} /> : <meta name="robots" content="noindex" />}
        <link
          rel="preload"
          href={assetPath('archivo-latin.woff2')}
          as="font"
          type="font/woff2"
          crossorigin="anonymous"
        />
        <link rel="stylesheet" href={assetPath('style.css')} />
        <SiteHead site={site} />
        {feed && <link rel="alternate" type="application/atom+xml" href={feed.path} title={feed.title} />}
        <link rel="alternate" type="application/atom+xml" href="/feed.atom" title="Newest listings" />
        {shared && (
          <SharingTags links={links} title={title} description={summary} url={shared} picture={sharePicture} />
        )}
        {frame.head}
        {at !== undefined && <script type="module" src={assetPath('send-once.js')} />}
        {scripts.map(name => name && <script type="module" src={assetPath(name)} key={name} />)}
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to content
        </a>
        {site.isMoneyPlay && <PlayMoney />}
        {mast ?? (
          <div
            class={path === '/' ? 'on-green' : undefined}
            dangerouslySetInnerHTML={{ __html: mastheadHtml(path, site) }}
          />
        )}
        <main id="content" tabIndex={-1} class={isWall ? undefined : 'wrap page'} data-at={at}>
          {frame.children}
        </main>
        <div dangerouslySetInnerHTML={{ __html: isWall ? wallFootHtml(site) : pageFootHtml(site) }} />
      </body>
    </html>
  )
}

/** The site's own colour and icons. */
function SiteHead({ site }: { site: Site }) {
  const { accent } = siteFiles(site)
  return (
    <>
      {accent && <link rel="stylesheet" href={accent.path} />}
      {isOurs(site) ? (
        <link rel="icon" href={assetPath('favicon.svg')} type="image/svg+xml" />
      ) : (
        <link rel="icon" href={iconPath('small', site)} type="image/png" sizes="192x192" />
      )}
      <link rel="apple-touch-icon" href={iconPath('touch', site)} />
      <link rel="manifest" href="/manifest.webmanifest" />
    </>
  )
}

/** Shows on every page that this site charges no one. */
function PlayMoney() {
  return (
    <aside class="play-money" aria-label="About this site">
      <p class="wrap">
        <strong>This site uses play money.</strong> It is for testing, and no one is charged.
      </p>
    </aside>
  )
}

/** A whole HTML document from a `Layout`. */
export const renderDocument = (page: VNode): string => `<!DOCTYPE html>\n${renderToString(page)}\n`

function tabTitle(title: string, { name }: Site): string {
  const suffix = ` · ${name}`
  return clip(title, TITLE_LENGTH - suffix.length) + suffix
}

/**
 * Renders a page only when its data has changed: reading the data is cheap, rendering is not. The page always shows the
 * data just read.
 *
 * @param render must depend only on its data, which must be plain JSON
 * @param pagesMax how many pages to keep: the most recently requested
 */
export function renderOnce<Data>(render: (data: Data) => string, pagesMax = 1): (data: Data) => Tagged {
  const pages = new LRUCache<string, Tagged>({ max: pagesMax })
  return data => {
    const of = JSON.stringify(data)
    const known = pages.get(of)
    if (known) return known
    const page = tagged(Buffer.from(render(data)))
    pages.set(of, page)
    return page
  }
}

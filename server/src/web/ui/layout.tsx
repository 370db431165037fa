import { CAPABILITIES_PATH } from '@placard/contract'
import type { ComponentChildren, VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { assetPath } from './assets.ts'
import { clip } from './listed-text.ts'

interface Frame {
  title: string
  /** One sentence for search results. */
  description: string
  /** Path of this page, which the menu marks. */
  path?: string
  /** Public address of this page. A page without one asks not to be indexed. */
  canonical?: string
  /** Whether the boards count play money (from `Links`). If so, every page says it. */
  isMoneyPlay: boolean
  /** More elements for the head. */
  head?: ComponentChildren
  children: ComponentChildren
}

const MENU = [
  ['/', 'Home'],
  ['/board/all', 'Boards'],
  ['/newest', 'Newest'],
  ['/search', 'Search'],
  ['/agent-guide.md', 'For agents'],
] as const

/** Links to the text pages, and to what programs read. */
const FOOT = {
  Directory: [
    ['/newest', 'Newest listings'],
    ['/board/all', 'Board of all time'],
    ['/board/today', 'Board of today'],
    ['/promote', 'Buy a place'],
    ['/feed.atom', 'Feed'],
  ],
  'How it works': [
    ['/rules', 'Rules'],
    ['/how-boards-work', 'How boards work'],
    ['/privacy', 'Privacy'],
    ['/limits', 'Limits and policy'],
    ['/support', 'Support'],
  ],
  'For agents': [
    ['/agent-guide.md', 'Agent guide'],
    ['/api', 'API reference'],
    ['/openapi.json', 'OpenAPI'],
    [CAPABILITIES_PATH, 'Capabilities'],
    ['/llms.txt', 'llms.txt'],
  ],
} as const

/** Pages with their own search field. */
const WITHOUT_SEARCH_BOX = ['/', '/search']

/** Tabs and search results cut longer titles anyway. */
const TITLE_LENGTH = 70

/** The frame of every page. */
export function Layout({ title, description, path, canonical, isMoneyPlay, head, children }: Frame) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{tabTitle(title)}</title>
        <meta name="description" content={description} />
        <meta name="color-scheme" content="light dark" />
        {canonical ? <link rel="canonical" href={canonical} /> : <meta name="robots" content="noindex" />}
        <link rel="icon" href={assetPath('favicon.svg')} type="image/svg+xml" />
        <link rel="stylesheet" href={assetPath('style.css')} />
        <link rel="alternate" type="application/atom+xml" href="/feed.atom" title="Newest listings" />
        {head}
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to content
        </a>
        {isMoneyPlay && <PlayMoney />}
        <header class="top" dangerouslySetInnerHTML={{ __html: topHtml(path) }} />
        <main id="content" tabIndex={-1}>
          {children}
        </main>
        <footer class="foot" dangerouslySetInnerHTML={{ __html: FOOT_HTML }} />
      </body>
    </html>
  )
}

/** Says on every page that this board charges nobody. */
function PlayMoney() {
  return (
    <aside class="play-money" aria-label="About this board">
      <strong>This board uses play money.</strong> It is for trying things out, and nobody is charged.
    </aside>
  )
}

/** The search field. @param query its value */
export function SearchForm({ query, ...form }: { class: string; query?: string }) {
  return (
    <search class={form.class}>
      <form action="/search">
        <input
          type="search"
          name="q"
          value={query}
          maxLength={100}
          placeholder="Search the listings"
          aria-label="Search the listings"
          required
        />
        <button type="submit">Search</button>
      </form>
    </search>
  )
}

/** Page headers by path, each rendered once: they are a third of a page and never change. */
const TOPS = new Map<string | undefined, string>()

function topHtml(path: string | undefined): string {
  const known = TOPS.get(path)
  if (known !== undefined) return known
  const html = renderToString(<Top path={path} />)
  TOPS.set(path, html)
  return html
}

function Top({ path }: { path: string | undefined }) {
  return (
    <>
      <a class="brand" href="/">
        Placard
      </a>
      <nav aria-label="Main">
        <ul>
          {MENU.map(([href, name]) => (
            <li key={href}>
              <a href={href} aria-current={currentOf(href, path)}>
                {name}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {!WITHOUT_SEARCH_BOX.includes(path ?? '') && <SearchForm class="find small" />}
    </>
  )
}

function Foot() {
  return (
    <>
      <div class="foot-lists">
        {Object.entries(FOOT).map(([name, entries]) => (
          <nav key={name} aria-label={name}>
            <p>{name}</p>
            <ul class="foot-list">
              {entries.map(([href, label]) => (
                <li key={href}>
                  <a href={href}>{label}</a>
                </li>
              ))}
            </ul>
          </nav>
        ))}
      </div>
      <p>Listings are free. Places on the boards are paid. No API here can charge anyone.</p>
    </>
  )
}

/** Rendered once: every page has the same. */
const FOOT_HTML = renderToString(<Foot />)

/** One menu entry stands for both boards. */
function currentOf(href: string, path = ''): 'page' | 'true' | undefined {
  if (href === path) return 'page'
  return href.startsWith('/board/') && path.startsWith('/board/') ? 'true' : undefined
}

/** A complete HTML document from a `Layout`. */
export const renderDocument = (page: VNode): string => `<!DOCTYPE html>\n${renderToString(page)}\n`

function tabTitle(title: string): string {
  const suffix = ' · Placard'
  return clip(title, TITLE_LENGTH - suffix.length) + suffix
}

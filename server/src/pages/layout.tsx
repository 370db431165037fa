import type { ComponentChildren, VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { assetPath } from './assets.ts'
import { clip } from './listed-text.ts'

interface Frame {
  title: string
  /** One sentence for search results. */
  description: string
  /** Path of this page, to mark it in the menu. */
  path?: string
  /** Public address of this page; without one it asks not to be indexed. */
  canonical?: string
  /** More elements for the head. */
  head?: ComponentChildren
  children: ComponentChildren
}

const MENU = [
  ['/', 'Board'],
  ['/rules', 'Rules'],
  ['/support', 'Support'],
  ['/agent-guide.md', 'For agents'],
] as const

/** Longer titles are cut off in tabs and search results anyway. */
const TITLE_LENGTH = 70

/** The frame every page hangs in. */
export function Layout({ title, description, path, canonical, head, children }: Frame) {
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
        {head}
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to content
        </a>
        <header class="top">
          <a class="brand" href="/">
            Placard
          </a>
          <nav aria-label="Main">
            <ul>
              {MENU.map(([href, name]) => (
                <li key={href}>
                  <a href={href} aria-current={href === path ? 'page' : undefined}>
                    {name}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
        </header>
        <main id="content" tabIndex={-1}>
          {children}
        </main>
        <footer class="foot">
          <p>
            Listings are free, and no API here can charge anyone. <a href="/promote">Paid places</a>{' '}
            <a href="/llms.txt">llms.txt</a> <a href="/openapi.json">OpenAPI</a>
          </p>
        </footer>
      </body>
    </html>
  )
}

/** A whole HTML document from a `Layout`. */
export const renderDocument = (page: VNode): string => `<!DOCTYPE html>\n${renderToString(page)}\n`

function tabTitle(title: string): string {
  const suffix = ' · Placard'
  return clip(title, TITLE_LENGTH - suffix.length) + suffix
}

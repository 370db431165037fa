import { renderToString } from 'preact-render-to-string'
import { LIST_PATH } from '../../http/links.ts'
import type { Site } from '../../site/site.ts'
import { perSite } from '../site/per-site.ts'
import { SiteName } from './wordmark.tsx'

const MENU = [
  ['/board/all', 'Boards'],
  ['/newest', 'Newest'],
  ['/#categories', 'Categories'],
  ['/search', 'Search'],
  ['/agents', 'For agents'],
] as const

/** These say more largely what the masthead would say. */
const WITHOUT_SEARCH = ['/search']
const WITHOUT_LIST = ['/', LIST_PATH]

/** The mastheads of pages by path. Rendered once each: it is a good part of a page, and never changes. */
const mastheads = perSite(() => new Map<string | undefined, string>())

/** The top of every page. @param path of the page, to mark it in the menu */
export function mastheadHtml(path: string | undefined, site: Site): string {
  const known = mastheads(site).get(path)
  if (known !== undefined) return known
  const html = renderToString(<Masthead path={path} site={site} />)
  mastheads(site).set(path, html)
  return html
}

function Masthead({ path = '', site }: { path: string | undefined; site: Site }) {
  return (
    <header class="wrap mast">
      <a class="logo" href="/" aria-label={`${site.name}, home`}>
        <SiteName site={site} />
      </a>
      <nav aria-label="Main">
        <ul>
          {MENU.map(([href, name]) => (
            <li key={href} class={href === '/search' ? 'nav-search' : undefined}>
              <a href={href} aria-current={currentOf(href, path)}>
                {name}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {!WITHOUT_SEARCH.includes(path) && <SearchForm />}
      {!WITHOUT_LIST.includes(path) && (
        <a class="btn ink" href={LIST_PATH}>
          List your site
        </a>
      )}
    </header>
  )
}

interface SearchField {
  /** Beside `ask`. */
  class?: string
  /** What stands in the field. */
  query?: string
  /** Whether searching is what the page is for. */
  isMain?: boolean
}

/** The field that searches all listings. */
export function SearchForm({ query, isMain, ...form }: SearchField) {
  return (
    <search>
      <form class={`ask${form.class ? ` ${form.class}` : ''}`} action="/search">
        <input
          type="search"
          name="q"
          value={query}
          maxLength={100}
          placeholder="Search the listings"
          aria-label="Search the listings"
          required
        />
        <button class={isMain ? 'btn go' : 'btn'} type="submit">
          Search
        </button>
      </form>
    </search>
  )
}

/** Both boards stand behind one entry of the menu, and all categories behind another. */
function currentOf(href: string, path: string): 'page' | 'true' | undefined {
  if (href === path) return 'page'
  if (href.startsWith('/board/') && path.startsWith('/board/')) return 'true'
  return href === '/#categories' && path.startsWith('/category/') ? 'true' : undefined
}

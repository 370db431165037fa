import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { PLACARD, type Site } from '../../platform/config/site.ts'
import { LIST_PATH } from '../../platform/http/links.ts'
import { Button, ButtonLink } from './elements.tsx'
import { perSite, siteFiles } from './site-files.ts'

const MENU = [
  ['/board/all', 'Boards'],
  ['/newest', 'Newest'],
  ['/#categories', 'Categories'],
  ['/search', 'Search'],
  ['/random', 'Surprise me'],
  ['/agents', 'For agents'],
] as const

/** Shown in the menu only if the window is too narrow to show them next to it. */
const BESIDE_MENU = ['/search', '/random']

/** Pages with their own, larger search field or “List your site” button. */
const WITHOUT_SEARCH = ['/search']
const WITHOUT_LIST = ['/', LIST_PATH]

/** The mastheads of pages by path. Each is rendered once, because it is a large part of a page and never changes. */
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
            <li key={href} class={BESIDE_MENU.includes(href) ? 'nav-search' : undefined}>
              <a href={href} rel={relOf(href)} aria-current={currentOf(href, path)}>
                {name}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <a class="surprise" href="/random" rel={relOf('/random')}>
        Surprise me
      </a>
      {!WITHOUT_SEARCH.includes(path) && <SearchForm />}
      {!WITHOUT_LIST.includes(path) && (
        <ButtonLink look="ink" href={LIST_PATH}>
          List your site
        </ButtonLink>
      )}
    </header>
  )
}

interface SearchField {
  /** Added to `ask`. */
  class?: string
  query?: string
  /** Whether searching is what the page is for. */
  isMain?: boolean
  children?: ComponentChildren
}

/** The field that searches all listings. */
export function SearchForm({ query, isMain, children, ...form }: SearchField) {
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
        <Button look={isMain ? 'go' : undefined}>Search</Button>
        {children}
      </form>
    </search>
  )
}

/** A crawler that follows it would get another page each time. */
const relOf = (href: string) => (href === '/random' ? 'nofollow' : undefined)

/** Both boards share one entry of the menu, and all categories another. */
function currentOf(href: string, path: string): 'page' | 'true' | undefined {
  if (href === path) return 'page'
  if (href.startsWith('/board/') && path.startsWith('/board/')) return 'true'
  return href === '/#categories' && path.startsWith('/category/') ? 'true' : undefined
}

/**
 * The name Placard in outlines, from a wide P to a narrow D: it needs no font, so it never waits for one.
 * Archivo at weight 900 and the widths 125, 116, 106, 95, 84, 73 and 62, its capitals 686 units high.
 */
const LETTERS = [
  'M74 686V-2H627Q695 -2 747 28Q799 59 828 114Q857 168 857 239Q857 312 828 367Q798 422 746 452Q694 482 627 482H321V686Z',
  'M321 311H558Q596 311 615 293Q633 275 633 240Q633 216 624 200Q616 185 599 177Q583 169 558 169H321Z',
  'M921 686V-2H1159V502H1571V686Z',
  'M1582 686 1852 -2H2113L2383 686H2142L2110 590H1846L1814 686Z',
  'M1899 432H2058L2021 321Q2018 310 2013 294Q2008 278 2002 259Q1997 241 1992 222Q1987 204 1983 190H1975Q1970 208 1964 231Q1957 254 1950 277Q1942 301 1936 321Z',
  'M2759 698Q2646 698 2570 658Q2494 619 2455 539Q2417 460 2417 342Q2417 165 2504 75Q2591 -14 2759 -14Q2855 -14 2926 19Q2997 52 3036 117Q3075 183 3075 281H2868Q2868 240 2856 211Q2843 182 2819 166Q2795 150 2757 150Q2714 150 2687 169Q2661 188 2649 223Q2638 258 2638 305V379Q2638 426 2650 461Q2662 496 2688 515Q2714 534 2756 534Q2797 534 2823 519Q2849 504 2862 475Q2875 447 2875 407H3075Q3075 502 3038 567Q3001 632 2930 665Q2859 698 2759 698Z',
  'M3105 686 3308 -2H3564L3767 686H3551L3528 587H3337L3315 686Z',
  'M3373 434H3493L3466 306Q3463 295 3459 279Q3456 263 3452 244Q3448 225 3444 206Q3440 188 3437 174H3429Q3426 192 3421 215Q3416 238 3411 262Q3406 286 3400 306Z',
  'M3805 686V-2H4107Q4184 -2 4229 27Q4274 56 4294 104Q4314 153 4314 212Q4314 269 4298 318Q4281 366 4241 400L4334 686H4128L4065 455H3999V686Z',
  'M3999 308H4074Q4098 308 4109 284Q4119 260 4119 227Q4119 205 4114 188Q4110 171 4100 161Q4090 150 4074 150H3999Z',
  'M4364 686V-2H4590Q4674 -2 4720 34Q4766 71 4784 146Q4803 221 4803 339Q4803 456 4784 533Q4764 610 4717 648Q4670 686 4586 686Z',
  'M4547 528H4575Q4590 528 4599 522Q4608 515 4612 500Q4615 486 4616 464Q4617 441 4617 410V289Q4617 257 4616 232Q4615 208 4612 191Q4608 174 4599 165Q4590 156 4575 156H4547Z',
]

/** All of it as one path, in a box of 4725 by 690 from 60, -2. */
export const WORDMARK_PATH = LETTERS.join('')

/** The wordmark, in the colour of the text. Its second use on a page refers to the first. */
const Wordmark = ({ isAgain }: { isAgain: boolean | undefined }) => (
  <svg viewBox="60 -2 4725 690" width="164" height="24" aria-hidden="true">
    {isAgain ? <use href="#wordmark" /> : <path id="wordmark" d={WORDMARK_PATH} />}
  </svg>
)

/** The height of a logo at the top of a page, in pixels. */
const LOGO_HEIGHT = 24

/** The site’s logo, the Placard wordmark, or the site’s name as text. @param isAgain if the page has shown it already */
export function SiteName({ site, isAgain }: { site: Site; isAgain?: boolean }) {
  const { logo } = siteFiles(site)
  if (site.logo && logo) {
    const width = Math.round(LOGO_HEIGHT * site.logo.shape)
    return <img src={logo.path} width={width} height={LOGO_HEIGHT} alt={site.name} />
  }
  if (site.name !== PLACARD.name) return <span class="site-name">{site.name}</span>
  return <Wordmark isAgain={isAgain} />
}

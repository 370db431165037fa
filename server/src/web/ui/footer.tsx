import { CAPABILITIES_PATH, DISPLAY_DAYS } from '@placard/contract'
import { renderToString } from 'preact-render-to-string'
import { LIST_PATH } from '../../http/links.ts'
import type { Site } from '../../site/site.ts'
import { perSite } from '../site/per-site.ts'
import { SiteName } from './wordmark.tsx'

/** Every page of words, and the ways in for programs. */
const COLUMNS = {
  Look: [
    ['/board/all', 'All time'],
    ['/board/today', 'Today'],
    ['/newest', 'Newest'],
    ['/#categories', 'Categories'],
    ['/feed.atom', 'Feed'],
  ],
  Rules: [
    ['/rules', 'Rules'],
    ['/how-boards-work', 'How boards work'],
    ['/privacy', 'Privacy'],
    ['/transparency', 'Transparency'],
    ['/limits', 'Limits'],
    ['/support', 'Support'],
  ],
  Agents: [
    ['/agents', 'For agents'],
    ['/agent-guide.md', 'Agent guide'],
    ['/api', 'API reference'],
    ['/openapi.json', 'OpenAPI'],
    [CAPABILITIES_PATH, 'Capabilities'],
    ['/llms.txt', 'llms.txt'],
  ],
} as const

const LINE = [
  ['/board/all', 'Boards'],
  ['/newest', 'Newest'],
  ['/rules', 'Rules'],
  ['/how-boards-work', 'How boards work'],
  ['/privacy', 'Privacy'],
  ['/transparency', 'Transparency'],
  ['/limits', 'Limits'],
  ['/agents', 'For agents'],
  ['/support', 'Support'],
] as const

const NO_CHARGE = 'No API can charge: only a person pays, in a browser.'

function PageFoot() {
  return (
    <footer class="on-green foot-page">
      <div class="wrap">
        <p class="bills" aria-hidden="true">
          Post bills.
        </p>
        <div class="foot-cols">
          <div>
            <p>
              <a href={LIST_PATH}>
                <strong>List your website</strong>
              </a>{' '}
              free for {DISPLAY_DAYS} days. Your AI agent does it; you approve it.
            </p>
            <p class="soft">Listings are free. Places on the boards are paid. {NO_CHARGE}</p>
          </div>
          {Object.entries(COLUMNS).map(([name, links]) => (
            <nav key={name} aria-label={name}>
              <h2>{name}</h2>
              <FootLinks links={links} />
            </nav>
          ))}
        </div>
      </div>
    </footer>
  )
}

function LineFoot({ site }: { site: Site }) {
  return (
    <footer class="wrap foot-line">
      <a class="logo" href="/" aria-label={`${site.name}, home`}>
        <SiteName site={site} isAgain />
      </a>
      <nav aria-label="Footer">
        <FootLinks links={LINE} />
      </nav>
      <p class="soft small">{NO_CHARGE}</p>
    </footer>
  )
}

const FootLinks = ({ links }: { links: readonly (readonly [href: string, name: string])[] }) => (
  <ul>
    {links.map(([href, name]) => (
      <li key={href}>
        <a href={href}>{name}</a>
      </li>
    ))}
  </ul>
)

/** The great foot of walls and boards. Both are rendered once: they are the same on every page. */
export const wallFootHtml = perSite(() => renderToString(<PageFoot />))
/** The quiet one of all other pages. */
export const pageFootHtml = perSite(site => renderToString(<LineFoot site={site} />))

import { CAPABILITIES_PATH, DISPLAY_DAYS } from '@placard/contract'
import { renderToString } from 'preact-render-to-string'
import type { Site } from '../../platform/config/site.ts'
import { LIST_PATH } from '../../platform/http/links.ts'
import { SiteName } from './masthead.tsx'
import { perSite } from './site-files.ts'

/** Links to every text page and to the addresses for programs. */
const COLUMNS = {
  Look: [
    ['/board/all', 'All time'],
    ['/board/today', 'Today'],
    ['/newest', 'Newest'],
    ['/draw', 'Ten by lot'],
    ['/picks', 'Picks'],
    ['/#categories', 'Categories'],
    ['/random', 'Surprise me'],
    ['/kept', 'Kept'],
    ['/feed.atom', 'Feed'],
  ],
  Rules: [
    ['/rules', 'Rules'],
    ['/how-boards-work', 'How boards work'],
    ['/privacy', 'Privacy'],
    ['/transparency', 'Transparency'],
    ['/proof', 'Open log'],
    ['/limits', 'Limits'],
    ['/support', 'Support'],
    ['/own', 'Is it your website?'],
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
  ['/proof', 'Open log'],
  ['/limits', 'Limits'],
  ['/agents', 'For agents'],
  ['/support', 'Support'],
] as const

function PageFoot({ site }: { site: Site }) {
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
              free for {DISPLAY_DAYS} days. Your AI agent posts it; you approve.
            </p>
            <p class="soft">Listings are free.{site.sellsPlaces && ' Places on the boards are paid.'}</p>
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

/** The large footer of lists and boards. Both footers are rendered once: they are the same on every page. */
export const wallFootHtml = perSite(site => renderToString(<PageFoot site={site} />))
/** The small footer of all other pages. */
export const pageFootHtml = perSite(site => renderToString(<LineFoot site={site} />))

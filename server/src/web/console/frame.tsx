import type { ComponentChildren } from 'preact'
import type { WaitingCounts } from '../../domain/moderation/console/queue.ts'
import type { ConsoleSession } from '../../domain/moderation/console/sessions.ts'
import type { Links } from '../../platform/http/links.ts'
import { assetPath } from '../ui/assets.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { SiteName } from '../ui/masthead.tsx'
import { PasskeyScript } from './entry.tsx'

const MENU = [
  ['/console', 'Queue'],
  ['/console/listings', 'Listings'],
  ['/console/payments', 'Payments'],
  ['/console/blocks', 'Blocks'],
  ['/console/log', 'Log'],
  ['/console/users', 'Users'],
] as const

type ConsolePath = (typeof MENU)[number][0]

/** What every page of the console needs. */
export interface ConsoleView {
  links: Links
  session: ConsoleSession
  counts: WaitingCounts
  now: number
}

interface FrameProps {
  view: ConsoleView
  title: string
  path?: ConsolePath
  children: ComponentChildren
}

/** A page of the console, as a document. */
export const renderConsole = ({ view, title, path, children }: FrameProps): string =>
  renderDocument(
    <Layout
      links={view.links}
      title={`${title} · Console`}
      description="For the operator."
      head={
        <>
          <link rel="stylesheet" href={assetPath('console.css')} />
          <script type="module" src={assetPath('console.js')} />
          <PasskeyScript />
        </>
      }
      mast={<ConsoleMast view={view} path={path} />}
    >
      {children}
    </Layout>,
  )

function ConsoleMast({ view, path }: { view: ConsoleView; path: ConsolePath | undefined }) {
  const { links, session, counts } = view
  return (
    <header class="wrap mast console-mast">
      <a class="logo" href="/" aria-label={`${links.site.name}, home`}>
        <SiteName site={links.site} />
      </a>
      <nav aria-label="Operator">
        <ul>
          {MENU.map(([href, name]) => (
            <li key={href}>
              <a href={href} aria-current={href === path ? 'page' : undefined}>
                {name} <Count of={href} counts={counts} />
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <form class="console-who" method="post" action="/console/end">
        <bdi class="small">{session.name}</bdi>
        <button class="btn low" type="submit">
          Sign out
        </button>
      </form>
    </header>
  )
}

/** The number of pending items behind an entry of the menu. The script keeps it up to date. */
function Count({ of, counts }: { of: ConsolePath; counts: WaitingCounts }) {
  const { reports, findings, appeals, payments } = counts
  if (of === '/console')
    return <b data-count="queue">{(reports + findings + appeals + payments).toLocaleString('en')}</b>
  if (of === '/console/payments') return <b data-count="payments">{payments.toLocaleString('en')}</b>
  return null
}

interface LinkOnce {
  view: ConsoleView
  heading: string
  lead: string
  link: string
  words: string
  /** The path of the page to return to, and what it shows. */
  back: [path: string, name: string]
}

/** The only page that ever shows a secret link. */
export const renderLinkOnce = ({ view, heading, lead, link, words, back: [path, name] }: LinkOnce): string =>
  renderConsole({
    view,
    title: heading,
    children: (
      <>
        <div class="console-head">
          <h1>{heading}</h1>
          <p class="lead">Copy it now: it is shown only here, and only once. {lead}</p>
        </div>
        <pre class="console-link" id="link">
          {link}
        </pre>
        <p>
          <CopyButton source="link" label="Copy link" />
          <script type="module" src={assetPath('copy.js')} />
        </p>
        <p>{words}</p>
        <p>
          <a class="btn" href={path}>
            I’ve copied it, back to the {name}
          </a>
        </p>
      </>
    ),
  })

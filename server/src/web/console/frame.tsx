import type { ComponentChildren } from 'preact'
import type { WaitingCounts } from '../../domain/moderation/console/queue.ts'
import type { ConsoleSession } from '../../domain/moderation/console/sessions.ts'
import type { Links } from '../../platform/http/links.ts'
import { assetPath } from '../ui/assets.ts'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { SiteName } from '../ui/masthead.tsx'
import { SignPage } from '../ui/poster.tsx'

const MENU = [
  ['/console', 'Queue'],
  ['/console/listings', 'Listings'],
  ['/console/payments', 'Payments'],
  ['/console/blocks', 'Blocks'],
  ['/console/log', 'Log'],
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
          Leave
        </button>
      </form>
    </header>
  )
}

/** How much waits behind an entry of the menu. The script keeps it up to date. */
function Count({ of, counts }: { of: ConsolePath; counts: WaitingCounts }) {
  const { reports, findings, appeals, payments } = counts
  if (of === '/console')
    return <b data-count="queue">{(reports + findings + appeals + payments).toLocaleString('en')}</b>
  if (of === '/console/payments') return <b data-count="payments">{payments.toLocaleString('en')}</b>
  return null
}

/** What a link shows before it is used. The same for every link: looking at it uses nothing up, and tells nothing. */
export const renderEntry = (links: Links, path: string): string =>
  renderDocument(
    <Layout links={links} title="Enter the console" description="For the operator.">
      <SignPage sign="STAFF DOOR" tone="green" heading="Enter the console">
        <p>This link works once, and only for ten minutes. Then you stay in for twelve hours.</p>
        <form method="post" action={path}>
          <p>
            <button class="btn go" type="submit">
              Enter
            </button>
          </p>
        </form>
      </SignPage>
    </Layout>,
  )

const OUTSIDE = {
  none: {
    heading: 'You are not in the console',
    words: 'You have not entered yet, or your session has ended.',
  },
  link: {
    heading: 'This link opens nothing',
    words: 'It was used already, is more than ten minutes old, or is not complete.',
  },
  left: { heading: 'You have left the console', words: 'Your session has ended.' },
} as const

/** For whoever is not in: how to get in. */
export const renderOutside = (links: Links, why: keyof typeof OUTSIDE): string =>
  renderDocument(
    <Layout links={links} title={OUTSIDE[why].heading} description="For the operator.">
      <SignPage sign="STAFF ONLY" heading={OUTSIDE[why].heading}>
        <p>{OUTSIDE[why].words}</p>
        <p>For a link, run this where the service runs, with your name:</p>
        <p>
          <code>npm run placard -- console-link NAME</code>
        </p>
        {why === 'none' && (
          <p>
            Are you in already, and came here from elsewhere? <a href="/console">Open the console</a>.
          </p>
        )}
      </SignPage>
    </Layout>,
  )

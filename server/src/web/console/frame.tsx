import type { ComponentChildren } from 'preact'
import type { WaitingCounts } from '../../domain/moderation/console/queue.ts'
import type { ConsoleSession } from '../../domain/moderation/console/sessions.ts'
import type { Links } from '../../platform/http/links.ts'
import { COMMAND } from '../../platform/lib/package.ts'
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

/** What a sign-in link shows before it is used. The same for every link, valid or not, and opening it does not use it up. */
export const renderEntry = (links: Links, path: string): string =>
  renderDocument(
    <Layout links={links} title="Sign in to the console" description="For the operator.">
      <SignPage sign="STAFF DOOR" tone="green" heading="Sign in to the console">
        <p>This link works once, within ten minutes. You then stay signed in for twelve hours.</p>
        <form method="post" action={path}>
          <p>
            <button class="btn go" type="submit">
              Sign in
            </button>
          </p>
        </form>
      </SignPage>
    </Layout>,
  )

const OUTSIDE = {
  none: {
    heading: 'Sign in to the console',
    words: 'You are not signed in, or your session has ended.',
  },
  link: {
    heading: 'This link doesn’t work',
    words: 'It was already used, is more than ten minutes old, or is incomplete.',
  },
  left: { heading: 'You are signed out', words: 'Your session has ended.' },
} as const

/** For visitors who are not signed in: how to get a link. */
export const renderOutside = (links: Links, why: keyof typeof OUTSIDE): string =>
  renderDocument(
    <Layout links={links} title={OUTSIDE[why].heading} description="For the operator.">
      <SignPage sign="STAFF ONLY" heading={OUTSIDE[why].heading}>
        <p>{OUTSIDE[why].words}</p>
        <p>To get a link, run this on the server, with your name:</p>
        <p>
          <code>{COMMAND} console-link NAME</code>
        </p>
        {why === 'none' && (
          <p>
            Already signed in, and coming from another website? <a href="/console">Open the console</a>.
          </p>
        )}
      </SignPage>
    </Layout>,
  )

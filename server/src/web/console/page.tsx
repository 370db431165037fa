import type { ComponentChildren } from 'preact'
import type { WaitingCounts } from '../../domain/moderation/console/queue.ts'
import { assetPath } from '../ui/assets.ts'
import { Button, ButtonLink, CopyButton, Form } from '../ui/elements.tsx'
import { Layout } from '../ui/layout.tsx'
import { SiteName } from '../ui/masthead.tsx'
import { type ConsoleView, EXPLANATION_MAX_LENGTH } from './request.ts'
import { countItems } from './words.ts'

const MENU = [
  ['/console', 'Queue'],
  ['/console/listings', 'Listings'],
  ['/console/payments', 'Payments'],
  ['/console/blocks', 'Blocks'],
  ['/console/log', 'Log'],
  ['/console/users', 'Users'],
] as const

type ConsolePath = (typeof MENU)[number][0]

interface ConsolePageProps {
  view: ConsoleView
  title: string
  path?: ConsolePath | undefined
  isCopied?: boolean
  children: ComponentChildren
}

export const ConsolePage = ({ view, title, path, isCopied, children }: ConsolePageProps) => (
  <Layout
    links={view.links}
    title={`${title} · Console`}
    description="For the operator."
    head={<link rel="stylesheet" href={assetPath('console.css')} />}
    scripts={['console.js', 'send-once.js', 'passkey.js', isCopied && 'copy.js']}
    mast={<ConsoleMast view={view} path={path} />}
  >
    {children}
  </Layout>
)

function ConsoleMast({ view: { links, session, counts }, path }: Pick<ConsolePageProps, 'view' | 'path'>) {
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
      <Form class="console-who" action="/console/end">
        <bdi class="small">{session.name}</bdi>
        <Button look="low">Sign out</Button>
      </Form>
    </header>
  )
}

/** The number of pending items behind an entry of the menu. The script keeps it up to date. */
function Count({ of, counts }: { of: ConsolePath; counts: WaitingCounts }) {
  if (of === '/console') return <b data-count="queue">{countItems(counts).toLocaleString('en')}</b>
  if (of === '/console/payments') return <b data-count="payments">{counts.payments.toLocaleString('en')}</b>
  return null
}

export const Head = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="console-head">
    <h1>{title}</h1>
    {children && <p class="lead">{children}</p>}
  </div>
)

/** A part of a page, with its heading. @param id of the heading */
export const Part = ({
  id,
  title,
  children,
}: {
  id: string
  title: ComponentChildren
  children: ComponentChildren
}) => (
  <section class="console-sec" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {children}
  </section>
)

interface ReasonProps {
  id: string
  label: string
  hint: string
  maxLength?: number
}

/** Asks for a sentence that is recorded. */
export const Reason = ({ id, label, hint, maxLength = EXPLANATION_MAX_LENGTH }: ReasonProps) => (
  <>
    <p>
      <label for={id}>{label}</label>
      <input type="text" id={id} name="explanation" maxLength={maxLength} required autocomplete="off" />
    </p>
    <p class="hint">{hint}</p>
  </>
)

interface RowProps {
  listing: { slug: string; title: string; hostname: string }
  children: ComponentChildren
}

export const ListingRow = ({ listing, children }: RowProps) => (
  <li>
    <p>
      <ListingLink listing={listing} />
    </p>
    <p class="host">
      <bdi dir="ltr">{listing.hostname}</bdi> · {children}
    </p>
  </li>
)

export const ListingLink = ({ listing: { slug, title } }: { listing: { slug: string; title: string } }) => (
  <a href={`/console/listing/${slug}`}>
    <bdi>{title}</bdi>
  </a>
)

interface LinkOnceProps {
  view: ConsoleView
  title: string
  lead: string
  link: string
  words: string
  /** The path of the page to return to, and what it shows. */
  back: [path: string, name: string]
}

/** The only page that ever shows a secret link. */
export const LinkOnce = ({ view, title, lead, link, words, back: [path, name] }: LinkOnceProps) => (
  <ConsolePage view={view} title={title} isCopied>
    <Head title={title}>Copy it now: it is shown only here, and only once. {lead}</Head>
    <pre class="console-link" id="link">
      {link}
    </pre>
    <p>
      <CopyButton source="link" label="Copy link" />
    </p>
    <p>{words}</p>
    <p>
      <ButtonLink href={path}>I’ve copied it, back to the {name}</ButtonLink>
    </p>
  </ConsolePage>
)

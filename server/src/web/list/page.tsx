import { DISPLAY_DAYS } from '@placard/contract'
import type { Listing } from '../../domain/listings/listing.ts'
import { CLIENT_PATH, LIST_PATH, type Links, promotePath } from '../../platform/http/links.ts'
import { Button, ButtonLink, CopyButton, Fact, IsItYours } from '../ui/elements.tsx'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { AddressForm, type ListForm } from './address-field.tsx'
import { Command, Prompt, SKILL_FOLDERS, Skill } from './prompt.tsx'
import { SELF_PATH } from './self-page.tsx'

/** An address that was listed before: its listing, or that it is down. */
export type EarlierListing = Listing | 'down'

interface ListPage {
  links: Links
  asked: ListForm | undefined
  found: EarlierListing | undefined
  /** The message if new listings are closed. */
  closed: string | undefined
}

/** The `/list` page: it makes a prompt for a person’s agent from an address and a category. */
export const renderList = ({ links, asked, found, closed }: ListPage): string =>
  renderDocument(
    <Layout
      links={links}
      title="List your site"
      description={`List your website free for ${DISPLAY_DAYS} days. Your AI agent posts it; you approve.`}
      path={LIST_PATH}
      {...(!asked && { canonical: links.base + LIST_PATH })}
      isWall
      scripts={['copy.js']}
    >
      <div class="on-green band">
        <div class="wrap">
          <h1>List your site</h1>
          <div class="cols">
            <AddressForm {...(asked ?? EMPTY_FORM)} />
            <p>
              Free for {DISPLAY_DAYS} days. Your AI agent posts it; you approve.{' '}
              {!closed && !found && (
                <>
                  <strong>No agent?</strong> <a href="#self">List it yourself</a>.
                </>
              )}
            </p>
          </div>
        </div>
      </div>
      <div class="wrap cols">
        <div class="made" id={asked?.destination && asked.category && 'made'}>
          {closed ? (
            <Answer heading="Closed for now">
              <p>{closed} Published listings stay up.</p>
            </Answer>
          ) : (
            <Made links={links} asked={asked} found={found} />
          )}
          {!closed && !found && <Self />}
          <OwnSkill links={links} isOpen={asked?.destination !== undefined} />
        </div>
        <GoodToKnow />
      </div>
    </Layout>,
  )

const EMPTY_FORM: ListForm = { address: undefined, destination: undefined, category: undefined, faults: {} }

function Made({ links, asked, found }: Omit<ListPage, 'closed'>) {
  if (found === 'down') {
    return (
      <Answer heading="It was listed before">
        <p>
          The listing of this address has ended or was taken down, and it can’t be listed a second time. Its owner can
          show a listing again that ended or was withdrawn. <IsItYours url={asked?.destination?.url} />
        </p>
      </Answer>
    )
  }
  if (found) return <ListedAlready listing={found} isForSale={links.site.sellsPlaces} />
  if (!asked?.destination || !asked.category) return <HowItGoes />
  const wanted = { destination: asked.destination, category: asked.category, links }
  return (
    <>
      <div class="bar">
        <h2>Prompt for your agent</h2>
        <CopyButton source="prompt" label="Copy prompt" />
      </div>
      <p>
        Paste it into an agent that can run commands or send requests, such as Claude Code, Codex, Cursor, Gemini CLI,
        GitHub Copilot or Goose. A chat that only reads the web can’t do it.
      </p>
      <Prompt {...wanted} />
      <div class="bar">
        <h2>Or one command</h2>
        <CopyButton source="command" label="Copy command" />
      </div>
      <Command {...wanted} />
      <p class="hint">
        It runs <a href={CLIENT_PATH}>Placard’s client</a>, which this site serves, and needs Node.js 22.{' '}
        <code class="flag">--user-approved</code> says that you agree to a public listing and to the{' '}
        <a href="/rules">rules</a>.
      </p>
      <h2 class="bar">What happens next</h2>
      <Steps />
    </>
  )
}

function Answer({ heading, children }: { heading: string; children: preact.ComponentChildren }) {
  return (
    <section class="callout" aria-labelledby="answer">
      <h2 id="answer">{heading}</h2>
      {children}
    </section>
  )
}

function ListedAlready({ listing, isForSale }: { listing: Listing; isForSale: boolean }) {
  const { slug, title, url, category } = listing
  return (
    <Answer heading="It is listed already">
      <p>
        <a href={`/product/${slug}`} dir="auto">
          {title}
        </a>{' '}
        is listed under {category}. An address can be listed once.
      </p>
      <p>
        <IsItYours url={url} /> Prove it, and you get its private link, even if another person posted it.
      </p>
      <p class="acts">
        <ButtonLink look="ink" href={`/product/${slug}`}>
          See the listing
        </ButtonLink>
        {isForSale && <ButtonLink href={promotePath({ destination: { url }, category })}>Buy it a place</ButtonLink>}
      </p>
    </Answer>
  )
}

const HowItGoes = () => (
  <>
    <div class="bar">
      <h2>How it works</h2>
    </div>
    <Steps />
  </>
)

const Steps = () => (
  <ol class="steps">
    <li>
      <b aria-hidden="true">1</b>
      <p>Your agent tells you the address and the rules, and waits for your OK.</p>
    </li>
    <li>
      <b aria-hidden="true">2</b>
      <p>It sends one request. We read your page and review it.</p>
    </li>
    <li>
      <b aria-hidden="true">3</b>
      <p>It shows you two links: the public page, and a private one for you only.</p>
    </li>
  </ol>
)

/** The way without an agent: it sends the form at the top of the page. */
const Self = () => (
  <section aria-labelledby="self">
    <div class="bar">
      <h2 id="self">No agent? List it yourself</h2>
    </div>
    <p>
      Enter address and category above. You then see a preview, prove that the website is yours, and publish. No account
      is needed.
    </p>
    <p class="acts">
      <Button form="asked" formaction={SELF_PATH} formmethod="post">
        See the preview
      </Button>
    </p>
  </section>
)

/** Closed until an address is entered: before that, it is not what a visitor came for. */
function OwnSkill({ links, isOpen }: Pick<ListPage, 'links'> & { isOpen: boolean }) {
  return (
    <details open={isOpen}>
      <summary>
        <h2>Save it as an agent skill</h2>
      </summary>
      <p>
        Your agent then knows {links.site.name} in every chat. Save these lines as <code>SKILL.md</code>, where your
        agent looks for skills:
      </p>
      <dl class="record">
        {SKILL_FOLDERS.map(([name, path]) => (
          <Fact name={name}>
            <code>{path}</code>
          </Fact>
        ))}
      </dl>
      <div class="bar">
        <h3>SKILL.md</h3>
        <CopyButton source="skill" label="Copy skill" />
      </div>
      <Skill links={links} />
    </details>
  )
}

const GoodToKnow = () => (
  <aside class="rail made" aria-label="Good to know">
    <section>
      <h2>Good to know</h2>
      <ul class="bullets">
        <li>The title, the description and the picture come from your page. To change them, edit your page.</li>
        <li>No picture? We draw one from your name.</li>
        <li>
          We review every page by the <a href="/rules">rules</a> before we list it.
        </li>
        <li>You can take it down at any time with your private link.</li>
        <li>No card, no account.</li>
      </ul>
    </section>
  </aside>
)

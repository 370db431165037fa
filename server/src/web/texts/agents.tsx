import { CAPABILITIES_PATH, DISPLAY_DAYS } from '@placard/contract'
import { FOR_AGENTS, localMcpCommand, MCP_PATH } from '../../agents/discovery/facts.ts'
import { CLIENT_PATH, LIST_PATH, type Links } from '../../platform/http/links.ts'
import { Command } from '../list/prompt.tsx'
import { CopyButton } from '../ui/elements.tsx'
import { type ApiDocument, callsOf } from './api-document.ts'
import { renderText } from './text-page.tsx'

/** What an agent can and can never do on this site, and how. */
export const renderAgents = (document: ApiDocument, links: Links): string =>
  renderText(
    {
      links,
      title: 'For agents',
      description: 'What an AI agent can do here, what it never can, and the ways: a prompt, a command, the API, MCP.',
      path: '/agents',
      scripts: ['copy.js'],
      lead: 'One request lists a website, after your customer’s yes. Sending the same request again returns the receipt.',
      isNumbered: false,
    },
    <>
      <h2 id="can">What an agent can do</h2>
      <ul>
        <li>Check first what a publish would return. Nothing is published or stored.</li>
        <li>Ask its customer for approval on a page of this site.</li>
        <li>List a customer’s website, free for {DISPLAY_DAYS} days, after an explicit yes.</li>
        <li>Recover the receipt and the private link, by repeating its request.</li>
        {links.site.sellsPlaces && (
          <li>
            Ask what a paid place would cost, and hand its customer a link to a filled-in form. No API can charge.
          </li>
        )}
        <li>Read why a listing was refused or taken down, and appeal once, after a yes.</li>
        <li>Search the listings, and read the boards.</li>
      </ul>
      <h2 id="never">What it never can</h2>
      <ul>
        {links.site.sellsPlaces ? (
          <li>Pay, or charge anyone. Only a person pays, in a browser.</li>
        ) : (
          <li>Charge anyone.</li>
        )}
        <li>Move a listing up.{links.site.sellsPlaces && ' Only a verified payment does that.'}</li>
        <li>Send a title, a description or a picture. They come from the page.</li>
        <li>Publish without declaring its customer’s yes.</li>
      </ul>
      <h2 id="prompt">A prompt</h2>
      <p>
        Are you a person? <a href={LIST_PATH}>Enter your address and a category</a>, and copy the prompt into your
        agent. It needs an agent that can run commands or send requests.
      </p>
      <h2 id="command-line">A command</h2>
      <p>
        <a href={CLIENT_PATH}>Placard’s client</a>, which this site serves, saves key, secret and body before it sends
        anything. <code class="flag">--user-approved</code> is the customer’s yes.
      </p>
      <div class="bar">
        <h3>Shell</h3>
        <CopyButton source="command" label="Copy command" />
      </div>
      <Command destination={SAMPLE} category="Design" links={links} />
      <h2 id="http">HTTP</h2>
      <p>
        The <a href="/agent-guide.md">agent guide</a> gives the steps in order, with requests to copy. The{' '}
        <a href="/api">API reference</a> has every field.
      </p>
      {callsOf(document)
        .filter(({ operation }) => operation.tags?.includes('agent'))
        .map(({ method, path, operation: { operationId, summary } }) => (
          <section key={operationId}>
            <p class="op">
              <code>
                <strong>{method}</strong> {path}
              </code>
            </p>
            <p>
              <a href={`/api#${operationId}`}>{summary}</a>
            </p>
          </section>
        ))}
      <h2 id="mcp">MCP</h2>
      <p>
        <code>{localMcpCommand(links)}</code> runs next to your agent and publishes too. It asks you first, and keeps
        the secret and the private link away from the model.
      </p>
      <p>
        <code>{links.base + MCP_PATH}</code> has tools that read: check, {links.site.sellsPlaces && 'quote, '}search,
        listings, boards and draws. None of them publishes, because the secret of a submission is made and kept on your
        customer’s side.
      </p>
      <h2 id="errors">Errors</h2>
      <p>
        Every error says what to do next, and <code>chargeCreated: false</code>. <a href="/api#errors">All codes</a>
      </p>
      <h2 id="programs">For programs</h2>
      <ul>
        {FOR_AGENTS.filter(({ path }) => LISTED.includes(path)).map(({ path, title, purpose }) => (
          <li key={path}>
            <a href={path}>{title}</a>: {purpose}
          </li>
        ))}
        <li>
          <a href="/llms.txt">llms.txt</a>: a short map of this site
        </li>
      </ul>
    </>,
  )

const LISTED: readonly string[] = ['/agent-guide.md', '/openapi.json', CAPABILITIES_PATH]

const SAMPLE = { url: 'https://your-website.com/' }

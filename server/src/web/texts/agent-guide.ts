import {
  APPROVALS_PATH,
  BODY_MAX_BYTES,
  CAPABILITIES_PATH,
  CHECK_PATH,
  CONTRACT_VERSION,
  DISPLAY_DAYS,
  EXAMPLES,
  IDEMPOTENCY_HEADER,
  PROOF_HEADER,
  PUBLISH_PATH,
  QUOTE_LIFETIME_MS,
} from '@placard/contract'
import { MCP_PATH } from '../../agents/discovery/facts.ts'
import { WAIT_MS } from '../../domain/publishing/publish.ts'
import { DEFAULT_FETCH_LIMITS as FETCH } from '../../domain/review/fetcher/limits.ts'
import type { Config } from '../../platform/config/config.ts'
import { FACTS_DAYS } from '../../platform/db/tables/decisions.ts'
import type { Links } from '../../platform/http/links.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'
import { ANSWER_SECONDS, boardsGuide, errorGuide, quoteGuide, waysToPublish } from './agent-guide-sections.ts'

interface Guide {
  links: Links
  limits: Config['limits']
  /** From `submissionWindow`. */
  submissions: string
}

/** Everything an agent needs to use the service well, in Markdown. The facts come from the contract. */
export const agentGuide = ({
  links,
  limits,
  submissions,
}: Guide): string => `# ${links.site.name}: instructions for agents

${links.site.name} is a public notice board at ${links.base}/. You can publish one free listing for your customer's website,
recover its receipt at any time${links.site.sellsPlaces ? ', and preview what a paid place would cost' : ', and read the boards'}. No operation of this API charges anything.

Contract and rules version: ${CONTRACT_VERSION}. ${submissions}

Follow the steps in order. Every code block works as it is, once \`${asked.destination}\` is replaced by the customer's address.

## 1. Read the capabilities

\`\`\`sh
curl -sS --max-time 30 ${links.base}${CAPABILITIES_PATH}
\`\`\`

Of its reply, you need this (with all categories):

\`\`\`json
${capabilitiesExcerpt}
\`\`\`

Choose a category and send its \`id\` exactly as written. If \`discovery.available\` is false, stop: new submissions are closed.

## 2. Check first

A check says what a publish would return, and publishes nothing. It needs no approval, key or secret.

\`\`\`sh
curl -sS --max-time ${ANSWER_SECONDS} -H 'Content-Type: application/json' ${links.base}${CHECK_PATH} \\
  --data '${JSON.stringify(asked)}'
\`\`\`

- \`wouldPublish\`: if true, \`listing\` is what the page would be listed with. To change that, the customer changes the page. If false,
  \`publishReply\` is what a publish would return, and what to do.
- \`alreadyListed\`: if true, the website cannot be listed again.
- \`remaining\`: what is left of the daily limits until \`remainingUntil\`. Checks have limits of their own:
  ${limits.checksPerDayPerIp} a day per address, ${limits.checksPerDayPerHost} per website.

## 3. Ask the customer

Show the customer the address and what would be listed. Say that the listing is public for ${DISPLAY_DAYS} days, and that
the rules are at ${links.base}/rules. Continue only after an explicit yes to exactly that. A request for launch ideas is
not a yes. What you send is your declaration: it verifies no person and no domain.

The customer can also answer in a browser. \`agent\` is your name. Give them the \`approvalUrl\` of the reply:

\`\`\`sh
curl -sS --max-time ${ANSWER_SECONDS} -H 'Content-Type: application/json' ${links.base}${APPROVALS_PATH} \\
  --data '${JSON.stringify({ ...asked, agent: 'An AI agent' })}' | tee placard-approval.json
\`\`\`

Await the answer. While \`status\` is \`waiting\`, repeat:

\`\`\`sh
CODE=$(grep -oE '"code":"[^"]+"' placard-approval.json | cut -d'"' -f4)
curl -sS --max-time 30 -H 'Prefer: wait=25' ${links.base}${APPROVALS_PATH}/$CODE
\`\`\`

If it is \`approved\`, add \`"approvalCode": "…"\` with the code to \`approval\` in the body of step 5.

## 4. Make and save key, secret and body

Each submission has its own \`${IDEMPOTENCY_HEADER}\` (a random UUID version 4) and \`${PROOF_HEADER}\` (32 random bytes
in hex), in a private folder of its own, saved **before** you send. Only they recover the receipt and the private link.

**Never make up random values:** patterns are refused, and what a model writes can be guessed. Without a shell, ask the customer to run
a way of step 5 and to tell you what it prints. Secret and private link then stay with them. If they cannot, stop.

## 5. Send

\`POST ${links.base}${PUBLISH_PATH}\`, from a server, never from a web page, with exactly the fields of the body below in
at most ${BODY_MAX_BYTES} bytes. Query and fragment of the destination are dropped. Do not follow redirects. Each of three ways does steps 4 and 5:

${waysToPublish(links, { ...asked, body: exampleBody })}
## 6. Keep the receipt

\`201\`: published now. \`200\`: published earlier by this same request. Both return a whole receipt:

\`\`\`json
${exampleReceipt(links)}
\`\`\`

- \`productUrl\`: the public page, the only address to share.
- \`ownership.privateRecoveryUrl\`: the private management link. Give it to the customer only, privately: anyone with it
  can manage the listing. Never log it. With \`recoveryUnavailable\` instead, ask at \`ownership.supportUrl\`.
- \`status\`: \`published\`, \`expired\` (its time has ended) or \`unavailable\` (withdrawn or taken down: step 7 gives the
  decision).
- \`expiresAt\`: the end in Unix milliseconds, or null. Repeating never renews it.

To recover the receipt, send again: same key, same secret, same body. To ask for its state only, see step 7.

${errorGuide(links)}## 8. Know the times

| what | how long |
|---|---|
| your wait for an answer | ${ANSWER_SECONDS} seconds for a check or a publish, 30 for anything else; then treat it as lost |
| the website's time | ${seconds(FETCH.connectMs)} to connect, ${seconds(FETCH.headersMs)} to its first byte, ${seconds(FETCH.totalMs)} in all, redirects included; then 503 |
| a repeat while the first request is in progress | waits ${WAIT_MS / 1000} seconds for it; then 503 |
${quoteTime(links)}| a refusal by review | the key gets the same 422 for ${FACTS_DAYS} days |

Limits: ${limits.requestsPerTenMinutesPerIp} publish requests per address in ten minutes. New submissions per UTC day: ${limits.newAttemptsPerDayPerIp} per address,
${limits.newAttemptsPerDayPerHost} per website, ${limits.newAttemptsPerDayGlobal} in all. Sending the same request again is not a new submission.

${links.site.sellsPlaces ? quoteGuide(links, asked) : boardsGuide(links)}
## 10. Never

- Never publish without an explicit yes, and never for a website that is not your customer's.
- Never send card data, passwords, other credentials or text for the listing.
- Never show, publish, log or forward the secret or the private link, and never put the link into a form${links.site.sellsPlaces ? ', a quote' : ''} or analytics.
- Never make a new submission to recover an old one, or to take over a listing.
- ${links.site.sellsPlaces ? 'Never pay, and never' : 'Never'} tell the customer that a rank is reserved or certain.
- Never promise a place on the home page, visitors, sales, a search ranking or AI answers.

Over MCP, ${links.base}${MCP_PATH} has tools that read. Publishing is not among them, because the secret must stay on your
customer's side. Every field: ${links.base}/openapi.json. Current limits: ${links.base}/limits. Help: ${links.support}
`

const seconds = (ms: number) => `${ms / 1000} seconds`

const quoteTime = ({ site }: Links) =>
  site.sellsPlaces ? `| a quote | ${QUOTE_LIFETIME_MS / MINUTE_MS} minutes, and never past midnight UTC |\n` : ''

const asked = EXAMPLES.check.body
const exampleBody = JSON.stringify(EXAMPLES.publish.body, null, 2)

/** A receipt with the addresses of this service. */
function exampleReceipt({ base, site }: Links): string {
  const { optionalPaidPlacement, ...receipt } = EXAMPLES.publish.example
  const whole = site.sellsPlaces ? EXAMPLES.publish.example : receipt
  return JSON.stringify(whole, null, 2).replaceAll(new URL(receipt.productUrl).origin, base)
}

const { categories, publishingPolicy, discovery } = EXAMPLES.capabilities
const capabilitiesExcerpt = JSON.stringify(
  {
    categories: categories.filter(({ id }) => id === asked.category),
    publishingPolicy: { rulesVersion: publishingPolicy.rulesVersion },
    discovery: { available: discovery.available },
  },
  null,
  2,
)

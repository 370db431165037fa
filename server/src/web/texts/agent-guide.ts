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
import { DEFAULT_FETCH_LIMITS } from '../../domain/review/fetcher/limits.ts'
import type { Config } from '../../platform/config/config.ts'
import { FACTS_DAYS } from '../../platform/db/tables/decisions.ts'
import type { Links } from '../../platform/http/links.ts'
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

The order: read the capabilities, check, ask the customer, make and save a key and a secret, send, keep the receipt.

## 1. Read the capabilities

\`\`\`sh
curl -sS --max-time 30 ${links.base}${CAPABILITIES_PATH}
\`\`\`

The part that you need, shortened to one category of all:

\`\`\`json
${capabilitiesExcerpt}
\`\`\`

Choose one category, and send its \`id\` exactly as written. Send \`publishingPolicy.rulesVersion\` as
\`approval.rulesVersion\`. If \`discovery.available\` is false, new submissions are closed: stop.

## 2. Check first

A check says what a publish would return, and publishes nothing. It needs no approval, key or secret.

\`\`\`sh
curl -sS --max-time ${ANSWER_SECONDS} -H 'Content-Type: application/json' ${links.base}${CHECK_PATH} \\
  --data '${JSON.stringify(asked)}'
\`\`\`

- \`wouldPublish\`: if true, \`listing\` is the title, description and picture that the page gives. To change them,
  the customer changes the page.
- If false, \`publishReply\` is what a publish would return: its status, \`code\`, \`reason\`, and what to do.
- \`alreadyListed\`: the destination has a listing. It cannot be listed again.
- \`remaining\`: what is left of the daily limits until \`remainingUntil\`. A check uses no submission. It has limits of
  its own: ${limits.checksPerDayPerIp} a day per address and ${limits.checksPerDayPerHost} per website, of those that read a page.

A check reserves nothing, and what it found may have changed when you publish. An error from the check itself (400, 413, 415,
429, 503) is explained below like any other.

## 3. Ask the customer

Show the customer the address and what would be listed. Say that the listing is public for ${DISPLAY_DAYS} days, and that
the rules are at ${links.base}/rules. Continue only after an explicit yes to exactly that. A request for launch ideas is
not a yes. The approval you send is your declaration; it verifies neither a person nor a domain.
To let the customer answer in a browser, send destination, category and \`agent\` (your name) to \`POST ${APPROVALS_PATH}\`: give
them \`approvalUrl\`, await \`GET …/{code}\`, and publish with \`approval.approvalCode\`. It makes their yes visible, not proven.

## 4. Make a key and a secret, and save them first

Each submission has its own \`${IDEMPOTENCY_HEADER}\` (a random UUID version 4) and \`${PROOF_HEADER}\` (32 random bytes
in hex). Save both, with the exact body, in a private place **before** you send. They are the only way to recover the receipt and the private link, and cannot be reissued. Do this once per submission, in a folder of its own.

**Never make up random values.** What a language model writes only looks random. Take them from a program, as below.
If you have no shell, or no program that gives random bytes: show the customer one of the ways of step 5, with the address
and category filled in, and ask them to run it and tell you what it prints. Secret and private link then stay with them, in
the files that it writes. If they cannot, stop.

## 5. Send

\`POST ${links.base}${PUBLISH_PATH}\`, from a server, never from a web page. The body has exactly these fields
and at most ${BODY_MAX_BYTES} bytes. The destination is a public http or https page on a real domain and the standard port; query and
fragment are dropped. Title and description are read from the page: you cannot send them. Do not follow redirects.
Each of these three ways does steps 4 and 5:

${waysToPublish(links, { ...asked, body: exampleBody })}
## 6. Keep the receipt

\`201\` means published now; \`200\` means this same request published it earlier. Both return a whole receipt:

\`\`\`json
${exampleReceipt(links)}
\`\`\`

- \`productUrl\`: the public page. The only address to share.
- \`ownership.privateRecoveryUrl\`: the private management link, while the status is \`published\`. Give it privately, to the customer only: anyone with it can manage the listing. Never log it. If you get
  \`ownership.recoveryUnavailable\` instead, the link is not available: ask at \`ownership.supportUrl\`.
- \`status\`: \`published\`, \`expired\` (its time has ended) or \`unavailable\` (withdrawn or taken down: the header
  \`Placard-Decision\` names why, and section 8 says how to read and appeal it). To restore a listing otherwise, the customer asks at ${links.support}.
- \`expiresAt\`: the end in Unix milliseconds, or null. Repeating never renews it.
- \`requestId\`: names the submission when you ask for help. It opens nothing.

To recover the receipt, as long as there is a listing, repeat step 5 unchanged: same key, same secret, same body.

## 7. Know the times

| what | how long |
|---|---|
| your wait for an answer | ${ANSWER_SECONDS} seconds for a check or a publish, 30 for anything else; then treat the answer as lost |
| the website's time to give its page, redirects included | ${DEFAULT_FETCH_LIMITS.totalMs / 1000} seconds; then 503, and you may repeat |
| a repeat while the first request is in progress | waits ${WAIT_MS / 1000} seconds for it; then 503 with \`Retry-After\` |
${quoteTime(links)}| daily limits | until midnight UTC |
| a listing | ${DISPLAY_DAYS} days |
| a refusal by review | the key gets the same 422 for ${FACTS_DAYS} days |

${errorGuide(limits, links)}${links.site.sellsPlaces ? quoteGuide(links) : boardsGuide(links)}
## 10. Never

- Never publish without an explicit yes, and never for a website that is not your customer's.
- Never send card data, passwords, other credentials or text for the listing.
- Never show, publish, log or forward the secret or the private link, and never put the link into a form${links.site.sellsPlaces ? ', a quote' : ''} or analytics.
- Never make a new submission to recover an old one, or to take over a listing.
- ${links.site.sellsPlaces ? 'Never pay, and never' : 'Never'} tell the customer that a rank is reserved or certain.
- Never promise the customer a place on the home page, visitors, sales, a search ranking or AI answers.

Over MCP, ${links.base}${MCP_PATH} has tools that read: capabilities, checks, ${links.site.sellsPlaces ? 'quotes, ' : ''}boards, listings and a search. Publishing is
not among them, because the secret must stay on your customer's side.

Every field is described at ${links.base}/openapi.json, and for people at ${links.base}/api. Current limits:
${links.base}/limits. Help: ${links.support}
`

const quoteTime = ({ site }: Links) =>
  site.sellsPlaces ? `| a quote | ${QUOTE_LIFETIME_MS / 60_000} minutes, and never past midnight UTC |\n` : ''

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

import {
  APPROVAL_SCOPE,
  BODY_MAX_BYTES,
  CAPABILITIES_PATH,
  CONTRACT_VERSION,
  DISPLAY_DAYS,
  ERRORS,
  IDEMPOTENCY_HEADER,
  PROOF_HEADER,
  PUBLISH_PATH,
  REVIEW_REASONS,
} from '@placard/contract'
import type { Config } from '../../config.ts'
import type { Links } from '../../http/links.ts'
import { LOOKED_UP_DAYS } from '../../retention/retention.ts'
import { quoteGuide } from './agent-guide-quote.ts'

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
recover its receipt at any time, and preview what a paid place would cost. No operation of this API charges anything.

Contract and rules version: ${CONTRACT_VERSION}. ${submissions}

## 1. Ask the customer

Tell the customer which address you would list, that the listing is public for ${DISPLAY_DAYS} days, and that the
rules are at ${links.base}/rules. Continue only after an explicit yes to exactly that. A request for launch ideas is
not a yes. The approval you send is your declaration; it verifies neither a person nor a domain.

## 2. Read the capabilities

\`\`\`sh
curl -sS ${links.base}${CAPABILITIES_PATH}
\`\`\`

The reply lists the category IDs, whether submissions are open (\`discovery.available\`), the rules version and the
limits in force. Choose one category ID, and spell it exactly as listed.

## 3. Make a key and a secret, and save them first

Each submission has its own \`${IDEMPOTENCY_HEADER}\` (a random UUID version 4) and \`${PROOF_HEADER}\` (32 random bytes
in hex). Save both, with the exact body, in a private place **before** you send. They are the only way to recover the
receipt and the private link; nobody can reissue them. Do this once per submission, in a folder of its own.

\`\`\`sh
umask 077
set -C # refuses to overwrite saved files
UUID='s/(.{8})(.{4}).(.{3}).(.{3})(.{12})/\\1-\\2-4\\3-a\\4-\\5/'
printf '%s: %s\\n' Content-Type application/json \\
  ${IDEMPOTENCY_HEADER} "$(openssl rand -hex 16 | sed -E "$UUID")" \\
  ${PROOF_HEADER} "$(openssl rand -hex 32)" > placard-headers.txt
cat > placard-body.json <<'JSON'
${exampleBody}
JSON
\`\`\`

## 4. Send

\`\`\`sh
curl -sS -H @placard-headers.txt --data-binary @placard-body.json \\
  -o placard-receipt.json -w '%{http_code}\\n' ${links.base}${PUBLISH_PATH}
\`\`\`

Send from a server, never from a web page. The body has exactly these fields and at most ${BODY_MAX_BYTES} bytes. The
destination is a public http or https page on a real domain and the standard port; query and fragment are dropped. Title
and description are read from the page: you cannot send them.

## 5. Keep the receipt

\`201\` means published now; \`200\` means this same request published it earlier. Both return a receipt:

- \`productUrl\`: the public page. The only address to share.
- \`ownership.privateRecoveryUrl\`: the private management link, while the status is \`published\`. Give it to the
  customer privately and to nobody else: anyone who has it can manage the listing. Never log it. If you get
  \`ownership.recoveryUnavailable\` instead, the link is not available: ask at \`ownership.supportUrl\`.
- \`status\`: \`published\`, \`expired\` (its time has ended) or \`unavailable\` (withdrawn or taken down). To bring a listing
  back, the customer asks at ${links.support}.
- \`expiresAt\`: the end in Unix milliseconds, or null. Repeating never renews it.
- \`requestId\`: names the submission when you ask for help. It opens nothing.

To recover the receipt, repeat step 4 unchanged: same key, same secret, same body.

## 6. When it does not work

Every error is JSON with \`code\`, \`error\` (what to do next) and \`chargeCreated: false\`; 400 may name the \`field\`, 422
gives a \`reason\`.

| what you got | what to do |
|---|---|
| timeout, lost connection, 500, 503 | Not published, or not known to be: \`code\` says which. Repeat with the same key, secret and body. Wait \`Retry-After\` seconds, or else 5, 10, 20 and so on. |
| 429 | Wait \`Retry-After\` seconds, then the same. Another User-Agent does not help. |
| 403, 404, 405 | Send it from a server, with the method and to the address shown above. |
| 400, 413, 415 | Correct the request. Nothing was stored, so the key and secret may be used again. |
| 409 | Stop. Another request used this key, or the destination is already listed. Trying again gains nothing. |
| 410 | Stop. New submissions are closed; only repeats of earlier ones get an answer. |
| 422 | Final: for ${LOOKED_UP_DAYS} days this key gets the same answer. It counts as one of the new submissions of the day. Once the customer has fixed the page, make a new submission with a new key and secret. |

The codes:

| status | code | meaning |
|---|---|---|
${Object.entries(ERRORS)
  .map(([code, { status, error }]) => `| ${status} | \`${code}\` | ${error} |`)
  .join('\n')}

The reasons of \`review_rejected\`:

| reason | meaning |
|---|---|
${Object.entries(REVIEW_REASONS)
  .map(([reason, meaning]) => `| \`${reason}\` | ${meaning} |`)
  .join('\n')}

Limits: ${limits.requestsPerTenMinutesPerIp} publish requests per address in ten minutes; new submissions per UTC day:
${limits.newAttemptsPerDayPerIp} per address, ${limits.newAttemptsPerDayPerHost} per website, \
${limits.newAttemptsPerDayGlobal} in all. Repeating an accepted request is not a new submission.

${quoteGuide(links)}
## 8. Never

- Never publish without an explicit yes, and never for a website that is not your customer's.
- Never send card data, passwords, other credentials or text for the listing.
- Never publish, log or forward the secret or the private link, and never put the link into a form, a quote or analytics.
- Never make a new submission to recover an old one, or to take over a listing.
- Never pay, and never tell the customer that a rank is reserved or certain.
- Never promise the customer a place on the home page, visitors, sales, a search ranking or AI answers.

Every field is described at ${links.base}/openapi.json, and for people at ${links.base}/api. Current limits:
${links.base}/limits. Help: ${links.support}
`

const exampleBody = JSON.stringify(
  {
    destination: 'https://www.your-customer.com/',
    category: 'Developer Tools',
    approval: { scope: APPROVAL_SCOPE, userApproved: true, rulesVersion: CONTRACT_VERSION },
  },
  null,
  2,
)

import {
  BOARDS_PATH,
  DECISIONS_PATH,
  ERRORS,
  IDEMPOTENCY_HEADER,
  MAXIMUM_TARGET_USD,
  MINIMUM_TARGET_USD,
  PROOF_HEADER,
  PUBLISH_PATH,
  QUOTE_LIFETIME_MS,
  QUOTE_PATH,
  REVIEW_REASONS,
} from '@placard/contract'
import type { Config } from '../../platform/config/config.ts'
import { FACTS_DAYS } from '../../platform/db/tables/decisions.ts'
import { CLIENT_PATH, CLIENT_TARBALL, type Links } from '../../platform/http/links.ts'
import { clientFile } from './client-files.ts'

/** How long to wait for the answer to a publish: longer than any takes. */
export const ANSWER_SECONDS = 60

interface Example {
  destination: string
  category: string
  /** The body of a publish, as JSON on several lines. */
  body: string
}

/** The steps that make, save and send a submission: in a shell, in Python, and with the client. */
export const waysToPublish = (links: Links, { destination, category, body }: Example): string => `\
### With curl and openssl

\`\`\`sh
umask 077
set -C # refuses to overwrite saved files
UUID='s/(.{8})(.{4}).(.{3}).(.{3})(.{12})/\\1-\\2-4\\3-a\\4-\\5/'
printf '%s: %s\\n' Content-Type application/json \\
  ${IDEMPOTENCY_HEADER} "$(openssl rand -hex 16 | sed -E "$UUID")" \\
  ${PROOF_HEADER} "$(openssl rand -hex 32)" > placard-headers.txt
cat > placard-body.json <<'JSON'
${body}
JSON
\`\`\`

\`\`\`sh
umask 077
curl -sS --max-time ${ANSWER_SECONDS} -H @placard-headers.txt --data-binary @placard-body.json \\
  -o placard-reply.json -w '%{http_code}\\n' ${links.base}${PUBLISH_PATH}
grep -oE '"(productUrl|code|error)":"([^"\\\\]|\\\\.)*"' placard-reply.json
\`\`\`

It prints the status, and the public page or the error. The whole reply is in \`placard-reply.json\`. To repeat
it, run the second block again, never the first.

### With Python

It needs nothing but Python itself. To repeat it, run it again: it sends what it saved.

\`\`\`python
import http.client, json, os, secrets, sys, urllib.error, urllib.request, uuid

URL = "${links.base}${PUBLISH_PATH}"
BODY = """${body}"""


def private(path, flags):
    return open(os.open(path, os.O_WRONLY | os.O_CREAT | flags, 0o600), "w")


class NoRedirect(urllib.request.HTTPRedirectHandler):  # the secret travels in a header
    def redirect_request(self, *_):
        return None


if not os.path.exists("placard-submission.json"):
    with private("placard-submission.json", os.O_EXCL) as file:
        json.dump({"key": str(uuid.uuid4()), "secret": secrets.token_hex(32), "body": BODY}, file)
        file.flush()
        os.fsync(file.fileno())
with open("placard-submission.json") as file:
    saved = json.load(file)
headers = {
    "Content-Type": "application/json",
    "${IDEMPOTENCY_HEADER}": saved["key"],
    "${PROOF_HEADER}": saved["secret"],
}
request = urllib.request.Request(URL, saved["body"].encode(), headers)
try:
    with urllib.request.build_opener(NoRedirect).open(request, timeout=${ANSWER_SECONDS}) as reply:
        status, text = reply.status, reply.read().decode()
except urllib.error.HTTPError as error:
    sys.exit(f"{error.code} {error.read().decode()}")
except (OSError, http.client.HTTPException) as error:
    sys.exit(f"No answer, run it again: {error}")
with private("placard-reply.json", os.O_TRUNC) as file:
    file.write(text)
print(status, json.loads(text)["productUrl"])
\`\`\`

### With the client

Without npm: \`curl -O ${links.base}${CLIENT_PATH}placard_agent.py\`, then \`python3 placard_agent.py publish …\` with \`--service ${links.base}\`.

\`npx -y ${links.client} publish ${destination} --category "${category}"\` runs it, and
\`npm install ${links.client}\` brings the library for Node, Bun and Deno${links.clientPackage ? `, also as \`${links.clientPackage}\` on npm` : ''}. Both save first, repeat after
a lost answer, and never print a secret. To repeat it, run it again. After a refusal, or when a listing was taken down,
the command \`decision\` gives the reasons, and \`appeal\` appeals after the customer’s yes. Integrity: \`${clientFile(CLIENT_TARBALL).integrity}\`

\`\`\`js
import { PlacardClient } from "placard-agent"
import { fileStore } from "placard-agent/file-store"

const client = new PlacardClient({ service: "${links.base}", store: fileStore("placard-journal.jsonl") })
const { receipt, replayed } = await client.publish({
  destination: "${destination}",
  category: "${category}",
  userApproved: true,
})
console.log(replayed ? 200 : 201, receipt.productUrl)
\`\`\`
`

/** Only quotes and orders give these. */
const OF_BUYING = new Set([
  'invalid_target_bid',
  'target_not_above_current',
  'payment_evidence_unavailable',
  'payments_unavailable',
])

/** What to do after each answer that is not a receipt, and every code and reason. */
export const errorGuide = (limits: Config['limits'], { site }: Links): string => `## 8. When it does not work

Every error is JSON with \`code\`, \`error\` (what to do next) and \`chargeCreated: false\`; 400 may name the \`field\`, 422
gives a \`reason\`. "Repeat" always means: the same key, the same secret and the same body.

| what you got | what to do |
|---|---|
| no answer, a lost connection, 500, 503, or a reply that is not JSON | Not published, or not confirmed: \`code\` says which. Repeat. Wait \`Retry-After\` seconds first, or else 5, 10, 20 and so on. |
| 429 | Wait \`Retry-After\` seconds, then repeat. It may take hours: tell the customer when. Another User-Agent does not help. |
| a redirect | Stop, and do not follow it: the secret would go along. Ask the customer for the right address of this service. |
| 403, 404, 405 | Send it from a server, with the method and to the address shown above. |
| 400, 413, 415 | Correct the request. Nothing was stored, so the key and secret may be used again. |
| 409 | Stop. Another request used this key, or the destination is already listed. Repeating does not help. |
| 410 | Stop. New submissions are closed; only repeats of earlier ones get an answer. |
| 422 | Final: for ${FACTS_DAYS} days this key gets the same answer. It counts as one of the new submissions of the day. Once the customer has fixed the page, make a new submission with a new key and secret. If it is wrong, \`Placard-Decision\` names the decision: with the secret, \`GET ${DECISIONS_PATH}/{id}\` gives the reasons, and \`POST\` of \`{"statement": "…"}\` to \`/appeal\` below it appeals, once, after the customer’s yes to the statement. A person decides; if in your favour, repeat the same request once more. |

The codes:

| status | code | meaning |
|---|---|---|
${Object.entries(ERRORS)
  .filter(([code]) => site.sellsPlaces || !OF_BUYING.has(code))
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
${limits.newAttemptsPerDayGlobal} in all. Repeating an accepted request is not a new submission. What is
left is in the header \`RateLimit\`, and in the answer to a check.

`

/** The part of the agent guide about paid places. */
export const quoteGuide = (links: Links): string => `## 9. Preview a paid place

Do this only if the customer asks what a place on a board would cost. A quote needs no credentials, fetches nothing,
orders nothing and reserves nothing.

\`\`\`sh
curl -sS -H 'Content-Type: application/json' ${links.base}${QUOTE_PATH} \\
  --data '{"destination":"https://www.your-customer.example/","category":"Developer Tools","board":"all","targetBid":25}'
\`\`\`

- \`board\`: \`all\`, or \`today\`, which resets at midnight UTC and takes payments by card only, since a bank transfer can take days.
- \`targetBid\`: the total wanted on that board in whole US dollars, ${MINIMUM_TARGET_USD} to ${MAXIMUM_TARGET_USD}.
- \`chargeAmountCents\` in the reply: what would be due now, minus verified earlier payments.
- \`estimatedRank\`: a conservative estimate, not a reserved position. People buy an amount, never a rank.
- \`expiresAt\`: at most ${QUOTE_LIFETIME_MS / 60_000} minutes ahead, and never past midnight UTC.
- \`handoffUrl\`: give it to the customer. It authorises no payment.

You may quote, read the boards, and give the customer the hand-off link. You may not pay, store or enter card data, or
promise a rank: anyone may pay more later. Only people buy places, and every place is labelled as paid.

The customer opens \`handoffUrl\` in a browser, sees the current price, proves that they own the website (with the
private link, or with a token on the website), agrees to the rules and pays at the payment processor. You cannot do
this for them. A website that is not listed yet is reviewed first, and listed once it is paid.

${readBoards(links)}`

/** The part about boards, if the site sells no places. */
export const boardsGuide = (links: Links): string => `## 9. Read the boards

No places are offered on this site. Every place that a board shows was paid for earlier: say so when you show it.

${readBoards(links)}`

const readBoards = (links: Links) => `The boards are public data, and you may cache them for ten seconds:

\`\`\`sh
curl -sS '${links.base}${BOARDS_PATH}/all?limit=10'
curl -sS ${links.base}${BOARDS_PATH}/today
\`\`\`

${links.base}/how-boards-work explains what a total is, and what does not count.
`

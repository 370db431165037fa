import {
  BOARDS_PATH,
  DECISIONS_PATH,
  IDEMPOTENCY_HEADER,
  MAXIMUM_TARGET_USD,
  MINIMUM_TARGET_USD,
  PROOF_HEADER,
  PUBLISH_PATH,
  QUOTE_PATH,
  SUBMISSIONS_PATH,
} from '@placard/contract'
import { CLIENT_PATH, CLIENT_TARBALL, type Links } from '../../platform/http/links.ts'
import { clientFile } from './client.tsx'

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

Once, the key and the secret:

\`\`\`sh
(
umask 077; set -C # refuses to overwrite them
UUID='s/(.{8})(.{4}).(.{3}).(.{3})(.{12})/\\1-\\2-4\\3-a\\4-\\5/'
printf '%s: %s\\n' Content-Type application/json \\
  ${IDEMPOTENCY_HEADER} "$(openssl rand -hex 16 | sed -E "$UUID")" \\
  ${PROOF_HEADER} "$(openssl rand -hex 32)" > placard-headers.txt
)
\`\`\`

The body. Write it again only to correct a 400:

\`\`\`sh
cat >| placard-body.json <<'JSON'
${body}
JSON
\`\`\`

Send. It prints the status, and the public page or the error; the whole reply is in \`placard-reply.json\`:

\`\`\`sh
umask 077
rm -f placard-reply.json
curl -sS --max-time ${ANSWER_SECONDS} -H @placard-headers.txt --data-binary @placard-body.json \\
  -D placard-reply-headers.txt -o placard-reply.json -w '%{http_code}\\n' ${links.base}${PUBLISH_PATH}
grep -oE '"(productUrl|code|error|field|reason|retryAfterSeconds)":("([^"\\\\]|\\\\.)*"|[0-9]+)' placard-reply.json
\`\`\`

Before you repeat after 429, 5xx or no answer, wait:

\`\`\`sh
sleep "$(grep -oE '"retryAfterSeconds":[0-9]+' placard-reply.json | grep -oE '[0-9]+' || echo 5)"
\`\`\`

### With Python

It waits and repeats for up to five minutes. To repeat after that, run it again. To correct a 400, edit
\`placard-body.json\` first.

\`\`\`python
import http.client, json, os, secrets, sys, time, urllib.error, urllib.request, uuid

URL = "${links.base}${PUBLISH_PATH}"
BODY = """${body}"""


def save(path, text, flags=os.O_EXCL):
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | flags, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


class NoRedirect(urllib.request.HTTPRedirectHandler):  # the secret travels in a header
    def redirect_request(self, *_):
        return None


def send():
    with open("placard-headers.txt") as file:
        headers = dict(line.split(": ") for line in file.read().splitlines())
    with open("placard-body.json", "rb") as file:
        request = urllib.request.Request(URL, file.read(), headers)
    try:
        with urllib.request.build_opener(NoRedirect).open(request, timeout=${ANSWER_SECONDS}) as reply:
            return reply.status, str(reply.headers), reply.read().decode(errors="replace")
    except urllib.error.HTTPError as error:
        return error.code, str(error.headers), error.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        return 0, "", json.dumps({"error": f"No answer: {error}"})


if not os.path.exists("placard-headers.txt"):
    key, secret = uuid.uuid4(), secrets.token_hex(32)
    save("placard-headers.txt", f"Content-Type: application/json\\n${IDEMPOTENCY_HEADER}: {key}\\n${PROOF_HEADER}: {secret}\\n")
if not os.path.exists("placard-body.json"):
    save("placard-body.json", BODY)
waited = 0
while True:
    status, head, text = send()
    save("placard-reply-headers.txt", head, os.O_TRUNC)
    save("placard-reply.json", text, os.O_TRUNC)
    try:
        reply = json.loads(text)
        wait = reply.get("retryAfterSeconds", 5)
    except (ValueError, AttributeError):  # no JSON, or no object
        status, wait = 0, 5
    waited += wait
    if 0 < status < 429 or waited > 300:
        break
    time.sleep(wait)
if status not in (200, 201):
    sys.exit(f"{status} {text}")
print(status, reply["productUrl"])
\`\`\`

### With the client

After the customer's yes, with Node 22, or with Python alone:

\`\`\`text
npx -y ${links.client} publish ${destination} --category "${category}" --user-approved
curl -sSO ${links.base}${CLIENT_PATH}placard_agent.py
python3 placard_agent.py publish ${destination} --category "${category}" --user-approved --service ${links.base}
\`\`\`

Instead of \`--user-approved\`, \`--ask-as NAME\` asks the customer in a browser.

\`npm install ${links.client}\` brings the library for Node, Bun and Deno${links.clientPackage ? `, also as \`${links.clientPackage}\` on npm` : ''}. All save first, repeat after
a lost answer, and never print a secret. To repeat, run it again. The command
\`decision\` gives the reasons for a refusal or takedown, and \`appeal\` appeals after the customer’s yes. Integrity of the package: \`${clientFile(CLIENT_TARBALL).integrity}\`

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

/** What to do after each answer that is not a receipt. */
export const errorGuide = ({ base }: Links): string => `## 7. When it does not work

Every error is JSON: \`code\`, \`error\` (what to do next), \`documentationUrl\` (the code explained, as Markdown with \`.md\`), and, where
it applies, \`field\`, \`reason\`, \`retryAfterSeconds\`, \`decisionId\`. "Repeat" always means: same key, secret and body.

| what you got | what to do |
|---|---|
| no answer, no JSON, 500, 503 | It may be published: wait, then repeat. After five repeats, tell the customer the \`reason\`, and continue in an hour. |
| 429 | Wait \`retryAfterSeconds\`, then repeat. If that is hours, tell the customer when. Another User-Agent does not help. |
| 400, 413, 415 | Nothing was stored. Correct what \`field\` and \`error\` name in the body, and send it with the same key and secret. If \`field\` is a header, delete \`placard-headers.txt\` and make it again. |
| 409 | Stop; repeating does not help. \`destination_already_listed\`: \`productUrl\` is the listing, and the owner of the website claims it at ${base}/own. \`idempotency_conflict\`: this key sent something else before. |
| 410 | Stop. New submissions are closed; earlier ones still get their receipt. |
| 422 | Final for this key. Tell the customer the \`reason\`. Once the page is fixed, make a new submission in a new folder. If it is wrong, appeal. |
| 403, 404, 405, a redirect | Use the address and method shown above, from a server. Never follow a redirect: the secret would go along. |

The state of the submission, without sending it again (with \`/events\` after the key: its events):

\`\`\`sh
KEY=$(grep '^${IDEMPOTENCY_HEADER}' placard-headers.txt | cut -d' ' -f2)
curl -sS --max-time 30 -H @placard-headers.txt ${base}${SUBMISSIONS_PATH}/$KEY
\`\`\`

The decision behind a 422 or an \`unavailable\` listing, with reasons:

\`\`\`sh
ID=$(grep -i '^placard-decision:' placard-reply-headers.txt | tr -d '\\r' | cut -d' ' -f2)
curl -sS --max-time 30 -H @placard-headers.txt ${base}${DECISIONS_PATH}/$ID
\`\`\`

Appeal once, after the customer's yes to the statement. A person decides; if in your favour, repeat the publish:

\`\`\`sh
ID=$(grep -i '^placard-decision:' placard-reply-headers.txt | tr -d '\\r' | cut -d' ' -f2)
cat >| placard-appeal.json <<'JSON'
{"statement":"Why the decision is wrong, in up to 1000 characters."}
JSON
curl -sS --max-time 30 -H @placard-headers.txt --data-binary @placard-appeal.json ${base}${DECISIONS_PATH}/$ID/appeal
\`\`\`

`

/** The part of the agent guide about paid places. */
export const quoteGuide = (links: Links, asked: object): string => `## 9. Preview a paid place

Only if the customer asks what a place on a board would cost. A quote fetches, orders and reserves nothing.

\`\`\`sh
curl -sS -H 'Content-Type: application/json' ${links.base}${QUOTE_PATH} \\
  --data '${JSON.stringify({ ...asked, board: 'all', targetBid: 25 })}'
\`\`\`

- \`board\`: \`all\`, or \`today\`, which resets at midnight UTC and takes cards only.
- \`targetBid\`: the total wanted on that board in whole US dollars, ${MINIMUM_TARGET_USD} to ${MAXIMUM_TARGET_USD}.
- \`chargeAmountCents\` in the reply: what would be due now, minus verified earlier payments.
- \`estimatedRank\`: a conservative estimate, not a reserved position. Anyone may pay more later.
- \`handoffUrl\`: give it to the customer, who sees the current price, proves that they own the website, and pays in a browser.

You may not pay, enter card data, or promise a rank. Every place is labelled as paid.

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

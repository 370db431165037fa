import { IDEMPOTENCY_HEADER, PROOF_HEADER, PUBLISH_PATH } from '@placard/contract'
import type { Links } from '../../http/links.ts'
import { VERSION } from '../../version.ts'

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

\`npm install placard-agent@${VERSION}\` brings a command and a library for Node, Bun and Deno. Both save first, repeat after
a lost answer, and never print a secret. To repeat it, run it again. After a refusal, or when a listing was taken down,
\`placard-agent decision\` gives the reasons, and \`placard-agent appeal\` contests it after the customer’s yes.

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

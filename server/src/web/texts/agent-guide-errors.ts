import { DECISIONS_PATH, ERRORS, REVIEW_REASONS } from '@placard/contract'
import type { Config } from '../../config.ts'
import { FACTS_DAYS } from '../../decisions/end-facts.ts'

/** What to do after each answer that is not a receipt, and every code and reason. */
export const errorGuide = (limits: Config['limits']): string => `## 8. When it does not work

Every error is JSON with \`code\`, \`error\` (what to do next) and \`chargeCreated: false\`; 400 may name the \`field\`, 422
gives a \`reason\`. "Repeat" always means: the same key, the same secret and the same body.

| what you got | what to do |
|---|---|
| no answer, a lost connection, 500, 503, or a reply that is not JSON | Not published, or not known to be: \`code\` says which. Repeat. Wait \`Retry-After\` seconds first, or else 5, 10, 20 and so on. |
| 429 | Wait \`Retry-After\` seconds, then repeat. It may be hours: tell the customer when. Another User-Agent does not help. |
| a redirect | Stop, and do not follow it: the secret would go along. Ask the customer for the right address of this service. |
| 403, 404, 405 | Send it from a server, with the method and to the address shown above. |
| 400, 413, 415 | Correct the request. Nothing was stored, so the key and secret may be used again. |
| 409 | Stop. Another request used this key, or the destination is already listed. Trying again gains nothing. |
| 410 | Stop. New submissions are closed; only repeats of earlier ones get an answer. |
| 422 | Final: for ${FACTS_DAYS} days this key gets the same answer. It counts as one of the new submissions of the day. Once the customer has fixed the page, make a new submission with a new key and secret. If it is wrong, \`Placard-Decision\` names the decision: with the secret, \`GET ${DECISIONS_PATH}/{id}\` gives the reasons, and \`POST\` of \`{"statement": "…"}\` to \`/appeal\` below it contests it, once, after the customer’s yes to the statement. A person decides; if in your favour, repeat the same request once more. |

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
${limits.newAttemptsPerDayGlobal} in all. Repeating an accepted request is not a new submission. What is
left is in the header \`RateLimit\`, and in the answer to a check.

`

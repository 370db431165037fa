import { ERRORS, type ErrorCode } from './errors.ts'

/** What an error means, in a sentence or two, and what to do about it, step by step. */
interface Help {
  means: string
  steps: readonly string[]
}

/** For every error after which the same request may be sent again. */
const REPEAT = [
  'Keep the key, the secret and the body. You need all three again.',
  'Wait `retryAfterSeconds`, which is also the header `Retry-After`.',
  'Send the same request again, byte for byte. It can’t be published twice.',
] as const
const FIX = 'Correct it, and send it again. Nothing was stored, so the same key and secret can be used.'
const ASK_LATER = 'Tell your customer when it is possible again. Another address or User-Agent does not help.'

/**
 * The explanation of every error. The pages at `/errors/CODE`, the API document and docs/errors.md are made from this
 * table and `ERRORS`, so that each code is explained only once.
 */
export const ERROR_HELP: Record<ErrorCode, Help> = {
  invalid_request: {
    means: 'What arrived is not a complete HTTP/1.1 request, or it does not name its host exactly once.',
    steps: ['Send it with an ordinary HTTP client, such as curl.', FIX],
  },
  invalid_json: {
    means: 'The body could not be parsed. It must be one JSON object in UTF-8.',
    steps: ['Check commas, braces and quotation marks, for example with `python3 -m json.tool FILE`.', FIX],
  },
  invalid_body: {
    means: 'A field is missing, unknown, or has a wrong type. `field` names it.',
    steps: ['Compare the body with the operation in `/openapi.json`: exactly those fields, and no others.', FIX],
  },
  invalid_idempotency_key: {
    means:
      'The header `Idempotency-Key` is missing, was sent twice, is no UUID version 4, or is a pattern or an example instead of random digits.',
    steps: [
      'Make one with a program: `python3 -c "import uuid; print(uuid.uuid4())"`, or `node -e "console.log(crypto.randomUUID())"`.',
      'Save it, and send it once. Never make up its digits.',
      'To read a submission, put the key that it was sent with into the address.',
    ],
  },
  invalid_submission_secret: {
    means:
      'The header `X-Submission-Secret` is missing, was sent twice, is not 64 hex digits, or is a pattern that others can guess. It protects the private link, so it must be random.',
    steps: [
      'Make one with a program: `openssl rand -hex 32`, or `python3 -c "import secrets; print(secrets.token_hex(32))"`, or `node -e "console.log(require(\'crypto\').randomBytes(32).toString(\'hex\'))"`.',
      'Save it in a private place, and send it once. Never make up its digits.',
      'To read a submission or a decision, send the secret that the submission was sent with.',
    ],
  },
  invalid_destination: {
    means: 'The address cannot be listed: it is no public http or https address with a real domain name.',
    steps: ['Ask your customer for the public address of the page.', FIX],
  },
  unknown_category: {
    means: 'The category is none of the IDs that the capabilities list. They are in English, and case matters.',
    steps: ['Take an `id` from `GET /api/v1/agent/capabilities`, exactly as written.', FIX],
  },
  approval_required: {
    means: 'The request does not declare your customer’s approval.',
    steps: [
      'Show your customer what would be listed, and ask.',
      'After an explicit yes, send `approval.scope` and `approval.userApproved` as the agent guide shows.',
    ],
  },
  invalid_approval_code: {
    means:
      'The customer has not approved exactly this in a browser, the approval has expired, or another submission has used it.',
    steps: [
      'If the customer has not answered yet, wait for the answer: `GET /api/v1/agent/approvals/{code}`.',
      'If they declined, stop. Otherwise, ask again with `POST /api/v1/agent/approvals`.',
      'Publish with the new code. Nothing was stored, so the same key and secret can be used.',
    ],
  },
  rules_version_mismatch: {
    means: 'The approval names another version of the rules than the one in force.',
    steps: [
      'Read `/rules` again, and ask your customer again.',
      'Send `publishingPolicy.rulesVersion` of the capabilities.',
    ],
  },
  invalid_board: { means: 'There are two boards: `all` and `today`.', steps: ['Send one of the two.'] },
  invalid_target_bid: {
    means: '`targetBid` is the total that your customer wants on the board, in whole US dollars.',
    steps: ['Send a whole number from 5 to 999999.'],
  },
  target_not_above_current: {
    means: 'The target is less than one dollar above what is already paid for this destination on this board.',
    steps: ['Ask for a price with a target at least one dollar above what is already paid.'],
  },
  invalid_cursor: {
    means: 'Cursors come from this service only, and a cursor belongs to one list.',
    steps: ['Take `nextCursor` of the page before, or leave the cursor out to begin at the top.'],
  },
  invalid_limit: { means: 'A page has from 1 to 100 entries.', steps: ['Send a whole number from 1 to 100, or none.'] },
  invalid_signature: {
    means: 'The event does not come from the payment processor, or it is too old.',
    steps: ['Nothing. Only the processor sends to this address.'],
  },
  invalid_statement: {
    means: 'The statement of an appeal is empty, longer than 1,000 characters, or contains a private link.',
    steps: ['Say in a few sentences why the decision is wrong.', 'Show it to your customer, and send it after a yes.'],
  },
  cross_origin_rejected: {
    means: 'A browser sent this from a page of another origin. Publishing works from servers and programs only.',
    steps: ['Send the request from your own server or command line, without an `Origin` header.'],
  },
  not_found: {
    means: 'There is no such address, listing, submission or decision, or the secret does not open it.',
    steps: [
      'Check the address. If `error` suggests another one, use that. Every operation is in `/openapi.json`.',
      'For a submission or a decision, send the secret that the submission was sent with.',
    ],
  },
  method_not_allowed: {
    means: 'The address exists, but not for this method.',
    steps: ['Use a method of the header `Allow`. The OpenAPI document names the methods of each address.'],
  },
  idempotency_conflict: {
    means: 'This key was used before, with another secret or another body. Nothing was changed.',
    steps: [
      'To recover a receipt, send the original request: same key, secret and body.',
      'For another website, make a new key and a new secret.',
    ],
  },
  destination_already_listed: {
    means:
      'This destination has a listing, and no request can take it over. If the listing is public, `productUrl` is its page.',
    steps: [
      'If you published it, send that request again: it returns the receipt.',
      'Otherwise, the owner of the website opens `/own` in a browser and proves that it is theirs. You cannot do that.',
    ],
  },
  already_appealed: {
    means: 'A decision can be appealed once, and this one was, with another statement.',
    steps: ['GET the decision to see the appeal and its outcome.'],
  },
  not_contestable: {
    means: 'This decision cannot be appealed, or the time for an appeal is over.',
    steps: ['GET the decision: `contest.how` says what is possible.'],
  },
  submissions_closed: {
    means: 'This site takes no new free listings now.',
    steps: ['Tell your customer.', 'Receipts of earlier submissions are still returned to the same request.'],
  },
  body_too_large: {
    means: 'The body is longer than the operation accepts.',
    steps: ['Send only the documented fields. Title and description are read from the page.'],
  },
  unsupported_media_type: {
    means: 'The body is not declared as JSON, or it is compressed.',
    steps: ['Send `Content-Type: application/json`, and no `Content-Encoding`.'],
  },
  review_rejected: {
    means: 'The page did not pass review. `reason` says why, and `decisionId` names the recorded decision.',
    steps: [
      'Tell your customer the reason. This key gets the same answer, so do not repeat the request.',
      'Once the page is fixed, make a new submission with a new key and secret.',
      'If the decision is wrong: GET `decisionUrl` with the secret for the reasons, and POST an appeal after your customer’s yes.',
    ],
  },
  rate_limited: {
    means: 'Your address or its network has sent too many requests.',
    steps: ['Wait `retryAfterSeconds`, which is also the header `Retry-After`.', 'Send the same request again.'],
  },
  quota_ip: {
    means: 'Your address or its network has made as many new submissions as it may in one UTC day.',
    steps: [...REPEAT, ASK_LATER],
  },
  quota_host: {
    means:
      'This website had as many new submissions as it may in one UTC day. The last one is kept for a network that has not tried it that day.',
    steps: [...REPEAT, ASK_LATER],
  },
  quota_global: {
    means: 'This site had as many new submissions as it takes in one UTC day.',
    steps: [...REPEAT, ASK_LATER],
  },
  check_quota_ip: {
    means: 'Your address has made as many checks as it may in one UTC day. Publishing has a limit of its own.',
    steps: ['Wait `retryAfterSeconds`, or publish without a check after your customer’s yes.'],
  },
  check_quota_host: {
    means:
      'This website was checked as often as it may be in one UTC day. The last check is kept for a network that has not checked it that day. Publishing has a limit of its own.',
    steps: ['Wait `retryAfterSeconds`, or publish without a check after your customer’s yes.'],
  },
  internal_error: {
    means: 'A fault of this service, which its operator finds in the log under `X-Request-Id`.',
    steps: [REPEAT[0], 'Wait a minute.', REPEAT[2], 'If it stays, ask at `/support`.'],
  },
  format_not_served: { means: 'oEmbed is answered as JSON only.', steps: ['Send `format=json`, or no format.'] },
  review_unavailable: {
    means:
      'Every page is read and reviewed before it is listed. That was not possible now, so the page was neither accepted nor refused. `reason` says why: the website is slow (`site_slow`), cannot be reached (`site_unreachable`) or speaks broken TLS (`site_tls`), a reviewer does not answer (`reviewer_unavailable`), or the service is `busy`.',
    steps: [
      ...REPEAT,
      'After five tries, tell your customer the reason, and try again in an hour. The approval still holds.',
    ],
  },
  publication_unconfirmed: {
    means: 'The request may or may not have been stored. Only the same request can find out.',
    steps: REPEAT,
  },
  not_ready: {
    means: 'The service cannot use its database right now, usually for a few seconds.',
    steps: REPEAT,
  },
  payment_evidence_unavailable: {
    means:
      'Without the verified payments there is no price. With the reason `payments_off`, this site sells no places at all.',
    steps: ['With `payments_off`, stop. Otherwise wait `retryAfterSeconds`, and ask again.'],
  },
  payments_unavailable: {
    means: 'The payment processor does not answer.',
    steps: ['Nothing was charged. Try again in a minute.'],
  },
}

/** What a client does after an error, by status. 500 and 503 may hide a publication, so they are repeated. */
export type ErrorAction = 'repeat' | 'correct' | 'stop'

export function actionAfter(code: ErrorCode): ErrorAction {
  const { status } = ERRORS[code]
  if ([429, 500, 503].includes(status)) return 'repeat'
  return [409, 410, 422].includes(status) ? 'stop' : 'correct'
}

/** Where a service explains an error. */
export const ERRORS_PATH = '/errors'

import Type, { type Static } from 'typebox'
import { DecisionHeaders } from './decisions.ts'
import { ErrorCodeText, ErrorReasonText, errorResponses } from './errors.ts'
import { IDEMPOTENCY_KEY_PATTERN, SUBMISSION_EVENTS, SUBMISSION_STATES, type SubmissionEventType } from './wire.ts'

const uri = (description: string) => Type.String({ format: 'uri', description })
const left = (description: string) => Type.Integer({ minimum: 0, description })

/** A submission is named by its key, and opened by its secret. */
export const SubmissionParams = Type.Object({
  key: Type.String({
    pattern: IDEMPOTENCY_KEY_PATTERN,
    description: 'The Idempotency-Key of the publish.',
  }),
})
export const SubmissionHeaders = DecisionHeaders

/** The state of a submission. */
export const SubmissionStatus = Type.Object(
  {
    state: Type.Enum([...SUBMISSION_STATES], {
      type: 'string',
      description:
        'unknown (no submission has this key and secret), under_review, published, refused, hidden (the listing is taken down), or ended.',
    }),
    repeatPublish: Type.Boolean({
      description:
        'True if nothing happens until the same publish request (key, secret, body) is sent, for the first time or again.',
    }),
    retryAfterSeconds: Type.Optional(
      Type.Integer({ minimum: 1, description: 'How long to wait before you ask again, or repeat the publish.' }),
    ),
    requestId: Type.Optional(Type.String({ description: 'As in the receipt.' })),
    submittedAt: Type.Optional(Type.Integer({ description: 'When it first arrived, in Unix milliseconds.' })),
    productUrl: Type.Optional(uri('Public page of the listing, once there is one.')),
    expiresAt: Type.Optional(
      Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        description: 'The end of the listing in Unix milliseconds, or null if no end is scheduled.',
      }),
    ),
    code: Type.Optional(ErrorCodeText),
    error: Type.Optional(Type.String({ description: 'Of a refusal: what a repeat of the publish would say.' })),
    reason: Type.Optional(ErrorReasonText),
    decisionId: Type.Optional(
      Type.String({ description: 'The decision that refused it, took the listing down, or ended it early.' }),
    ),
    decisionUrl: Type.Optional(uri('Where to read that decision and appeal it, with the same secret.')),
    links: Type.Object({
      publish: uri('Where to send or repeat the publish.'),
      events: uri('What happened to it since, oldest first.'),
      webhook: uri('Where to PUT an address to which events are posted.'),
      support: uri('Where to ask a person.'),
    }),
    remaining: Type.Object(
      {
        newAttemptsPerDayPerIp: left('New submissions of this address.'),
        newAttemptsPerDayPerHost: Type.Optional(
          left('New submissions of the website. Absent if the state is unknown.'),
        ),
        newAttemptsPerDayGlobal: left('New submissions of everybody.'),
      },
      { description: 'What is left today of each daily limit. Repeating a known submission uses none.' },
    ),
    remainingUntil: Type.Integer({
      description: 'When the daily limits reset: the next UTC midnight, in Unix milliseconds.',
    }),
    chargeCreated: Type.Literal(false),
    notice: Type.String({ description: 'What the state means, and what to do next.' }),
  },
  { title: 'SubmissionStatus' },
)
export type SubmissionStatus = Static<typeof SubmissionStatus>

const READ_ERRORS = [
  'invalid_request',
  'invalid_idempotency_key',
  'invalid_submission_secret',
  'cross_origin_rejected',
  'rate_limited',
  'internal_error',
  'not_ready',
] as const

export const submissionSchema = {
  operationId: 'getSubmission',
  summary: 'Read the state of a submission',
  description:
    'With its key and secret. Sends nothing again, and changes nothing. A published submission is known as long as its listing is stored, and a refused one as long as it can be appealed. With a wrong secret, the reply is the one for an unknown key.',
  tags: ['agent'],
  params: SubmissionParams,
  response: {
    200: { ...SubmissionStatus, description: 'The state, also if it is unknown.' },
    ...errorResponses(READ_ERRORS),
  },
} as const

export const submissionProofSchema = {
  operationId: 'getSubmissionProof',
  summary: 'Get the proof that a submission was accepted',
  description:
    'With its key and secret. A C2SP tlog-proof: the entry of the public log, its salt and private text in the line `extra`, the way to a signed checkpoint, and that checkpoint. Store it: it shows offline, years later, that the listing was accepted at that time. It is ready about two seconds after the publish; until then, the reply is 503. A submission that was not accepted, an unknown key and a wrong secret get the same 404.',
  tags: ['agent'],
  params: SubmissionParams,
  response: {
    200: { type: 'string', description: 'The proof: text of usually less than 2 KB.' },
    ...errorResponses([...READ_ERRORS, 'not_found']),
  },
} as const

export const SubmissionEvent = Type.Object(
  {
    id: Type.String({ description: 'Stays the same, however often the event is read or sent.' }),
    type: Type.Unsafe<SubmissionEventType>({
      type: 'string',
      description: `The list may grow. ${Object.entries(SUBMISSION_EVENTS)
        .map(([type, words]) => `${type}: ${words}`)
        .join(' ')}`,
    }),
    at: Type.Integer({ description: 'When it happened, in Unix milliseconds.' }),
    reason: Type.Optional(Type.String({ description: 'A code, such as a review reason. The list may grow.' })),
    productUrl: Type.Optional(uri('Public page of the listing.')),
    expiresAt: Type.Optional(Type.Integer({ description: 'The end that the event is about, in Unix milliseconds.' })),
    decisionId: Type.Optional(Type.String({ description: 'The decision that made it, or that was appealed.' })),
    decisionUrl: Type.Optional(uri('Where to read that decision, with the same secret.')),
    cursor: Type.String({ description: 'Send it to read what follows this event.' }),
  },
  { title: 'SubmissionEvent' },
)
export type SubmissionEvent = Static<typeof SubmissionEvent>

export const SubmissionEvents = Type.Object(
  {
    state: SubmissionStatus.properties.state,
    events: Type.Array(SubmissionEvent),
    nextCursor: Type.String({ description: 'Send it next time. Without new events, it stays the same.' }),
    hasMore: Type.Boolean({ description: 'Whether more events can be read at once.' }),
    chargeCreated: Type.Literal(false),
  },
  { title: 'SubmissionEvents' },
)
export type SubmissionEvents = Static<typeof SubmissionEvents>

export const SubmissionEventsQuery = Type.Object(
  {
    cursor: Type.Optional(
      Type.String({
        description: 'nextCursor of the previous reply, or cursor of an event. By default, the beginning.',
      }),
    ),
  },
  { additionalProperties: false },
)

export const submissionEventsSchema = {
  operationId: 'getSubmissionEvents',
  summary: 'Read what happened to a submission, oldest first',
  description:
    'With its key and secret. A decision appears about a second after it was made. Ask again with nextCursor, once a minute at most.',
  tags: ['agent'],
  params: SubmissionParams,
  querystring: SubmissionEventsQuery,
  response: {
    200: { ...SubmissionEvents, description: 'At most 50 events. None if the submission is unknown.' },
    ...errorResponses([...READ_ERRORS, 'invalid_body', 'invalid_cursor']),
  },
} as const

export const SubmissionWebhookBody = Type.Object(
  {
    url: Type.Union([Type.String({ maxLength: 1000 }), Type.Null()], {
      description: 'A public https address, whose query is kept. null removes the webhook.',
    }),
  },
  { title: 'SubmissionWebhookBody', additionalProperties: false },
)
export type SubmissionWebhookBody = Static<typeof SubmissionWebhookBody>

export const SubmissionWebhook = Type.Object(
  {
    url: Type.Union([Type.String({ format: 'uri' }), Type.Null()], {
      description: 'Where events are posted; null if nowhere.',
    }),
    secret: Type.Optional(
      Type.String({
        description: 'Signs each post, as in Standard Webhooks. Keep it private. A new address keeps it.',
      }),
    ),
    chargeCreated: Type.Literal(false),
  },
  { title: 'SubmissionWebhook' },
)
export type SubmissionWebhook = Static<typeof SubmissionWebhook>

export const submissionWebhookSchema = {
  operationId: 'putSubmissionWebhook',
  summary: 'Have the events of a submission posted to an address',
  description:
    'Posts are signed as in Standard Webhooks and begin with the first event of the submission. A delivery that is not answered with 2xx is retried for a day. After that, or after an answer of 410, the webhook is off until you send its address again. null removes it. An unknown key and a wrong secret get the same 404.',
  tags: ['agent'],
  params: SubmissionParams,
  body: SubmissionWebhookBody,
  response: {
    200: { ...SubmissionWebhook, description: 'The webhook, with its secret.' },
    ...errorResponses([
      ...READ_ERRORS,
      'not_found',
      'invalid_json',
      'invalid_body',
      'body_too_large',
      'unsupported_media_type',
    ]),
  },
} as const

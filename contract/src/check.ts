import Type, { type Static } from 'typebox'
import { ErrorCodeText, ErrorReasonText, errorResponses } from './errors.ts'
import { PublishBody } from './publish.ts'
import { RECEIPT_STATUSES } from './wire.ts'

/** What a publish would send, without its approval: nothing is published. */
export const CheckBody = Type.Object(
  { destination: PublishBody.properties.destination, category: PublishBody.properties.category },
  { title: 'CheckBody', additionalProperties: false },
)
export type CheckBody = Static<typeof CheckBody>

const uri = (description: string) => Type.String({ format: 'uri', description })
const left = (description: string) => Type.Integer({ minimum: 0, description })

/** What a publish of the same destination and category would answer now. */
export const Check = Type.Object(
  {
    wouldPublish: Type.Boolean({ description: 'Whether a publish sent now would return 201.' }),
    destination: uri('The address that would be listed: without query and fragment, host in lower case.'),
    publishReply: Type.Object(
      {
        status: Type.Integer({ description: '201, or the status of the refusal: 409, 410, 422 or 429.' }),
        code: Type.Optional(ErrorCodeText),
        error: Type.Optional(Type.String({ description: 'On a refusal: what it says, and what to do next.' })),
        reason: Type.Optional(ErrorReasonText),
        retryAfterSeconds: Type.Optional(
          Type.Integer({ minimum: 1, description: 'On 429: how long a publish must wait.' }),
        ),
      },
      { description: 'What a publish sent now would return.' },
    ),
    listing: Type.Optional(
      Type.Object(
        {
          title: Type.String(),
          description: Type.String({ description: 'May be empty.' }),
          imageUrl: Type.Optional(uri('The picture that the page names. It is fetched after publication.')),
        },
        { description: 'What the listing would show, read from the page. Only if it would be published.' },
      ),
    ),
    alreadyListed: Type.Optional(
      Type.Object(
        {
          status: Type.Enum([...RECEIPT_STATUSES], { type: 'string' }),
          productUrl: Type.Optional(uri('Its public page, while it is published.')),
        },
        { description: 'Only if the destination is already listed.' },
      ),
    ),
    remaining: Type.Object(
      {
        newAttemptsPerDayPerIp: left('New submissions of this address.'),
        newAttemptsPerDayPerHost: left('New submissions of this website.'),
        newAttemptsPerDayGlobal: left('New submissions of everybody.'),
        checksPerDayPerIp: left('Checks of this address.'),
        checksPerDayPerHost: left('Checks of this website.'),
      },
      { description: 'What is left today of each daily limit that the capabilities name.' },
    ),
    remainingUntil: Type.Integer({
      description: 'When the daily limits reset: the next UTC midnight, in Unix milliseconds.',
    }),
    chargeCreated: Type.Literal(false),
    notice: Type.String(),
  },
  { title: 'Check' },
)
export type Check = Static<typeof Check>

export const checkSchema = {
  operationId: 'checkServiceFreeListing',
  summary: 'Ask what a publish would answer, without publishing',
  description:
    'A dry run: reads and reviews the page as a publish does, but writes nothing, reserves nothing and uses no submission. Needs no approval, key or secret. What a publish would refuse with 409, 410, 422 or 429 is a 200 here; wrong fields, and a page that cannot be reviewed just now, are errors here too.',
  tags: ['agent'],
  body: CheckBody,
  response: {
    200: { ...Check, description: 'What a publish would return.' },
    ...errorResponses([
      'invalid_request',
      'invalid_json',
      'invalid_body',
      'invalid_destination',
      'unknown_category',
      'body_too_large',
      'unsupported_media_type',
      'rate_limited',
      'check_quota_ip',
      'check_quota_host',
      'internal_error',
      'review_unavailable',
      'not_ready',
    ]),
  },
} as const

import Type, { type Static } from 'typebox'
import { CategoryId } from './category-id.ts'
import { errorResponses } from './errors.ts'
import { DESTINATION_MAX_LENGTH, MAXIMUM_TARGET_USD, MINIMUM_CHARGE_CENTS, MINIMUM_TARGET_USD } from './limits.ts'
import { FIELD_WORDS } from './tool-words.ts'
import { BOARDS } from './wire.ts'

export const QuoteBody = Type.Object(
  {
    destination: Type.String({
      maxLength: DESTINATION_MAX_LENGTH,
      description: FIELD_WORDS.quote.destination,
    }),
    category: CategoryId,
    board: Type.Enum([...BOARDS], {
      type: 'string',
      description: FIELD_WORDS.quote.board,
    }),
    targetBid: Type.Integer({
      minimum: MINIMUM_TARGET_USD,
      maximum: MAXIMUM_TARGET_USD,
      description: FIELD_WORDS.quote.targetBid,
    }),
  },
  { title: 'QuoteBody', additionalProperties: false },
)
export type QuoteBody = Static<typeof QuoteBody>

/** A non-binding price (spec 2.3). */
export const Quote = Type.Object(
  {
    kind: Type.Literal('non_binding_preview'),
    currency: Type.Literal('usd'),
    chargeAmountCents: Type.Integer({
      minimum: MINIMUM_CHARGE_CENTS,
      description: 'What would be due: the target minus the verified bids on that board.',
    }),
    expiresAt: Type.Integer({ description: 'Unix milliseconds.' }),
    handoffUrl: Type.String({
      format: 'uri',
      description: 'Public prefilled form for a person. It does not authorise a payment.',
    }),
    humanConfirmationRequired: Type.Literal(true),
    chargeCreated: Type.Literal(false),
    estimatedRank: Type.Optional(Type.Integer({ minimum: 1, description: 'Conservative and not reserved.' })),
  },
  { title: 'Quote' },
)
export type Quote = Static<typeof Quote>

export const quoteSchema = {
  operationId: 'previewServiceQuote',
  summary: 'Preview what a paid place on a board would cost',
  description: 'Read-only: no fetch of the website, no order, no charge. Only a person in a browser can pay.',
  tags: ['agent'],
  body: QuoteBody,
  response: {
    200: { ...Quote, description: 'A non-binding preview.' },
    ...errorResponses([
      'invalid_request',
      'invalid_json',
      'invalid_body',
      'invalid_destination',
      'unknown_category',
      'invalid_board',
      'invalid_target_bid',
      'target_not_above_current',
      'body_too_large',
      'unsupported_media_type',
      'rate_limited',
      'internal_error',
      'payment_evidence_unavailable',
    ]),
  },
} as const

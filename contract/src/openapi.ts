import { ApprovalHeaders, ApprovalParams, approvalSchema, askApprovalSchema } from './approvals.ts'
import {
  BOARDS_PATH,
  BoardParams,
  BoardQuery,
  boardSchema,
  CategoryParams,
  categoryBoardSchema,
  DayParams,
  dayBoardSchema,
} from './boards.ts'
import { capabilitiesSchema } from './capabilities.ts'
import { checkSchema } from './check.ts'
import { appealSchema, DecisionHeaders, DecisionParams, decisionProofSchema, decisionSchema } from './decisions.ts'
import { DrawParams, drawSchema } from './draws.ts'
import { CONTRACT_VERSION } from './limits.ts'
import { LISTING_STREAM_PATH, LISTING_STREAM_TYPE, ListingStreamQuery, listingStreamSchema } from './listing-stream.ts'
import { ListingParams, ListingsQuery, listingSchema, listingsSchema, SearchQuery, searchSchema } from './listings.ts'
import { Components } from './openapi-components.ts'
import { EXAMPLES } from './openapi-examples.ts'
import { HEADERS, operation, parametersOf } from './openapi-operation.ts'
import { PublishHeaders, publishSchema } from './publish.ts'
import { quoteSchema } from './quote.ts'
import {
  SubmissionEventsQuery,
  SubmissionHeaders,
  SubmissionParams,
  submissionEventsSchema,
  submissionProofSchema,
  submissionSchema,
  submissionWebhookSchema,
} from './submissions.ts'
import {
  APPROVALS_PATH,
  CAPABILITIES_PATH,
  CHECK_PATH,
  DECISIONS_PATH,
  DRAWS_PATH,
  LISTINGS_PATH,
  PROOF_HEADER,
  PUBLISH_PATH,
  QUOTE_PATH,
  SEARCH_PATH,
  SUBMISSIONS_PATH,
} from './wire.ts'

/**
 * Returns the OpenAPI document, made from the schemas that the service validates and serialises with. It is not
 * collected from routes: clients that are generated from it need names, examples, headers and open lists that routes do
 * not have.
 *
 * @param base address of the service, without a trailing slash
 * @param support where people get help
 */
export function openapiDocument({ base, support }: { base: string; support: string }) {
  const components = new Components()
  const [idempotencyKey, submissionSecret] = parametersOf('header', PublishHeaders, EXAMPLES.publish.headers)
  const decisionParameters = [
    ...parametersOf('path', DecisionParams, EXAMPLES.decision.params),
    ...parametersOf('header', DecisionHeaders, EXAMPLES.publish.headers),
  ]
  const submissionParameters = [
    ...parametersOf('path', SubmissionParams, EXAMPLES.submission.params),
    ...parametersOf('header', SubmissionHeaders, EXAMPLES.publish.headers),
  ]
  const paths: Record<string, Partial<Record<'get' | 'post' | 'put', ReturnType<typeof operation>>>> = {
    [CAPABILITIES_PATH]: {
      get: operation(components, {
        schema: capabilitiesSchema,
        example: EXAMPLES.capabilities,
        isCached: true,
      }),
    },
    [CHECK_PATH]: {
      post: operation(components, { schema: checkSchema, ...EXAMPLES.check, isLimited: true }),
    },
    [APPROVALS_PATH]: {
      post: operation(components, { schema: askApprovalSchema, ...EXAMPLES.askApproval, isLimited: true }),
    },
    [`${APPROVALS_PATH}/{code}`]: {
      get: operation(components, {
        schema: approvalSchema,
        example: EXAMPLES.approval.example,
        parameters: [
          ...parametersOf('path', ApprovalParams, EXAMPLES.approval.params),
          ...parametersOf('header', ApprovalHeaders, EXAMPLES.approval.headers),
        ],
        isLimited: true,
      }),
    },
    [PUBLISH_PATH]: {
      post: operation(components, {
        schema: publishSchema,
        ...EXAMPLES.publish,
        parameters: [idempotencyKey, submissionSecret],
        security: [{ submissionSecret: [] }],
        isLimited: true,
        isReplayed: true,
      }),
    },
    [`${SUBMISSIONS_PATH}/{key}`]: {
      get: operation(components, {
        schema: submissionSchema,
        example: EXAMPLES.submission.example,
        parameters: submissionParameters,
        security: [{ submissionSecret: [] }],
        isLimited: true,
      }),
    },
    [`${SUBMISSIONS_PATH}/{key}/events`]: {
      get: operation(components, {
        schema: submissionEventsSchema,
        example: EXAMPLES.submissionEvents,
        parameters: [...submissionParameters, ...parametersOf('query', SubmissionEventsQuery)],
        security: [{ submissionSecret: [] }],
        isLimited: true,
      }),
    },
    [`${SUBMISSIONS_PATH}/{key}/webhook`]: {
      put: operation(components, {
        schema: submissionWebhookSchema,
        ...EXAMPLES.submissionWebhook,
        parameters: submissionParameters,
        security: [{ submissionSecret: [] }],
        isLimited: true,
      }),
    },
    [`${SUBMISSIONS_PATH}/{key}/proof`]: {
      get: operation(components, {
        schema: submissionProofSchema,
        example: EXAMPLES.proof,
        mediaType: 'text/plain',
        parameters: submissionParameters,
        security: [{ submissionSecret: [] }],
        isLimited: true,
      }),
    },
    [`${DECISIONS_PATH}/{id}`]: {
      get: operation(components, {
        schema: decisionSchema,
        example: EXAMPLES.decision.example,
        parameters: decisionParameters,
        security: [{ submissionSecret: [] }],
        isLimited: true,
      }),
    },
    [`${DECISIONS_PATH}/{id}/proof`]: {
      get: operation(components, {
        schema: decisionProofSchema,
        example: EXAMPLES.proof,
        mediaType: 'text/plain',
        parameters: decisionParameters,
        security: [{ submissionSecret: [] }],
        isLimited: true,
      }),
    },
    [`${DECISIONS_PATH}/{id}/appeal`]: {
      post: operation(components, {
        schema: appealSchema,
        ...EXAMPLES.appeal,
        parameters: decisionParameters,
        security: [{ submissionSecret: [] }],
        isLimited: true,
      }),
    },
    [QUOTE_PATH]: {
      post: operation(components, { schema: quoteSchema, ...EXAMPLES.quote, isLimited: true }),
    },
    [LISTING_STREAM_PATH]: {
      get: operation(components, {
        schema: listingStreamSchema,
        example: EXAMPLES.listingStream,
        mediaType: LISTING_STREAM_TYPE,
        parameters: parametersOf('query', ListingStreamQuery),
      }),
    },
    [`${BOARDS_PATH}/{board}`]: {
      get: operation(components, {
        schema: boardSchema,
        example: EXAMPLES.board,
        parameters: [...parametersOf('path', BoardParams), ...parametersOf('query', BoardQuery)],
        isCached: true,
      }),
    },
    [`${BOARDS_PATH}/days/{day}`]: {
      get: operation(components, {
        schema: dayBoardSchema,
        example: EXAMPLES.dayBoard.example,
        parameters: [
          ...parametersOf('path', DayParams, EXAMPLES.dayBoard.params),
          ...parametersOf('query', BoardQuery),
        ],
        isCached: true,
      }),
    },
    [`${BOARDS_PATH}/categories/{category}`]: {
      get: operation(components, {
        schema: categoryBoardSchema,
        example: EXAMPLES.categoryBoard.example,
        parameters: [
          ...parametersOf('path', CategoryParams, EXAMPLES.categoryBoard.params),
          ...parametersOf('query', BoardQuery),
        ],
        isCached: true,
      }),
    },
    [LISTINGS_PATH]: {
      get: operation(components, {
        schema: listingsSchema,
        example: EXAMPLES.listings,
        parameters: parametersOf('query', ListingsQuery),
        isCached: true,
      }),
    },
    [`${LISTINGS_PATH}/{slug}`]: {
      get: operation(components, {
        schema: listingSchema,
        example: EXAMPLES.listing.example,
        parameters: parametersOf('path', ListingParams, EXAMPLES.listing.params),
        isCached: true,
      }),
    },
    [SEARCH_PATH]: {
      get: operation(components, {
        schema: searchSchema,
        example: EXAMPLES.search.example,
        parameters: parametersOf('query', SearchQuery, EXAMPLES.search.params),
        isCached: true,
      }),
    },
    [`${DRAWS_PATH}/{day}`]: {
      get: operation(components, {
        schema: drawSchema,
        example: EXAMPLES.draw.example,
        parameters: parametersOf('path', DrawParams, EXAMPLES.draw.params),
        isCached: true,
      }),
    },
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Placard agent API',
      version: CONTRACT_VERSION,
      description:
        'Publish one free listing after a customer said yes, recover its receipt, and preview a paid place. No operation charges. Lists of codes and reasons may grow: accept values that you do not know.',
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'Support', url: support },
    },
    servers: [{ url: base }],
    tags: [
      { name: 'agent', description: 'Server to server, JSON only.' },
      { name: 'draws', description: 'Public: what was drawn by lot each day, and how to check it.' },
      { name: 'boards', description: 'Public: who paid for which place.' },
      { name: 'listings', description: 'Public: all listings as data.' },
    ],
    paths,
    components: {
      schemas: components.schemas,
      headers: HEADERS,
      securitySchemes: {
        submissionSecret: {
          type: 'apiKey',
          in: 'header',
          name: PROOF_HEADER,
          description: submissionSecret?.description,
        },
      },
    },
  }
}

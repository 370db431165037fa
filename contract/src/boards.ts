import Type, { type Static } from 'typebox'
import { errorResponses } from './errors.ts'
import { BOARDS } from './wire.ts'

export const BOARDS_PATH = '/api/v1/boards'

export const BOARD_PAGE_MAX = 100
export const BOARD_PAGE_DEFAULT = 50

export const BoardParams = Type.Object({
  board: Type.Enum([...BOARDS], {
    type: 'string',
    description: 'all counts every payment; today counts those of the current UTC day.',
  }),
})

/** Strings, as in an address: types are not converted. */
export const BoardQuery = Type.Object(
  {
    cursor: Type.Optional(Type.String({ description: 'nextCursor of the previous page. By default, the first page.' })),
    limit: Type.Optional(
      Type.String({
        pattern: '^([1-9][0-9]?|100)$',
        description: `Entries on a page: a whole number from 1 to ${BOARD_PAGE_MAX}. By default, ${BOARD_PAGE_DEFAULT}.`,
      }),
    ),
  },
  { additionalProperties: false },
)
export type BoardQuery = Static<typeof BoardQuery>

/** One page of a board, by rank. */
export const BoardPage = Type.Object(
  {
    board: Type.Enum([...BOARDS], { type: 'string' }),
    placement: Type.Literal('paid', { description: 'Every place on this board is paid for.' }),
    notice: Type.String({ description: 'A sentence that says so, to show next to the board.' }),
    currency: Type.Literal('usd'),
    day: Type.Union([Type.String({ format: 'date' }), Type.Null()], {
      description: 'The UTC day that the today board counts; null for all.',
    }),
    endsAt: Type.Union([Type.Integer(), Type.Null()], {
      description: 'When the today board resets, in Unix milliseconds; null for all.',
    }),
    entries: Type.Array(
      Type.Object({
        rank: Type.Integer({
          minimum: 1,
          description: 'Higher totals first; if equal, the one that was reached first.',
        }),
        productUrl: Type.String({ format: 'uri', description: 'Public page of the listing.' }),
        title: Type.String(),
        totalCents: Type.Integer({
          minimum: 1,
          description: 'Verified payments on this board, less refunds and disputes.',
        }),
        reachedAt: Type.Integer({
          description: 'Unix milliseconds: when the last payment in the total was made.',
        }),
        ownerVerifiedSince: Type.Union([Type.Integer(), Type.Null()], {
          description:
            'Unix milliseconds: when the owner proved the website; null if nobody did, or the proof is gone.',
        }),
      }),
    ),
    nextCursor: Type.Union([Type.String(), Type.Null()], {
      description: 'For the next page; null on the last.',
    }),
  },
  { title: 'BoardPage' },
)
export type BoardPage = Static<typeof BoardPage>

export const boardSchema = {
  operationId: 'getBoard',
  summary: 'Read a page of a board of paid places',
  description:
    'Public, also for browsers from any origin. You can cache it for ten seconds, and revalidate with its ETag.',
  tags: ['boards'],
  params: BoardParams,
  querystring: BoardQuery,
  response: {
    200: { ...BoardPage, description: 'Paid places, in the order of rank.' },
    304: { type: 'null', description: 'Unchanged since the ETag in If-None-Match.' },
    ...errorResponses([
      'invalid_request',
      'not_found',
      'invalid_body',
      'invalid_cursor',
      'invalid_limit',
      'internal_error',
      'payment_evidence_unavailable',
    ]),
  },
} as const

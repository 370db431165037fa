import Type, { type Static } from 'typebox'
import { CATEGORIES } from './categories.ts'
import { errorResponses } from './errors.ts'
import { ListingId } from './listings.ts'
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

const nextCursor = Type.Union([Type.String(), Type.Null()], { description: 'For the next page; null on the last.' })

const ENTRY = {
  id: ListingId,
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
    description: 'Unix milliseconds: when the owner proved the website; null if no one did, or the proof is gone.',
  }),
}

const PAID = {
  placement: Type.Literal('paid', { description: 'Every place on this board is paid for.' }),
  notice: Type.String({ description: 'A sentence that says so, to show next to the board.' }),
  currency: Type.Literal('usd'),
}

/** One page of a board, by rank. */
export const BoardPage = Type.Object(
  {
    board: Type.Enum([...BOARDS], { type: 'string' }),
    ...PAID,
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
        ...ENTRY,
      }),
    ),
    nextCursor,
  },
  { title: 'BoardPage' },
)
export type BoardPage = Static<typeof BoardPage>

const countedEntries = Type.Array(
  Type.Object({
    rank: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
      description: 'Higher totals first; if equal, the one that was reached first. Counted up to 1000; null beyond.',
    }),
    ...ENTRY,
  }),
)

/** One page of the board of a day that is over, by the present value of its payments. */
export const DayBoardPage = Type.Object(
  { day: Type.String({ format: 'date', description: 'UTC.' }), ...PAID, entries: countedEntries, nextCursor },
  { title: 'DayBoardPage' },
)
export type DayBoardPage = Static<typeof DayBoardPage>

/** One page of the board of a category: the places of all time in this category. */
export const CategoryBoardPage = Type.Object(
  { category: Type.String(), ...PAID, entries: countedEntries, nextCursor },
  { title: 'CategoryBoardPage' },
)
export type CategoryBoardPage = Static<typeof CategoryBoardPage>

export const DayParams = Type.Object({
  day: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', description: 'A UTC day that is over, as YYYY-MM-DD.' }),
})
export const CategoryParams = Type.Object({
  category: Type.Enum([...CATEGORIES], { type: 'string', description: 'English category ID, encoded for an address.' }),
})

const OF_PLACES = [
  'invalid_request',
  'invalid_body',
  'invalid_cursor',
  'invalid_limit',
  'rate_limited',
  'internal_error',
  'payment_evidence_unavailable',
] as const
const unchanged = { type: 'null', description: 'Unchanged since the ETag in If-None-Match.' } as const

export const dayBoardSchema = {
  operationId: 'getDayBoard',
  summary: 'Read a page of the board of a past day',
  description:
    'By what its payments count for now: refunds, disputes and hidden listings are left out. Public, also for browsers from any origin.',
  tags: ['boards'],
  params: DayParams,
  querystring: BoardQuery,
  response: {
    200: { ...DayBoardPage, description: 'Paid places, in the order of rank.' },
    304: unchanged,
    ...errorResponses([...OF_PLACES, 'not_found']),
  },
} as const

export const categoryBoardSchema = {
  operationId: 'getCategoryBoard',
  summary: 'Read a page of the board of a category',
  description: 'The board of all time, only of one category. Public, also for browsers from any origin.',
  tags: ['boards'],
  params: CategoryParams,
  querystring: BoardQuery,
  response: {
    200: { ...CategoryBoardPage, description: 'Paid places, in the order of rank.' },
    304: unchanged,
    ...errorResponses([...OF_PLACES, 'unknown_category']),
  },
} as const

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

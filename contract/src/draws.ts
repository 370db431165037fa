import Type, { type Static } from 'typebox'
import { errorResponses } from './errors.ts'
import { DRAW_DAYS_BETWEEN, DRAW_SIZE } from './limits.ts'
import { ListingId } from './listings.ts'

export const DrawParams = Type.Object({
  day: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', description: 'A UTC day, as YYYY-MM-DD.' }),
})

/** The draw of a day, with all that is needed to repeat it. */
export const Draw = Type.Object(
  {
    day: Type.String({ format: 'date' }),
    drawnAt: Type.Integer({ description: 'Unix milliseconds.' }),
    notice: Type.String({ description: 'How to repeat the draw, in a few sentences.' }),
    algorithm: Type.Integer({ minimum: 1, description: 'The number of the rules. This document describes 1.' }),
    seed: Type.String({ description: 'The root of the public log at midnight: 64 hexadecimal digits.' }),
    logSize: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
      description: 'How many entries the log had then. Null if the draw is older than the log.',
    }),
    candidates: Type.Object({
      count: Type.Integer({ minimum: 0 }),
      sha256: Type.String({ description: 'SHA-256 of all pages, one after the other.' }),
      pages: Type.Integer({ minimum: 0 }),
      url: Type.Union([Type.String({ format: 'uri' }), Type.Null()], {
        description:
          'Page n is at this address followed by `/n.txt`: slugs in the order of the draw, each followed by a line feed. A page never changes. Null once the list is deleted, 90 days after the draw.',
      }),
    }),
    drawn: Type.Array(
      Type.Object({
        place: Type.Integer({ minimum: 1 }),
        id: ListingId,
        slug: Type.String(),
        lot: Type.String({ description: 'SHA-256 of seed, a zero byte and slug, in hexadecimal digits.' }),
        productUrl: Type.Union([Type.String({ format: 'uri' }), Type.Null()], {
          description: 'Public page of the listing; null if it is no longer up.',
        }),
        title: Type.Union([Type.String(), Type.Null()]),
      }),
      { maxItems: DRAW_SIZE, description: 'The lowest lots, the lowest first.' },
    ),
  },
  { title: 'Draw' },
)
export type Draw = Static<typeof Draw>

export const drawSchema = {
  operationId: 'getDraw',
  summary: 'Read the ten listings that were drawn by lot on a day',
  description: `Each day at midnight UTC, ${DRAW_SIZE} published listings are drawn by lot. Each has the same chance, paid or not, once in ${DRAW_DAYS_BETWEEN} days at most. Public, also for browsers from any origin.`,
  tags: ['draws'],
  params: DrawParams,
  response: {
    200: { ...Draw, description: 'The draw of that day.' },
    304: { type: 'null', description: 'Unchanged since the ETag in If-None-Match.' },
    ...errorResponses(['invalid_request', 'not_found', 'invalid_body', 'internal_error', 'not_ready']),
  },
} as const

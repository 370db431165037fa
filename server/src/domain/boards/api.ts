import {
  BOARD_PAGE_DEFAULT,
  BOARDS,
  BOARDS_PATH,
  type Board,
  type BoardPage,
  type BoardQuery,
  boardSchema,
  type Category,
  type CategoryBoardPage,
  categoryBoardSchema,
  type DayBoardPage,
  dayBoardSchema,
} from '@placard/contract'
import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { TAGS } from '../../platform/cdn/tags.ts'
import type { Page, PageWanted } from '../../platform/db/keyset.ts'
import { readingFor } from '../../platform/db/store.ts'
import { cachedReplies } from '../../platform/http/cached-replies.ts'
import { clientNetworks } from '../../platform/http/client-address.ts'
import { boardCache, CACHE } from '../../platform/http/headers.ts'
import type { Links, SiteParts } from '../../platform/http/links.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { Problem } from '../../platform/http/problem.ts'
import { JSON_TYPE, sendPublic, tagged } from '../../platform/http/send.ts'
import { nextMidnight, utcDay } from '../../platform/lib/time.ts'
import { agedHeaders, type LastRead, readBoardPage, type StaleCache } from './first-page.ts'
import { type BoardCursor, type ListedPlace, readAtCursor, readCategoryBoard } from './listed-places.ts'
import { readDay } from './past-days.ts'

export interface BoardDependencies extends SiteParts {
  staleCache: StaleCache
}

/** Of two boards, in the sizes that our own pages and programs ask for. Each takes up to 60 KB. */
const PAGES_KEPT = 50

const NOTICE =
  'Places on this board are paid for: rank is the sum of verified payments in US dollars, net of refunds and disputes.'

const PLAY_NOTICE =
  'This site uses play money. It is for testing, and no one is charged: rank is the sum of test payments, net of refunds and disputes.'

/** Adds GET /api/v1/boards/{all|today}: a page of paid places, as public data. */
export function boardRoute(app: FastifyInstance, deps: BoardDependencies): void {
  const pages = cachedReplies(deps.store, {
    name: 'board_data',
    keyOf: ({ board, limit, cursor }: BoardQuery & { board: Board }) => JSON.stringify([board, limit, cursor]),
    max: PAGES_KEPT,
    async read({ board, ...query }, now, failure) {
      const { value, asOf } = await boardPage(deps, board, query, now, failure)
      const until = asOf === undefined ? (value.endsAt ?? Number.POSITIVE_INFINITY) : now
      return { page: tagged(Buffer.from(JSON.stringify(value))), asOf, until }
    },
  })
  // Other names are 404.
  app.get<{ Params: { board: Board }; Querystring: BoardQuery }>(
    `${BOARDS_PATH}/:board(${BOARDS.join('|')})`,
    { schema: boardSchema, ...OPEN },
    async (request, reply) => {
      const now = deps.clock()
      const { board } = request.params
      const { page, asOf } = await pages({ board, ...request.query }, now)
      // Pages count down by the server's clock, because a visitor's clock may be wrong.
      reply.header('date', new Date(now).toUTCString())
      if (asOf !== undefined) return reply.headers(agedHeaders(asOf, now)).type(JSON_TYPE).send(page.body)
      return sendPublic(request, reply, page, {
        mediaType: JSON_TYPE,
        cache: boardCache(board, now),
        tags: [TAGS.board(board)],
      })
    },
  )
}

/** Adds the boards of past days and of categories, as public data. */
export function furtherBoardRoutes(
  app: FastifyInstance,
  { store, links, clock }: BoardDependencies,
  onRequest: onRequestHookHandler,
): void {
  const sending = { mediaType: JSON_TYPE, cache: CACHE.home }

  app.get<{ Params: { day: string }; Querystring: BoardQuery }>(
    `${BOARDS_PATH}/days/:day`,
    { schema: dayBoardSchema, ...OPEN, onRequest },
    async (request, reply) => {
      const { day } = request.params
      const today = utcDay(clock())
      const reading = readingFor(store, clientNetworks(request))
      if (day >= today) throw noDay(day, today)
      const { rows, nextCursor } = await places(request.query, day, wanted => readDay(reading, day, wanted))
      if (rows.length === 0 && request.query.cursor === undefined) throw noDay(day, today)
      const page: DayBoardPage = { day, ...paidOn(links), entries: rows, nextCursor }
      return sendPublic(request, reply, JSON.stringify(page), { ...sending, tags: [TAGS.days] })
    },
  )

  app.get<{ Params: { category: Category }; Querystring: BoardQuery }>(
    `${BOARDS_PATH}/categories/:category`,
    { schema: categoryBoardSchema, ...OPEN, onRequest },
    async (request, reply) => {
      const { category } = request.params
      const read = (wanted: PageWanted<BoardCursor>) => readCategoryBoard(store, category, wanted)
      const { rows, nextCursor } = await places(request.query, category, read)
      const page: CategoryBoardPage = { category, ...paidOn(links), entries: rows, nextCursor }
      return sendPublic(request, reply, JSON.stringify(page), {
        ...sending,
        tags: [TAGS.board(category), TAGS.categories],
      })
    },
  )

  /** @throws Problem invalid_cursor, payment_evidence_unavailable */
  async function places(
    { cursor, limit = String(BOARD_PAGE_DEFAULT) }: BoardQuery,
    board: string,
    read: (wanted: PageWanted<BoardCursor>) => Promise<Page<ListedPlace>>,
  ) {
    const { rows, nextCursor = null } = await readAtCursor(board, cursor, after =>
      read({ after, limit: Number(limit) }),
    )
    return { rows: rows.map(row => ({ rank: row.rank ?? null, ...entryOf(row, links) })), nextCursor }
  }
}

const noDay = (day: string, today: string): Problem =>
  new Problem('not_found', {
    message:
      day === today
        ? `This day is not over. Its board is at ${BOARDS_PATH}/today.`
        : `No listing has a paid place on ${day}. Name a UTC day that is over, as YYYY-MM-DD.`,
  })

/**
 * Returns a page of a board for programs. It changes only with payments and at midnight, so its ETag stays valid. While
 * the database is unreachable, a first page is the one that was read last, and its notice says so.
 *
 * @param failure why the database is unreachable, if that is known
 * @throws Problem invalid_cursor, payment_evidence_unavailable
 */
export async function boardPage(
  deps: Pick<BoardDependencies, 'store' | 'links' | 'staleCache'>,
  board: Board,
  query: BoardQuery,
  now: number,
  failure?: unknown,
): Promise<LastRead<BoardPage>> {
  const limit = Number(query.limit ?? BOARD_PAGE_DEFAULT)
  const wanted = { board, cursor: query.cursor, limit }
  const { rows, nextCursor = null, asOf } = await readBoardPage(deps, wanted, now, failure)
  const paid = paidOn(deps.links)
  const page: BoardPage = {
    board,
    ...paid,
    ...(asOf !== undefined && { notice: `${paid.notice} ${agedNotice(asOf, deps.links)}` }),
    day: board === 'today' ? utcDay(now) : null,
    endsAt: board === 'today' ? nextMidnight(now) : null,
    entries: rows.map(row => ({ rank: row.rank, ...entryOf(row, deps.links) })),
    nextCursor,
  }
  return { value: page, asOf }
}

const paidOn = ({ site }: Links) =>
  ({ placement: 'paid', notice: site.isMoneyPlay ? PLAY_NOTICE : NOTICE, currency: 'usd' }) as const

const entryOf = ({ id, slug, title, totalCents, reachedAt, provenAt }: Omit<ListedPlace, 'rank'>, links: Links) => ({
  id,
  productUrl: links.product(slug),
  title,
  totalCents,
  reachedAt,
  ownerVerifiedSince: provenAt,
})

const agedNotice = (asOf: number, { site }: Links) =>
  `The database is unreachable. These are only the first places, as of ${new Date(asOf).toISOString()}.${site.sellsPlaces ? ' No place can be bought until it is back.' : ''}`

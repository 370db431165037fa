import { BOARDS, type Board } from '@placard/contract'
import type { FastifyInstance } from 'fastify'
import { readWinners, type Winner } from '../../domain/boards/past-days.ts'
import { type PlaceTaken, readPlacesTaken } from '../../domain/boards/places-taken.ts'
import { TAGS } from '../../platform/cdn/tags.ts'
import { paidWords } from '../../platform/config/site.ts'
import { boardCache, CACHE } from '../../platform/http/headers.ts'
import type { Links } from '../../platform/http/links.ts'
import { dayText } from '../../platform/lib/text.ts'
import { DAY_MS, utcDay } from '../../platform/lib/time.ts'
import { FEED_LENGTH, type FeedEntry, sendFeed } from '../ui/atom.ts'
import { BOARD_NAMES, feedPath } from '../ui/format.ts'
import type { Needs } from '../ui/page-parts.ts'
import { dayPath, lastDayBefore, monthOf, monthPath } from './day-paths.ts'

/** Leads to the present month, so that the feed of all past days has an address that stays. */
const PAST_DAYS_PATH = '/board/past'

/** The feed that each past day and month announces. One of a single day would never change. */
export const PAST_DAYS_FEED = { path: feedPath(PAST_DAYS_PATH), title: 'Past days' }

export const boardFeed = (board: Board) => ({ path: feedPath(`/board/${board}`), title: BOARD_NAMES[board] })

/** The feeds of both boards and of past days. */
export function boardFeeds(app: FastifyInstance, { links, store, clock }: Needs<'links' | 'store' | 'clock'>): void {
  // Each has a route of its own: behind a parameter, `feed.atom` would be read as a past day.
  for (const board of BOARDS) {
    app.get(boardFeed(board).path, async (request, reply) => {
      const now = clock()
      const words = {
        ...boardFeed(board),
        page: `/board/${board}`,
        subtitle: 'Payments that took one of the first ten places.',
      }
      const entries = await takenLately(board, now)
      const sending = { cache: boardCache(board, now), tags: [TAGS.board(board)], links }
      return sendFeed(request, reply, { ...words, entries }, sending)
    })
  }

  app.get(PAST_DAYS_FEED.path, async (request, reply) => {
    const today = utcDay(clock())
    const month = monthOf(today)
    const [latest, earlier] = await Promise.all(
      [month, monthOf(lastDayBefore(month))].map(each => readWinners(store, { month: each, before: today })),
    )
    const winners = [...(earlier ?? []), ...(latest ?? [])].reverse().slice(0, FEED_LENGTH)
    const words = { ...PAST_DAYS_FEED, page: PAST_DAYS_PATH, subtitle: 'Each day’s No. 1.' }
    const entries = winners.map(winner => winnerEntry(winner, links))
    return sendFeed(request, reply, { ...words, entries }, { cache: CACHE.home, tags: [TAGS.days], links })
  })

  app.get(PAST_DAYS_PATH, async (_request, reply) =>
    reply.header('cache-control', 'no-cache').redirect(monthPath(utcDay(clock()))),
  )
  app.get('/board/today/:day/feed.atom', async (_request, reply) =>
    reply.header('cache-control', 'no-cache').redirect(PAST_DAYS_FEED.path, 308),
  )

  /** On the board of today, also what was taken yesterday: a reader may not look between the last change and midnight. */
  async function takenLately(board: Board, now: number): Promise<FeedEntry[]> {
    const times = board === 'today' ? [now, now - DAY_MS] : [now]
    const taken = await Promise.all(
      times.map(async at => {
        const places = await readPlacesTaken(store, { boards: [board], limit: FEED_LENGTH }, at)
        return places.map(place => takenEntry(place, utcDay(at), links))
      }),
    )
    return taken.flat().slice(0, FEED_LENGTH)
  }
}

/** @param day of the board: a payment of the day before may arrive after midnight */
function takenEntry({ board, slug, title, rank, at }: PlaceTaken, day: string, links: Links): FeedEntry {
  const where = board === 'today' ? `on ${dayText(Date.parse(day))}` : 'of all time'
  return {
    id: `${links.base}/board/${board}#${slug}-${at}`,
    href: links.product(slug),
    title: `No. ${rank} ${where}: ${title}`,
    summary: `${title} took No. ${rank} ${where}. ${paidWords(links.site).sentence}.`,
    at,
  }
}

function winnerEntry({ day, title }: Winner, links: Links): FeedEntry {
  const text = dayText(Date.parse(day))
  const href = links.base + dayPath(day)
  return {
    id: href,
    href,
    title: `${text}: ${title}`,
    summary: `No. 1 of ${text}, after refunds: ${title}. ${paidWords(links.site).sentence}.`,
    at: Date.parse(day) + DAY_MS,
  }
}

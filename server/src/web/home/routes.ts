import type { FastifyInstance } from 'fastify'
import { LINK_HEADER } from '../../agents/discovery/facts.ts'
import { readBoard } from '../../domain/boards/board.ts'
import { agedHeaders, withoutPicture } from '../../domain/boards/first-page.ts'
import { type PlaceTaken, readPlacesTaken } from '../../domain/boards/places-taken.ts'
import { readPicks } from '../../domain/featured/feature.ts'
import { readDrawn } from '../../domain/featured/read-draw.ts'
import { newest } from '../../domain/listings/discovery.ts'
import { nextEnd } from '../../domain/listings/listed-row.ts'
import { TAGS } from '../../platform/cdn/tags.ts'
import { cachedReplies } from '../../platform/http/cached-replies.ts'
import { homeCache, LIVE_HEADERS } from '../../platform/http/headers.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { sendHtml, sendPublic } from '../../platform/http/send.ts'
import { MINUTE_MS, minuteOf, utcDay } from '../../platform/lib/time.ts'
import { ifPossible } from '../boards/routes.ts'
import { renderOnce } from '../ui/layout.tsx'
import type { Needs } from '../ui/page-parts.ts'
import { submissionWindow } from '../ui/time.tsx'
import { type Home, PLACES_SHOWN, renderHome } from './page.tsx'
import type { TopEntry } from './top-places.tsx'

type HomeDependencies = Needs<'links' | 'store' | 'staleCache' | 'marks' | 'counts' | 'submissionsEndAt' | 'clock'>

/** The part of the page that is read from the database. */
type Read = Pick<Home, 'listings' | 'tops' | 'taken' | 'counts' | 'drawn' | 'pick'>

/** On the widest screens. */
const NEWEST_SHOWN = 10
const TAKEN_SHOWN = 4
/** Some of these places may be below those that the page shows. */
const TAKEN_READ = 12

/** GET /: the home page. It is shown without boards if the ledger can't be read. */
export function homeRoutes(app: FastifyInstance, deps: HomeDependencies): void {
  const { links, store, staleCache, marks, counts, submissionsEndAt, clock } = deps
  const render = renderOnce((home: Home) => renderHome(home, links))
  const home = { read: readHome, isWhole: ({ tops }: Read) => tops !== undefined }
  const pages = cachedReplies(store, { name: 'home', keyOf: () => '', max: 1, read: pageAt })

  app.get('/', OPEN, async (request, reply) => {
    const now = clock()
    const { page, asOf, hasTops } = await pages(undefined, now)
    reply.headers(LIVE_HEADERS).header('link', LINK_HEADER)
    if (asOf !== undefined) return sendHtml(reply.headers(agedHeaders(asOf, now)), 200, page.body)
    marks.take('all', now)
    marks.take('today', now)
    return sendPublic(request, reply, page, {
      cache: hasTops ? homeCache(now) : 'no-cache',
      ...(hasTops && { tags: [TAGS.home] }),
    })
  })

  async function pageAt(_: undefined, now: number, failure?: unknown) {
    const read = failure === undefined ? home : { ...home, read: (): Promise<Read> => Promise.reject(failure) }
    const { value, asOf } = await staleCache.read('home', read, now)
    const minute = minuteOf(now)
    const page = render({
      ...value,
      ...(asOf !== undefined && aged(value, asOf, now)),
      submissions: submissionWindow(submissionsEndAt, now),
      now: minute,
    })
    const { listings, tops, taken, drawn, pick } = value
    const closesAt = { expiresAt: submissionsEndAt ?? null }
    const changesAt = nextEnd([...listings, ...drawn, ...(pick ? [pick] : []), closesAt], now)
    const isWhole = asOf === undefined && tops !== undefined && taken !== undefined
    return { page, asOf, hasTops: tops !== undefined, until: isWhole ? Math.min(minute + MINUTE_MS, changesAt) : now }
  }

  async function readHome(now: number): Promise<Read> {
    const [{ rows }, tops, taken, ofCategories, drawn, [pick]] = await Promise.all([
      newest(store, { now, limit: NEWEST_SHOWN }),
      readTops(now),
      takenLately(now),
      counts(now),
      readDrawn(store, utcDay(now), now),
      readPicks(store, { now, limit: 1 }),
    ])
    return { listings: rows, tops, taken, counts: ofCategories, drawn, pick }
  }

  const readTops = (now: number): Promise<Home['tops']> =>
    ifPossible(app.log, 'could not read the boards for the home page', async () => {
      const [all, today] = await Promise.all([top('all', now), top('today', now)])
      return { all, today }
    })

  /** Only of the places that the page shows, because the page is purged when one of them changes. */
  async function takenLately(now: number): Promise<PlaceTaken[] | undefined> {
    const message = 'could not read what moved on the boards for the home page'
    const taken = await ifPossible(app.log, message, () => readPlacesTaken(store, { limit: TAKEN_READ }, now))
    return taken?.filter(({ rank }) => rank <= PLACES_SHOWN).slice(0, TAKEN_SHOWN)
  }

  async function top(board: 'all' | 'today', now: number): Promise<TopEntry[]> {
    const { rows } = await readBoard(store, { board, limit: PLACES_SHOWN }, now)
    return rows.map(({ reachedAt, destinationKey, description, ...shown }) => shown)
  }
}

/** Returns what can still be shown of data that was read at `asOf`. Yesterday's board is not today's. */
const aged = ({ listings, tops, drawn, pick }: Read, asOf: number, now: number) => ({
  asOf,
  listings: listings.map(withoutPicture),
  drawn: utcDay(asOf) === utcDay(now) ? drawn.map(withoutPicture) : [],
  pick: pick && withoutPicture(pick),
  tops: tops && {
    all: tops.all.map(withoutPicture),
    today: utcDay(asOf) === utcDay(now) ? tops.today?.map(withoutPicture) : undefined,
  },
})

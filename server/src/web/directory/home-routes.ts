import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LINK_HEADER } from '../../announce/facts.ts'
import { readBoard } from '../../boards/board.ts'
import type { BoardMarks } from '../../boards/marks.ts'
import { homeCache } from '../../http/headers.ts'
import type { Links } from '../../http/links.ts'
import { sendPublic } from '../../http/send.ts'
import { newest } from '../../listings/discovery.ts'
import type { Store } from '../../storage/store.ts'
import type { TopEntry } from '../boards/top.tsx'
import { renderOnce } from '../ui/render-once.ts'
import { type Home, renderHome } from './home.tsx'
import { submissionWindow } from './submission-window.ts'

interface HomeDependencies {
  links: Links
  store: Store
  marks: BoardMarks
  /** Unix milliseconds. */
  submissionsEndAt: number | undefined
  clock: () => number
}

const NEWEST_SHOWN = 24
const PLACES_SHOWN = 7
const MINUTE_MS = 60_000

/** GET /: the home page. It stays up when the ledger cannot be read. */
export async function homeRoutes(app: FastifyInstance, deps: HomeDependencies): Promise<void> {
  const { links, store, marks, submissionsEndAt, clock } = deps
  const render = renderOnce((home: Home) => renderHome(home, links))

  app.get('/', async (request, reply) => {
    const now = clock()
    const [{ listings }, tops] = await Promise.all([
      newest(store, { now, limit: NEWEST_SHOWN }),
      readTops(request, now),
    ])
    marks.take('all', now)
    marks.take('today', now)
    const submissions = submissionWindow(submissionsEndAt, now)
    const page = render({
      listings,
      tops,
      submissions,
      now: Math.floor(now / MINUTE_MS) * MINUTE_MS,
    })
    reply.header('link', LINK_HEADER)
    return sendPublic(request, reply, page, { cache: tops ? homeCache(now) : 'no-cache' })
  })

  async function readTops(request: FastifyRequest, now: number): Promise<Home['tops']> {
    try {
      const [all, today] = await Promise.all([top('all', now), top('today', now)])
      return { all, today }
    } catch (err) {
      request.log.warn({ err }, 'could not read the boards for the home page')
      return undefined
    }
  }

  async function top(board: 'all' | 'today', now: number): Promise<TopEntry[]> {
    const { entries } = await readBoard(store, { board, limit: PLACES_SHOWN }, now)
    return entries.map(({ reachedAt, destinationKey, description, ...shown }) => shown)
  }
}

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { findPromotable } from '../../domain/checkout/price.ts'
import { CACHE, LIVE_HEADERS, PASSING_HEADERS } from '../../platform/http/headers.ts'
import { LIST_PATH } from '../../platform/http/links.ts'
import { rateLimit } from '../../platform/http/rate-limits/rate-limit.ts'
import { sendHtml, sendPublic } from '../../platform/http/send.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'
import type { Needs } from '../ui/page-parts.ts'
import { submissionWindow } from '../ui/time.tsx'
import { type ListForm, readListForm } from './address-field.tsx'
import { type EarlierListing, renderList } from './page.tsx'
import { selfRoutes } from './self-routes.ts'

type ListRequest = FastifyRequest<{ Querystring: { address?: unknown; category?: unknown } }>

/** Per client, as for searches: each one queries the database. */
export const LOOKUPS_PER_MINUTE = 60

/** How a person starts: with a prompt for an agent, or without one. */
export async function listRoutes(
  app: FastifyInstance,
  deps: PromptDependencies & Parameters<typeof selfRoutes>[1],
): Promise<void> {
  promptRoutes(app, deps)
  await app.register(selfRoutes, deps)
}

type PromptDependencies = Needs<'links' | 'store' | 'allowances' | 'submissionsEndAt' | 'clock'>

/** GET /list: makes a prompt for a person’s agent, and publishes nothing. */
function promptRoutes(app: FastifyInstance, deps: PromptDependencies): void {
  const { links, store, allowances, submissionsEndAt, clock } = deps
  const onRequest = rateLimit(allowances, {
    name: 'lookupsPerMinutePerIp',
    max: LOOKUPS_PER_MINUTE,
    windowMs: MINUTE_MS,
  })

  app.get(LIST_PATH, { onRequest }, async (request: ListRequest, reply) => {
    reply.headers(LIVE_HEADERS)
    const asked = readListForm(request.query, links)
    const now = clock()
    const closed =
      submissionsEndAt !== undefined && now >= submissionsEndAt ? submissionWindow(submissionsEndAt, now) : undefined
    const html = renderList({ links, asked, closed, found: asked && (await find(asked, now)) })
    if (!asked) return sendPublic(request, reply, html, { cache: CACHE.home, tags: [] })
    reply.headers(PASSING_HEADERS)
    return sendHtml(reply, 200, html)
  })

  /** Returns the listing of the address, if any. Fetches and stores nothing. */
  async function find({ destination }: ListForm, now: number): Promise<EarlierListing | undefined> {
    if (!destination) return undefined
    const { isDown, ...known } = await findPromotable(store.db, destination.key, now)
    if (isDown) return 'down'
    return 'listing' in known ? known.listing : undefined
  }
}

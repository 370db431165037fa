import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readHost } from '../../domain/destinations/hostname.ts'
import { readFeatured } from '../../domain/featured/feature.ts'
import { findListing } from '../../domain/listings/listing.ts'
import { findListings, historyOf, newestByPeople } from '../../domain/moderation/console/history.ts'
import { CASES_SHOWN, countWaiting, readCase, readQueue } from '../../domain/moderation/console/queue.ts'
import { type ConsoleSession, endSession, findSession, isRecent } from '../../domain/moderation/console/sessions.ts'
import { listingsOfHost } from '../../domain/moderation/moderate.ts'
import { findLink } from '../../domain/ownership/renew-link.ts'
import { unplacedPayments } from '../../domain/payments/unplaced.ts'
import { blockOf, listBlocks } from '../../domain/review/reviewers/blocked-hosts.ts'
import { PRIVATE_HEADERS } from '../../platform/http/headers.ts'
import { Problem } from '../../platform/http/problem.ts'
import { requireSameOrigin } from '../../platform/http/request-checks.ts'
import { sendHtml } from '../../platform/http/send.ts'
import { sentConsole, takeConsole } from '../ui/cookies.ts'
import { actOnCases, block, decide, settle, unblock, undoLast } from './acts.ts'
import { renderBlocks } from './blocks-page.tsx'
import { renderOutside } from './entry.tsx'
import { entryRoutes } from './entry-routes.ts'
import { feature } from './feature.tsx'
import type { ConsoleView } from './frame.tsx'
import { reissue, term } from './listing-acts.tsx'
import { renderListing } from './listing-page.tsx'
import { renderListings, renderLog, renderPayments } from './lists.tsx'
import { renderQueue } from './queue-page.tsx'
import {
  backFrom,
  type ConsoleDependencies,
  FORM_MAX_BYTES,
  type Form,
  filterFrom,
  say,
  type Visit,
} from './request.ts'
import { addOwn, change, invite, removeOwn, users } from './users.tsx'

/** The operator's console. Without a session, its pages only say how to get a link. */
export async function consoleRoutes(app: FastifyInstance, deps: ConsoleDependencies): Promise<void> {
  const { store, links, clock } = deps
  const ownPageOnly = requireSameOrigin(links)

  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(PRIVATE_HEADERS)
  })

  entryRoutes(app, deps, inConsole)

  see('/console', queue)
  see('/console/listings', listings)
  see('/console/listing/:slug', listing)
  see('/console/payments', payments)
  see('/console/blocks', blocks)
  see('/console/log', log)
  see('/console/users', users)
  app.get('/console/counts', async (request, reply) =>
    (await inConsole(request)) ? countWaiting(store) : reply.code(403).send({ ended: true }),
  )

  act('act', actOnCases)
  act('appeal', decide)
  act('payment', settle)
  act('block', block)
  act('unblock', unblock)
  act('term', term)
  act('reissue', recently(reissue))
  act('feature', feature)
  act('undo', undoLast)
  act('passkey', recently(addOwn))
  act('passkey-remove', recently(removeOwn))
  act('invite', recently(invite))
  act('user', recently(change))
  act('end', async (_deps, { view, reply }) => {
    await endSession(store, view.session)
    return sendHtml(takeConsole(reply, links), 200, renderOutside(links, 'left'))
  })

  function see(path: string, show: (deps: ConsoleDependencies, visit: Visit) => Promise<unknown>): void {
    app.get(path, async (request, reply) => {
      const session = await inConsole(request)
      if (!session) return sendHtml(reply, 403, renderOutside(links, 'none'))
      return show(deps, { view: await viewOf(session), request, reply })
    })
  }

  /** A form of the console. */
  function act(name: string, perform: Perform): void {
    app.post(`/console/${name}`, { onRequest: ownPageOnly, bodyLimit: FORM_MAX_BYTES }, async (request, reply) => {
      const session = await inConsole(request)
      if (!session) return sendHtml(reply, 403, renderOutside(links, 'none'))
      return perform(deps, { view: await viewOf(session), request, reply }, (request.body ?? {}) as Form)
    })
    // A refused action leaves the browser at this address: reopening it leads back.
    app.get(`/console/${name}`, (_request, reply) => reply.redirect('/console', 302))
  }

  async function viewOf(session: ConsoleSession): Promise<ConsoleView> {
    return { links, session, counts: await countWaiting(store), now: clock() }
  }

  /** Browsers send no Strict cookie from other websites, so a request with one from elsewhere is refused. */
  async function inConsole(request: FastifyRequest): Promise<ConsoleSession | undefined> {
    const site = request.headers['sec-fetch-site'] ?? 'none'
    if (site !== 'none' && site !== 'same-origin') return undefined
    return findSession(store.db, sentConsole(request, links), clock())
  }
}

type Perform = (deps: ConsoleDependencies, visit: Visit, form: Form) => Promise<unknown>

/**
 * For what would give the thief of a session another way in, or access to listings. Without a recent sign-in, it leads
 * to the page of the form, which asks for one.
 */
const recently =
  (perform: Perform): Perform =>
  async (deps, visit, form) => {
    if (isRecent(visit.view.session, visit.view.now)) return perform(deps, visit, form)
    await say(deps, visit, 'Nothing changed. Sign in again first.')
    return visit.reply.redirect(backFrom({ from: 'users', ...form }), 303)
  }

const REPORTS_SHOWN = 50
const PAYMENTS_SHOWN = 100
const BLOCKS_SHOWN = 100

type Fields = Record<string, unknown>

async function queue({ store }: ConsoleDependencies, { view, request, reply }: Visit) {
  const query = request.query as Fields
  const filter = filterFrom(query)
  const found = await readQueue(store, filter)
  return sendHtml(reply, 200, renderQueue({ view, queue: found, filter, areAllSelected: query.select === 'all' }))
}

async function listing({ store }: ConsoleDependencies, { view, request, reply }: Visit) {
  const { slug } = request.params as { slug: string }
  const known = await findListing(store.db, slug)
  const found = known && (await readCase(store, Number(known.id), REPORTS_SHOWN))
  if (!found) throw new Problem('not_found')
  const { id, hostname } = found.listing
  const [decisions, link, featured, block] = await Promise.all([
    historyOf(store.db, id),
    findLink(store.db, id),
    readFeatured(store.db, id),
    blockOf(store, hostname),
  ])
  return sendHtml(reply, 200, renderListing({ view, found, decisions, link, featured, block }))
}

async function listings({ store, clock }: ConsoleDependencies, { view, request, reply }: Visit) {
  const { q } = request.query as Fields
  const query = typeof q === 'string' ? q.trim() : ''
  return sendHtml(reply, 200, renderListings(view, await findListings(store, query, clock()), query))
}

async function payments({ store }: ConsoleDependencies, { view, reply }: Visit) {
  return sendHtml(reply, 200, renderPayments(view, await unplacedPayments(store, PAYMENTS_SHOWN)))
}

async function log({ store }: ConsoleDependencies, { view, reply }: Visit) {
  return sendHtml(reply, 200, renderLog(view, await newestByPeople(store.db)))
}

/** The blocked hosts. With a host, also its listings, and the form that blocks it. */
async function blocks({ store, links, clock }: ConsoleDependencies, { view, request, reply }: Visit) {
  const { host: typed, below } = request.query as Fields
  const known = await listBlocks(store, BLOCKS_SHOWN, true)
  if (typeof typed !== 'string') return sendHtml(reply, 200, renderBlocks({ view, known }))
  const read = readHost(typed, links.hostname)
  if ('problem' in read) return sendHtml(reply, 400, renderBlocks({ view, known, typed, problem: read.problem }))
  const range = { host: read.host, subdomains: below === 'yes' }
  const [block, listed] = await Promise.all([
    blockOf(store, read.host),
    listingsOfHost(store.db, range, clock(), CASES_SHOWN + 1),
  ])
  const cases = await Promise.all(listed.slice(0, CASES_SHOWN).map(({ id }) => readCase(store, Number(id), 1)))
  const wanted = { range, block, cases: cases.filter(each => each !== undefined) }
  return sendHtml(
    reply,
    200,
    renderBlocks({ view, known, typed, wanted: { ...wanted, areMore: listed.length > CASES_SHOWN } }),
  )
}

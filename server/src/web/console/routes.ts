import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ENTER_PATH } from '../../console/commands.ts'
import {
  CONSOLE_COOKIE,
  type ConsoleSession,
  endSession,
  enterConsole,
  findSession,
} from '../../console/entry.ts'
import { countWaiting } from '../../console/queue.ts'
import { PRIVATE_HEADERS } from '../../http/headers.ts'
import { allowance, tooMany } from '../../http/rate-limit.ts'
import { sendHtml } from '../../http/send.ts'
import { giveConsole, takeConsole } from '../ui/cookies.ts'
import { requireSameOrigin } from '../ui/same-origin.ts'
import { actOnCases, decide, type Form, settle, undoLast } from './acts.ts'
import { type ConsoleView, renderEntry, renderOutside } from './frame.tsx'
import { block, unblock } from './host-acts.ts'
import { reissue, term } from './listing-acts.ts'
import { blocks, listing, listings, log, payments, queue } from './views.ts'
import type { ConsoleDependencies, Visit } from './visit.ts'

/** A link's token has 256 random bits: this only keeps guessing from costing anything. */
const WRONG_LINKS_PER_TEN_MINUTES = 20
const TEN_MINUTES_MS = 10 * 60 * 1000
/** All cases of a page, with an explanation in any characters. */
const FORM_MAX_BYTES = 16 * 1024

/** The operator's console. Without a session, its pages only say how to get a link. */
export async function consoleRoutes(app: FastifyInstance, deps: ConsoleDependencies): Promise<void> {
  const { store, links, clock } = deps
  const ownPageOnly = requireSameOrigin(links)
  const wrongLinks = allowance(deps.allowances, {
    ...{ name: 'wrongConsoleLinks', max: WRONG_LINKS_PER_TEN_MINUTES, windowMs: TEN_MINUTES_MS },
  })

  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(PRIVATE_HEADERS)
  })

  // Looking at a link must not use it up: mail scanners and previews look at links.
  app.get(`${ENTER_PATH}/:token`, (request, reply) => sendHtml(reply, 200, renderEntry(links, request.url)))
  app.get(ENTER_PATH, (_request, reply) => sendHtml(reply, 403, renderOutside(links, 'link')))
  app.post(`${ENTER_PATH}/:token`, { onRequest: ownPageOnly }, async (request, reply) => {
    const { token } = request.params as { token: unknown }
    const session = await enterConsole(store, token, clock())
    if (session === undefined) {
      const problem = await tooMany(wrongLinks, request)
      if (problem) throw problem
      return sendHtml(reply, 403, renderOutside(links, 'link'))
    }
    return giveConsole(reply, session, links).redirect('/console', 303)
  })

  see('/console', queue)
  see('/console/listings', listings)
  see('/console/listing/:slug', listing)
  see('/console/payments', payments)
  see('/console/blocks', blocks)
  see('/console/log', log)
  app.get('/console/counts', async (request, reply) =>
    (await inConsole(request)) ? countWaiting(store) : reply.code(403).send({ ended: true }),
  )

  act('act', actOnCases)
  act('appeal', decide)
  act('payment', settle)
  act('block', block)
  act('unblock', unblock)
  act('term', term)
  act('reissue', reissue)
  act('undo', undoLast)
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
  function act(
    name: string,
    perform: (deps: ConsoleDependencies, visit: Visit, form: Form) => Promise<unknown>,
  ): void {
    app.post(
      `/console/${name}`,
      { onRequest: ownPageOnly, bodyLimit: FORM_MAX_BYTES },
      async (request, reply) => {
        const session = await inConsole(request)
        if (!session) return sendHtml(reply, 403, renderOutside(links, 'none'))
        return perform(deps, { view: await viewOf(session), request, reply }, (request.body ?? {}) as Form)
      },
    )
    // A refused act leaves the browser at this address: reopening it leads back.
    app.get(`/console/${name}`, (_request, reply) => reply.redirect('/console', 302))
  }

  async function viewOf(session: ConsoleSession): Promise<ConsoleView> {
    return { links, session, counts: await countWaiting(store), now: clock() }
  }

  /** Other websites send no Strict cookie. Whatever sends one along from elsewhere is no browser. */
  async function inConsole({ headers, cookies }: FastifyRequest): Promise<ConsoleSession | undefined> {
    const site = headers['sec-fetch-site'] ?? 'none'
    if (site !== 'none' && site !== 'same-origin') return undefined
    return findSession(store.db, cookies[CONSOLE_COOKIE], clock())
  }
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { VNode } from 'preact'
import { type Answer, enterInvited, newOptions, signIn } from '../../domain/moderation/console/passkeys.ts'
import { countWaiting } from '../../domain/moderation/console/queue.ts'
import {
  type ConsoleSession,
  ENTER_PATH,
  EntryRefused,
  endSession,
  enterConsole,
  findSession,
  isRecent,
} from '../../domain/moderation/console/sessions.ts'
import { rememberAct } from '../../domain/moderation/console/undo.ts'
import { findInvitation, INVITE_PATH } from '../../domain/moderation/console/users.ts'
import { PRIVATE_HEADERS, withHeaders } from '../../platform/http/headers.ts'
import { rateLimit } from '../../platform/http/rate-limits/rate-limit.ts'
import { requireSameOrigin } from '../../platform/http/request-checks.ts'
import { TEN_MINUTES_MS } from '../../platform/lib/time.ts'
import { CHALLENGE, CONSOLE, giveCookie, sentCookie, takeCookie } from '../ui/cookies.ts'
import { decide, settle } from './appeals-and-payments.tsx'
import { block, blocks, rangeIn, unblock } from './blocks.tsx'
import { undoLast } from './done.tsx'
import { entry, invitation, outside } from './entry.tsx'
import { feature, reissue, term } from './listing-acts.tsx'
import { listing } from './listing-page.tsx'
import { listings, log, payments } from './lists.tsx'
import { actOnCases, queue } from './queue-page.tsx'
import {
  answerIn,
  backFrom,
  backIn,
  blocksPath,
  type ConsoleDependencies,
  type Fields,
  FORM_MAX_BYTES,
  labelOf,
  type Perform,
  sendPage,
  textOf,
  type Visit,
} from './request.ts'
import { addOwn, change, invite, refusalWords, removeOwn, users } from './users.tsx'

/** The operator's console. Without a session, its pages only say how to get a link. */
export async function consoleRoutes(app: FastifyInstance, deps: ConsoleDependencies): Promise<void> {
  const { store, links, clock } = deps
  const posted = { onRequest: requireSameOrigin(links), bodyLimit: FORM_MAX_BYTES }
  const toUsers = () => '/console/users'

  app.addHook('onRequest', withHeaders(PRIVATE_HEADERS))

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
  act('block', block, form => blocksPath(rangeIn(form)))
  act('unblock', unblock, () => '/console/blocks')
  act('term', term)
  act('reissue', recently(reissue))
  act('feature', feature)
  act('undo', undoLast)
  act('passkey', recently(addOwn), toUsers)
  act('passkey-remove', recently(removeOwn), toUsers)
  act('invite', recently(invite), toUsers)
  act('user', recently(change), toUsers)
  act('end', async (_deps, { view, reply }) => {
    await endSession(store, view.session)
    takeCookie(reply, CONSOLE, links)
    return { page: outside(links, 'left') }
  })

  function see(path: string, show: (deps: ConsoleDependencies, visit: Visit) => Promise<VNode>): void {
    app.get(
      path,
      signedIn(async visit => sendPage(visit.reply, await show(deps, visit))),
    )
  }

  /** A form of the console. @param back where it leads */
  function act(name: string, perform: Perform, back: (form: Fields) => string = backFrom): void {
    const perhaps = async (visit: Visit) => {
      const form = (visit.request.body ?? {}) as Fields
      const result = await perform(deps, visit, form).catch(refusalWords)
      if (typeof result === 'object' && 'page' in result) return sendPage(visit.reply, result.page)
      const done = typeof result === 'string' ? { did: 'say' as const, acted: [], words: result } : result
      if (done) await rememberAct(store, visit.view.session, { at: clock(), ...done })
      return visit.reply.redirect(back(form), 303)
    }
    app.post(`/console/${name}`, posted, signedIn(perhaps))
    // A refused action leaves the browser at this address: reopening it leads back.
    app.get(`/console/${name}`, (_request, reply) => reply.redirect('/console', 302))
  }

  function signedIn(answer: (visit: Visit) => Promise<FastifyReply>) {
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const session = await inConsole(request)
      if (!session) return sendPage(reply.code(403), wayIn(request))
      const view = { links, session, counts: await countWaiting(store), now: clock() }
      return answer({ view, request, reply })
    }
  }

  /** The way in, which leads back to the page that was asked for, or that a form came from. */
  function wayIn({ method, url, query, params, body }: FastifyRequest): VNode {
    const form = (body ?? query) as Fields
    const back = backIn({ from: url.split(/[/?]/)[2], ...form, ...(params as Fields) })
    return outside(links, method === 'POST' ? 'over' : 'none', back, textOf(form.explanation))
  }

  /** Browsers send no Strict cookie from other websites, so a request with one from elsewhere is refused. */
  async function inConsole(request: FastifyRequest): Promise<ConsoleSession | undefined> {
    const site = request.headers['sec-fetch-site'] ?? 'none'
    if (site !== 'none' && site !== 'same-origin') return undefined
    return findSession(store.db, sentCookie(request, CONSOLE, links), clock())
  }
}

/** For what would give the thief of a session another way in, or access to listings. The page of the form says how. */
const recently =
  (perform: Perform): Perform =>
  async (deps, visit, form) => {
    if (isRecent(visit.view.session, visit.view.now)) return perform(deps, visit, form)
    const typed = textOf(form.explanation)
    return typed ? { page: outside(deps.links, 'again', backIn(form), typed) } : 'Nothing changed. Sign in again first.'
  }

/** Each sign-in takes two. Nobody can guess a signature or a token: this bounds what strangers can make it compute. */
const SIGN_INS_PER_TEN_MINUTES = 40

/** The ways into the console: a link from the server, an invitation, and a passkey. */
function entryRoutes(
  app: FastifyInstance,
  deps: ConsoleDependencies,
  inConsole: (request: FastifyRequest) => Promise<ConsoleSession | undefined>,
): void {
  const { store, links, clock, allowances } = deps
  const limit = { name: 'consoleSignIns', max: SIGN_INS_PER_TEN_MINUTES, windowMs: TEN_MINUTES_MS }
  const limited = rateLimit(allowances, limit)
  const form = { onRequest: [requireSameOrigin(links), limited], bodyLimit: FORM_MAX_BYTES }
  const tokenIn = ({ params, body }: FastifyRequest) =>
    String({ ...(body as Fields), ...(params as Fields) }.token ?? '')
  const invitationOf = (request: FastifyRequest) => findInvitation(store.db, tokenIn(request), clock())

  // A GET must not use up a link or an invitation: mail scanners and previews open them.
  app.get(ENTER_PATH, (_request, reply) => sendPage(reply.code(403), outside(links, 'link')))
  app.get(`${ENTER_PATH}/:token`, (request, reply) => sendPage(reply, entry(links, request.url)))
  app.get(`${INVITE_PATH}/:token`, { onRequest: limited }, async (request, reply) => {
    const invited = await invitationOf(request)
    if (!invited) return sendPage(reply.code(403), outside(links, 'invitation'))
    return sendPage(reply, invitation(links, tokenIn(request), invited))
  })

  app.post('/console/options', form, async (request, reply) => {
    const isNew = (request.body as Fields | null)?.wants !== 'get'
    const user = isNew ? await creatorIn(request) : undefined
    if (isNew && !user) return reply.code(403).send({})
    const { options, cookie } = await newOptions(deps, user?.name, clock())
    return giveCookie(reply, CHALLENGE, cookie, links).send(options)
  })

  enter(`${ENTER_PATH}/:token`, request => enterConsole(store, tokenIn(request), clock()))
  enter(ENTER_PATH, (_request, answer) => signIn(deps, answer))
  enter(`${INVITE_PATH}/:token`, (request, answer) =>
    enterInvited(deps, tokenIn(request), labelOf((request.body ?? {}) as Fields), answer),
  )

  /** Opens a session, which replaces the one that the browser had. */
  function enter(path: string, open: (request: FastifyRequest, answer: Answer) => Promise<string>): void {
    app.post(path, form, async (request, reply) => {
      const body = (request.body ?? {}) as Fields
      try {
        const before = await inConsole(request)
        const session = await open(request, answerIn(request, body, deps))
        if (before) await endSession(store, before)
        return giveCookie(reply, CONSOLE, session, links).redirect(backFrom(body), 303)
      } catch (error) {
        if (!(error instanceof EntryRefused)) throw error
        request.log.warn({ why: error.message }, 'console sign-in refused')
        const invited = await invitationOf(request)
        const again = invited && invitation(links, tokenIn(request), invited, error.message)
        return sendPage(reply.code(403), again ?? outside(links, error.message, backIn(body)))
      }
    })
  }

  /** The user for whom a browser may create a passkey. */
  async function creatorIn(request: FastifyRequest): Promise<{ name: string } | undefined> {
    if (tokenIn(request)) return invitationOf(request)
    const session = await inConsole(request)
    return session && isRecent(session, clock()) ? session : undefined
  }
}

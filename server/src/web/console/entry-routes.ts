import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Answer, enterInvited, newOptions, signIn } from '../../domain/moderation/console/passkeys.ts'
import {
  type ConsoleSession,
  ENTER_PATH,
  EntryRefused,
  endSession,
  enterConsole,
  isRecent,
} from '../../domain/moderation/console/sessions.ts'
import { findInvitation, INVITE_PATH } from '../../domain/moderation/console/users.ts'
import { rateLimit } from '../../platform/http/rate-limits/rate-limit.ts'
import { requireSameOrigin } from '../../platform/http/request-checks.ts'
import { TEN_MINUTES_MS } from '../../platform/lib/time.ts'
import { CHALLENGE, CONSOLE, giveCookie } from '../ui/cookies.ts'
import { entry, invitation, outside } from './entry.tsx'
import {
  answerIn,
  backFrom,
  backIn,
  type ConsoleDependencies,
  type Fields,
  FORM_MAX_BYTES,
  labelOf,
  sendPage,
} from './request.ts'

/** Each sign-in takes two. Nobody can guess a signature or a token: this bounds what strangers can make it compute. */
const SIGN_INS_PER_TEN_MINUTES = 40

/** The ways into the console: a link from the server, an invitation, and a passkey. */
export function entryRoutes(
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

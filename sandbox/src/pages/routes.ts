import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { statusOfSession } from '../acts.ts'
import type { Session } from '../database.ts'
import { acceptForms } from '../form.ts'
import type { Delivery, Sandbox } from '../sandbox.ts'
import { NO_CHOICE, readAct, readForm } from './acts-form.ts'
import { renderRefused } from './frame.tsx'
import { renderPay } from './pay.tsx'
import { isFromOwnPage, isOfThisMachine } from './reach.ts'
import { renderSession } from './session.tsx'
import { renderSessions } from './sessions.tsx'

interface SessionRoute {
  Params: { session: string }
  Querystring: { declined?: string }
}
type SessionRequest = FastifyRequest<SessionRoute>

const NEWEST_SHOWN = 50

const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
} as const

// By the name of the package, because the server's build packs this module into another file.
const STYLE = readFileSync(createRequire(import.meta.url).resolve('@placard/sandbox/style.css'), 'utf8')

/**
 * The pages of a sandbox under `/sandbox/`, to mount in the service, so that a browser needs only one address. Unknown
 * addresses get the service's 404.
 */
export const sandboxPages = (sandbox: Sandbox) => async (app: FastifyInstance) => {
  const { clock } = sandbox
  const ownPageOnly = async ({ headers }: FastifyRequest, reply: FastifyReply) => {
    if (!isFromOwnPage(headers, sandbox.baseUrl())) return sendHtml(reply, 403, renderRefused())
  }
  acceptForms(app)
  app.addHook('onRequest', async (request, reply) => {
    // The service may listen on more than loopback, as in a container. Free places are for this machine only.
    if (!isOfThisMachine(request, sandbox.from)) return reply.callNotFound()
    reply.headers(PAGE_HEADERS)
  })

  app.get('/sandbox/style.css', async (_request, reply) => reply.type('text/css; charset=utf-8').send(STYLE))

  app.get('/sandbox', async (_request, reply) => reply.redirect('/sandbox/', 308))

  app.get('/sandbox/', async (_request, reply) =>
    sendHtml(reply, 200, renderSessions(sandbox.newestSessions(NEWEST_SHOWN), clock())),
  )

  app.get<SessionRoute>(
    '/sandbox/pay/:session',
    withSession((session, { query }, reply) => {
      const now = clock()
      const isDeclined = query.declined !== undefined && statusOfSession(session, now) === 'open'
      return sendHtml(reply, 200, renderPay({ session, now, ...(isDeclined && { message: DECLINED }) }))
    }),
  )

  app.post<SessionRoute>(
    '/sandbox/pay/:session',
    { onRequest: ownPageOnly },
    withSession(async (session, { body }, reply) => {
      const { act, delivery } = readForm(body)
      if (act === 'decline') return reply.redirect(`/sandbox/pay/${session.id}?declined`, 303)
      if ((act !== 'pay' && act !== 'pay_later') || !delivery) {
        return sendHtml(reply, 400, renderPay({ session, now: clock(), message: NO_CHOICE }))
      }
      if (await sandbox.act(session.id, { name: act }, delivery)) {
        return reply.redirect(session.successUrl, 303)
      }
      const present = sandbox.findSession(session.id) ?? session
      return sendHtml(reply, 409, renderPay({ session: present, now: clock(), message: NOTHING_HAPPENED }))
    }),
  )

  app.get<SessionRoute>(
    '/sandbox/sessions/:session',
    withSession((session, _request, reply) => sendSession(reply, 200, session)),
  )

  app.post<SessionRoute>(
    '/sandbox/sessions/:session',
    { onRequest: ownPageOnly },
    withSession(async (session, { body }, reply) => {
      const { act, amount, delivery } = readForm(body)
      if (!delivery) return sendSession(reply, 400, session, { message: NO_CHOICE })
      const chosen = readAct(act, amount, session)
      if ('message' in chosen) {
        return sendSession(reply, 400, session, { ...chosen, delivery, ...(act === 'refund' && { amount }) })
      }
      if (!(await sandbox.act(session.id, chosen, delivery))) {
        const present = sandbox.findSession(session.id) ?? session
        return sendSession(reply, 409, present, { message: NOTHING_HAPPENED })
      }
      return reply.redirect(`/sandbox/sessions/${session.id}`, 303)
    }),
  )

  app.post<SessionRoute>(
    '/sandbox/sessions/:session/deliver',
    { onRequest: ownPageOnly },
    withSession(async (session, { body }, reply) => {
      const delivered = await sandbox.deliverAgain(session, readForm(body).event)
      if (!delivered) return sendSession(reply, 400, session, { message: 'There is no such event.' })
      return reply.redirect(`/sandbox/sessions/${session.id}`, 303)
    }),
  )

  /** Runs a handler if the session exists. */
  function withSession(
    handle: (session: Session, request: SessionRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>,
  ) {
    return async (request: SessionRequest, reply: FastifyReply) => {
      const session = sandbox.findSession(request.params.session)
      return session ? handle(session, request, reply) : reply.callNotFound()
    }
  }

  function sendSession(
    reply: FastifyReply,
    status: number,
    session: Session,
    said: { message?: string; amount?: string; delivery?: Delivery } = {},
  ): FastifyReply {
    const events = sandbox.eventsOf(session)
    return sendHtml(reply, status, renderSession({ session, events, now: clock(), ...said }))
  }
}

const sendHtml = (reply: FastifyReply, status: number, html: string) =>
  reply.code(status).type('text/html; charset=utf-8').send(html)

const DECLINED = 'Declined. Nothing was paid, and you can try again.'
const NOTHING_HAPPENED = 'Nothing happened: this was already decided.'

import type { IncomingHttpHeaders } from 'node:http'
import formbody from '@fastify/formbody'
import { BODY_MAX_BYTES } from '@placard/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isLoopback } from '../../config.ts'
import { PAGE_HEADERS } from '../../http/headers.ts'
import type { Links } from '../../http/links.ts'
import { Problem } from '../../http/problem.ts'
import { sendHtml } from '../../http/send.ts'
import { saysThroughProxy } from '../../http/through-proxy.ts'
import { DELIVERIES, type Delivery, type Sandbox } from '../../payments/sandbox/sandbox.ts'
import {
  refundableCents,
  type SandboxAction,
  type SandboxSession,
  statusOfSession,
} from '../../payments/sandbox/sandbox-acts.ts'
import { dollars } from '../ui/money.ts'
import { requireSameOrigin } from '../ui/same-origin.ts'
import { renderPay, renderSandbox } from './sandbox.tsx'
import { renderSession } from './sandbox-session.tsx'

interface SandboxDependencies {
  sandbox: Sandbox
  links: Links
  clock: () => number
}

/**
 * Through a proxy on this machine everybody comes from loopback. So the name that was called counts, too, every header
 * that speaks of a proxy, and the version of HTTP: nginx by itself asks in 1.0 and says nothing.
 */
const isOfThisMachine = ({ socket, headers, raw }: FastifyRequest): boolean =>
  isLoopback((socket.remoteAddress ?? '').replace(/^::ffff:/, '')) &&
  isLoopback((headers.host ?? '').replace(/:\d*$/, '')) &&
  raw.httpVersion === '1.1' &&
  !saysThroughProxy(headers)

/** A form whose page has a public address came through a proxy that says nothing of itself. */
function requireLoopbackOrigin({ origin }: IncomingHttpHeaders): void {
  if (origin === undefined || origin === 'null') return
  if (!URL.canParse(origin) || !isLoopback(new URL(origin).hostname))
    throw new Problem('cross_origin_rejected')
}

type SessionRequest = FastifyRequest<{
  Params: { session: string }
  Querystring: { declined?: string }
  Body: unknown
}>

const NEWEST_SHOWN = 50

/** The pages of the sandbox processor. Register it in a context of its own, and only where the sandbox is in force. */
export async function sandboxRoutes(app: FastifyInstance, deps: SandboxDependencies): Promise<void> {
  const { sandbox, links, clock } = deps
  const sameOriginOnly = requireSameOrigin(links)
  const ownPageOnly = async (request: FastifyRequest) => {
    await sameOriginOnly(request)
    requireLoopbackOrigin(request.headers)
  }
  await app.register(formbody, { bodyLimit: BODY_MAX_BYTES })
  app.addHook('onRequest', async (request, reply) => {
    // The service may listen on more than loopback, as in a container. Places for nothing are for this machine only.
    if (!isOfThisMachine(request)) throw new Problem('not_found')
    reply.headers({ ...PAGE_HEADERS, 'cache-control': 'no-store', 'x-robots-tag': 'noindex' })
  })

  app.get('/sandbox', async (_request, reply) => reply.redirect('/sandbox/', 308))

  app.get('/sandbox/', async (_request, reply) =>
    sendHtml(reply, 200, renderSandbox(await sandbox.newestSessions(NEWEST_SHOWN), clock())),
  )

  app.get('/sandbox/pay/:session', async (request: SessionRequest, reply) => {
    const session = await sessionOf(request)
    const now = clock()
    const isDeclined = request.query.declined !== undefined && statusOfSession(session, now) === 'open'
    return sendHtml(reply, 200, renderPay({ session, now, ...(isDeclined && { message: DECLINED }) }))
  })

  app.post('/sandbox/pay/:session', { onRequest: ownPageOnly }, async (request: SessionRequest, reply) => {
    const session = await sessionOf(request)
    const { act, delivery } = formOf(request)
    if (act === 'decline') return reply.redirect(`/sandbox/pay/${session.id}?declined`, 303)
    if ((act !== 'pay' && act !== 'pay_later') || !delivery) {
      return sendHtml(reply, 400, renderPay({ session, now: clock(), message: NO_CHOICE }))
    }
    if (await sandbox.act(session.id, { name: act }, delivery)) {
      return reply.redirect(session.successUrl, 303)
    }
    const present = await sessionOf(request)
    return sendHtml(reply, 409, renderPay({ session: present, now: clock(), message: NOTHING_HAPPENED }))
  })

  app.get('/sandbox/sessions/:session', async (request: SessionRequest, reply) =>
    sendSession(reply, 200, await sessionOf(request)),
  )

  app.post(
    '/sandbox/sessions/:session',
    { onRequest: ownPageOnly },
    async (request: SessionRequest, reply) => {
      const session = await sessionOf(request)
      const { act, amount, delivery } = formOf(request)
      if (!delivery) return sendSession(reply, 400, session, { message: NO_CHOICE })
      const chosen = readAct(act, amount, session)
      if ('message' in chosen) {
        return sendSession(reply, 400, session, { ...chosen, delivery, ...(act === 'refund' && { amount }) })
      }
      if (!(await sandbox.act(session.id, chosen, delivery))) {
        return sendSession(reply, 409, await sessionOf(request), { message: NOTHING_HAPPENED })
      }
      return reply.redirect(`/sandbox/sessions/${session.id}`, 303)
    },
  )

  app.post(
    '/sandbox/sessions/:session/deliver',
    { onRequest: ownPageOnly },
    async (request: SessionRequest, reply) => {
      const session = await sessionOf(request)
      const delivered = await sandbox.deliverAgain(session, formOf(request).event)
      if (!delivered) return sendSession(reply, 400, session, { message: 'There is no such event.' })
      return reply.redirect(`/sandbox/sessions/${session.id}`, 303)
    },
  )

  async function sessionOf({ params }: SessionRequest): Promise<SandboxSession> {
    const session = await sandbox.findSession(params.session)
    if (!session) throw new Problem('not_found')
    return session
  }

  async function sendSession(
    reply: FastifyReply,
    status: number,
    session: SandboxSession,
    said: { message?: string; amount?: string; delivery?: Delivery } = {},
  ): Promise<FastifyReply> {
    const events = await sandbox.eventsOf(session)
    return sendHtml(reply, status, renderSession({ session, events, now: clock(), ...said }))
  }
}

const DECLINED = 'Declined. Nothing was paid, and you can try again.'
const NO_CHOICE = 'Nothing happened: please choose one of the buttons of this page.'
const NOTHING_HAPPENED = 'Nothing happened: it had been decided already.'

/** The fields of a form, none of them twice. Without a choice of delivery it is at once. */
function formOf({ body }: SessionRequest) {
  const fields = (body ?? {}) as Record<string, unknown>
  const text = (name: string, otherwise = '') => {
    const value = fields[name] ?? otherwise
    return typeof value === 'string' ? value : ''
  }
  const delivery = text('delivery', 'now')
  return {
    act: text('act'),
    amount: text('amount').trim(),
    event: text('event'),
    delivery: DELIVERIES.find(known => known === delivery),
  }
}

const ACTS = ['succeed', 'fail', 'fail_refund', 'dispute', 'win', 'lose', 'turn'] as const

/** What was chosen, or what is wrong with it. */
function readAct(act: string, amount: string, session: SandboxSession): SandboxAction | { message: string } {
  if (act === 'refund_all') return { name: 'refund', amountCents: 'all' }
  if (act === 'refund') return readRefund(amount, refundableCents(session))
  const name = ACTS.find(known => known === act)
  return name ? { name } : { message: NO_CHOICE }
}

function readRefund(amount: string, refundable: number): SandboxAction | { message: string } {
  const [, whole = '', fraction = ''] = /^\$?(\d{1,7})(?:\.(\d{1,2}))?$/.exec(amount) ?? []
  const amountCents = Number(whole) * 100 + Number(fraction.padEnd(2, '0'))
  if (amountCents === 0) {
    return { message: 'Nothing happened: please give the refund in dollars, such as 5 or 12.50.' }
  }
  if (refundable > 0 && amountCents > refundable) {
    return { message: `Nothing happened: only ${dollars(refundable)} can be refunded.` }
  }
  return { name: 'refund', amountCents }
}

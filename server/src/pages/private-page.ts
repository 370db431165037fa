import type { FastifyInstance, FastifyRequest } from 'fastify'
import { requireJson } from '../http/json-body.ts'
import { Problem } from '../http/problem.ts'
import { rateLimit } from '../http/rate-limit.ts'
import { refusalBy } from '../http/refusal-by.ts'
import { findClaim } from '../ownership/claims.ts'
import { openListing } from '../ownership/private-link.ts'
import { SESSION_COOKIE } from '../ownership/session.ts'
import { PRIVATE_HEADERS } from './headers.ts'
import { renderShell } from './manage-frame.tsx'
import { doneNotice, tooManyNotice } from './manage-notices.ts'
import {
  type Act,
  category,
  type PrivatePageDependencies,
  promote,
  refresh,
  renew,
  sendManage,
  startVisit,
  type Visit,
  withdraw,
} from './private-page-acts.ts'
import { requireSameOrigin } from './same-origin.ts'
import { HTML } from './send.ts'

type ClaimRequest = FastifyRequest<{ Params: { claim: string }; Querystring: { done?: unknown } }>

const HOUR_MS = 60 * 60 * 1000

/** Each one makes the service fetch a page, or uses up one of the versions a link has. */
export const DEAR_ACTS_PER_HOUR_PER_IP = 5

/**
 * The private page of a listing. Its link carries the owner token in the fragment, which stays in the browser until the
 * page's script exchanges it for a cookie. Whether a claim exists is never told to those who lack its token.
 */
export async function privatePage(app: FastifyInstance, deps: PrivatePageDependencies): Promise<void> {
  const { links, store, sessions, clock } = deps
  const ownPageOnly = requireSameOrigin(links)

  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(PRIVATE_HEADERS)
  })

  app.get('/manage/:claim', async (request: ClaimRequest, reply) => {
    const managed = await visited(request, clock())
    if (!managed) return reply.type(HTML).send(renderShell(links))
    return sendManage(
      deps,
      { managed, form: {}, now: clock(), request, reply },
      doneNotice(request.query.done),
    )
  })

  app.post(
    '/manage/:claim/session',
    { onRequest: [ownPageOnly, requireJson] },
    async (request: ClaimRequest, reply) => {
      const { token } = (request.body ?? {}) as { token?: unknown }
      const managed = await openListing(store.db, claimIdOf(request), token)
      if (!managed) throw new Problem('not_found')
      startVisit(deps, reply, managed, clock())
      return reply.code(204).send()
    },
  )

  act('withdraw', withdraw)
  act('promote', promote)
  act('category', category)
  act('refresh', seldom(refresh))
  act('renew', seldom(renew))

  /** A form of the private page. Without a running visit nothing happens. */
  function act(name: string, perform: Act): void {
    app.post(`/manage/:claim/${name}`, { onRequest: ownPageOnly }, async (request: ClaimRequest, reply) => {
      const now = clock()
      const managed = await visited(request, now)
      if (!managed)
        return reply
          .code(403)
          .type(HTML)
          .send(renderShell(links, { visitEnded: true }))
      const form = (request.body ?? {}) as Record<string, unknown>
      return perform(deps, { managed, form, now, request, reply })
    })
  }

  /** The listing whose private page this visitor has opened with its link, if so. */
  async function visited(request: ClaimRequest, now: number): Promise<Visit['managed'] | undefined> {
    const claimId = claimIdOf(request)
    const cookie = request.cookies[SESSION_COOKIE]
    if (cookie === undefined) return undefined
    const managed = await findClaim(store.db, claimId)
    return managed && sessions.isOpen(cookie, managed, now) ? managed : undefined
  }

  /** An act that one address may do a few times an hour. Only those with a visit are counted. */
  function seldom(perform: Act): Act {
    const limit = rateLimit({ max: DEAR_ACTS_PER_HOUR_PER_IP, windowMs: HOUR_MS })
    return async (acting, visit) => {
      const past = await refusalBy(limit, app, visit.request, visit.reply)
      if (!past) return perform(acting, visit)
      const seconds = past.retryAfterSeconds ?? HOUR_MS / 1000
      visit.reply.header('retry-after', String(seconds))
      return sendManage(acting, visit, tooManyNotice(seconds))
    }
  }
}

function claimIdOf({ params }: ClaimRequest): string {
  const wellFormed = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(params.claim)
  if (!wellFormed) throw new Problem('not_found')
  return params.claim
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requireJson } from '../http/json-body.ts'
import type { Links } from '../http/links.ts'
import { Problem } from '../http/problem.ts'
import { findClaim, type ManagedListing, withdrawListing } from '../ownership/claims.ts'
import type { OwnershipPasses } from '../ownership/ownership-pass.ts'
import { openListing } from '../ownership/private-link.ts'
import { SESSION_COOKIE, SESSION_LIFETIME_MS, type Sessions } from '../ownership/session.ts'
import type { Store } from '../storage/store.ts'
import { PRIVATE_HEADERS } from './headers.ts'
import { renderManage, renderShell } from './manage.tsx'
import { givePass } from './promote-cookies.ts'
import { requireSameOrigin } from './same-origin.ts'
import { HTML } from './send.ts'

interface PrivatePageDependencies {
  links: Links
  store: Store
  sessions: Sessions
  passes: OwnershipPasses
  clock: () => number
}

type ClaimRequest = FastifyRequest<{ Params: { claim: string } }>

/**
 * The private page of a listing. Its link carries the owner token in the fragment, which stays in the browser until the
 * page's script exchanges it for a cookie. Whether a claim exists is never told to those who lack its token.
 */
export async function privatePage(app: FastifyInstance, deps: PrivatePageDependencies): Promise<void> {
  const { links, store, sessions, passes, clock } = deps
  const ownPageOnly = requireSameOrigin(links)

  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(PRIVATE_HEADERS)
  })

  app.get('/manage/:claim', async (request: ClaimRequest, reply) => {
    const now = clock()
    const managed = await visited(request, now)
    return reply.type(HTML).send(managed ? renderManage({ managed, links, now }) : renderShell(links))
  })

  app.post(
    '/manage/:claim/session',
    { onRequest: [ownPageOnly, requireJson] },
    async (request: ClaimRequest, reply) => {
      const claimId = claimIdOf(request)
      const { token } = (request.body ?? {}) as { token?: unknown }
      const managed = await openListing(store.db, claimId, token)
      if (!managed) throw new Problem('not_found')
      return reply
        .setCookie(SESSION_COOKIE, sessions.open(managed, clock()), {
          path: `/manage/${claimId}`,
          httpOnly: true,
          sameSite: 'strict',
          secure: links.base.startsWith('https:'),
          maxAge: SESSION_LIFETIME_MS / 1000,
        })
        .code(204)
        .send()
    },
  )

  app.post('/manage/:claim/withdraw', { onRequest: ownPageOnly }, async (request: ClaimRequest, reply) => {
    const now = clock()
    const managed = await visited(request, now)
    if (!managed) return sendHtml(reply, 403, renderShell(links, { visitEnded: true }))
    const confirmed = (request.body as { confirm?: unknown } | null)?.confirm === 'yes'
    if (!confirmed) return sendHtml(reply, 400, renderManage({ managed, links, now, unconfirmed: true }))
    await withdrawListing(store, managed.listing, now)
    return reply.redirect(`/manage/${managed.claimId}`, 303)
  })

  app.post('/manage/:claim/promote', { onRequest: ownPageOnly }, async (request: ClaimRequest, reply) => {
    const now = clock()
    const managed = await visited(request, now)
    if (!managed) return sendHtml(reply, 403, renderShell(links, { visitEnded: true }))
    const { destination_key, url: destination, category } = managed.listing
    givePass(reply, passes.give(destination_key, 'private_link', now), links)
    return reply.redirect(`/promote?${new URLSearchParams({ destination, category })}`, 303)
  })

  /** The listing whose private page this visitor has opened with its link, if so. */
  async function visited(request: ClaimRequest, now: number): Promise<ManagedListing | undefined> {
    const claimId = claimIdOf(request)
    const cookie = request.cookies[SESSION_COOKIE]
    if (cookie === undefined) return undefined
    const managed = await findClaim(store.db, claimId)
    return managed && sessions.isOpen(cookie, managed, now) ? managed : undefined
  }
}

const sendHtml = (reply: FastifyReply, status: number, html: string) =>
  reply.code(status).type(HTML).send(html)

function claimIdOf({ params }: ClaimRequest): string {
  const wellFormed = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(params.claim)
  if (!wellFormed) throw new Problem('not_found')
  return params.claim
}

import { BODY_MAX_BYTES, type DecisionStatement } from '@placard/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { proofOfDecision } from '../../domain/log/proofs.ts'
import { APPEAL_MAX_BYTES, APPEALS_PER_HOUR } from '../../domain/moderation/appeals/routes.ts'
import { type Claim, findClaim, LinkReplaced, openListing } from '../../domain/ownership/claims.ts'
import { PRIVATE_HEADERS, withHeaders } from '../../platform/http/headers.ts'
import { Problem } from '../../platform/http/problem.ts'
import { type Allowance, allowance, refusedBy } from '../../platform/http/rate-limits/rate-limit.ts'
import { requireJson, requireSameOrigin } from '../../platform/http/request-checks.ts'
import { sendHtml } from '../../platform/http/send.ts'
import { isUuid } from '../../platform/lib/text.ts'
import { HOUR_MS } from '../../platform/lib/time.ts'
import { giveCookie, sentCookie, sessionCookie } from '../ui/cookies.ts'
import { sendProof } from '../ui/log-rows.ts'
import { typedStatement } from '../ui/statement.tsx'
import {
  appeal,
  category,
  type LinkAction,
  type PrivatePageDependencies,
  promote,
  refresh,
  renew,
  renewalFault,
  type Visit,
  withdraw,
} from './acts.ts'
import { noticeFeed } from './feed.ts'
import { renderShell } from './frame.tsx'
import { mailRoutes } from './mail.tsx'
import { doneNotice, type Notice, tooManyNotice } from './messages.ts'
import { FEED_AND_WEBHOOK, mail, mailOff, testWebhook } from './notifications.tsx'
import { sendPrivatePage } from './page.tsx'
import { prove, reopen, showToken } from './proof.tsx'
import { readReasons } from './status.tsx'

type ClaimRequest = FastifyRequest<{ Params: { claim: string }; Querystring: { done?: unknown } }>

/** Per client. A refresh makes the service fetch a page; a renewal uses up one of a link's versions. */
export const REFRESHES_PER_HOUR = 5
export const RENEWALS_PER_HOUR = 5
export const CATEGORIES_PER_HOUR = 60
export const PROOFS_PER_HOUR = 60
export const FOLLOWS_PER_HOUR = 60
/** Per client, and per listing: a new address gets a mail. */
export const MAILS_PER_HOUR = 20
/** Per listing: the owner has not proved that the server is theirs. */
export const WEBHOOK_TESTS_PER_HOUR = 10
/** Per listing, for all clients together: its website did not ask for visits. */
export const REFRESHES_PER_HOUR_OF_LISTING = 6

/**
 * The private page of a listing. Its link carries the owner token in the fragment, which stays in the browser until the
 * page's script exchanges it for a cookie. Without the token, all replies are the same, whether a claim exists or not.
 */
async function privatePage(app: FastifyInstance, deps: PrivatePageDependencies): Promise<void> {
  const { links, store, sessions, clock } = deps
  const ownPageOnly = requireSameOrigin(links)
  const hourly = (of: string, max: number, keyOf?: (request: FastifyRequest) => string) =>
    allowance(deps.allowances, { name: `${of}PerHour`, max, windowMs: HOUR_MS, ...(keyOf && { keyOf }) })

  app.addHook('onRequest', withHeaders(PRIVATE_HEADERS))

  app.get('/manage/:claim', async (request: ClaimRequest, reply) => {
    const claim = await visited(request, clock())
    if (!claim) return sendHtml(reply, 200, renderShell(links))
    return sendPrivatePage(deps, { claim, form: {}, now: clock(), request, reply }, doneNotice(request.query.done))
  })

  // What the page says about a hidden listing, in the shape that the API has.
  app.get('/manage/:claim/decision', reasonsOf)

  app.get('/manage/:claim/decision.tlog-proof', async (request: ClaimRequest, reply) => {
    const { id } = await reasonsOf(request)
    return sendProof(reply, id, await proofOfDecision(store, id))
  })

  app.post(
    '/manage/:claim/session',
    { onRequest: [ownPageOnly, requireJson] },
    async (request: ClaimRequest, reply) => {
      const { token } = (request.body ?? {}) as { token?: unknown }
      const claim = await openListing(store.db, claimIdOf(request), token)
      if (!claim) throw new Problem('not_found')
      giveCookie(reply, sessionCookie(claim.claimId), deps.sessions.open(claim, clock()), links)
      return reply.code(204).send()
    },
  )

  act('withdraw', withdraw)
  if (links.site.sellsPlaces) act('promote', promote)
  act('category', seldom(category, [hourly('categories', CATEGORIES_PER_HOUR)]))
  act(
    'refresh',
    seldom(refresh, [
      hourly('refreshes', REFRESHES_PER_HOUR),
      hourly('refreshesOfListing', REFRESHES_PER_HOUR_OF_LISTING, claimIdOf),
    ]),
  )
  const follows = hourly('follows', FOLLOWS_PER_HOUR)
  for (const [name, perform] of Object.entries(FEED_AND_WEBHOOK)) act(name, seldom(perform, [follows]))
  if (links.site.sendsMail) {
    const mails = [hourly('mails', MAILS_PER_HOUR), hourly('mailsOfListing', MAILS_PER_HOUR, claimIdOf)]
    act('mail', seldom(mail, mails))
    act('mail-off', seldom(mailOff, [follows]))
  }
  act('webhook-test', seldom(testWebhook, [hourly('webhookTestsOfListing', WEBHOOK_TESTS_PER_HOUR, claimIdOf)]))
  act('token', showToken)
  act(
    'prove',
    seldom(prove, [hourly('proofs', PROOFS_PER_HOUR), hourly('proofsOfListing', PROOFS_PER_HOUR, claimIdOf)]),
  )
  act('reopen', seldom(reopen, [hourly('reopensOfListing', REFRESHES_PER_HOUR_OF_LISTING, claimIdOf)]))
  act('appeal', seldom(appeal, [hourly('appeals', APPEALS_PER_HOUR)]), APPEAL_MAX_BYTES)
  act('renew', seldom(renew, [hourly('renewals', RENEWALS_PER_HOUR)], renewalFault))
  app.get('/manage/:claim/', toPage)

  /** A form of the private page. Without a visit, nothing happens. */
  function act(name: string, perform: LinkAction, bodyLimit: number = BODY_MAX_BYTES): void {
    app.post(`/manage/:claim/${name}`, { onRequest: ownPageOnly, bodyLimit }, async (request: ClaimRequest, reply) => {
      const now = clock()
      const ended = () =>
        sendHtml(reply, 403, renderShell(links, { visitEnded: true, typed: typedStatement(request.body) }))
      const claim = await visited(request, now)
      if (!claim) return ended()
      const form = (request.body ?? {}) as Record<string, unknown>
      const visit = { claim, act: name, form, now, request, reply }
      const outcome = await perform(deps, visit).catch(error => {
        if (error instanceof LinkReplaced) return ended()
        throw error
      })
      // Fastify's replies are thenable: a reply of the action's own resolves to undefined once it is sent.
      if (reply.sent) return reply
      if (typeof outcome === 'object') return 'headline' in outcome ? sendPrivatePage(deps, visit, outcome) : outcome
      // Redirects, so that reloading the page repeats nothing.
      return reply.redirect(`/manage/${claim.claimId}${outcome ? `?done=${outcome}` : ''}`, 303)
    })
    // A refused action leaves the browser at this address; reopening it leads back to the page.
    app.get(`/manage/:claim/${name}`, toPage)
  }

  /** The browser carries the fragment along. */
  async function toPage(request: ClaimRequest, reply: FastifyReply) {
    return reply.redirect(`/manage/${claimIdOf(request)}`, 302)
  }

  async function reasonsOf(request: ClaimRequest): Promise<DecisionStatement> {
    const claim = await visited(request, clock())
    const statement = claim && (await readReasons(deps, claim.listing, clock()))
    if (!statement) throw new Problem('not_found')
    return statement
  }

  /** The listing, if this visitor has opened its private page with its link. */
  async function visited(request: ClaimRequest, now: number): Promise<Claim | undefined> {
    const claimId = claimIdOf(request)
    const cookie = sentCookie(request, sessionCookie(claimId), links)
    if (cookie === undefined) return undefined
    const claim = await findClaim(store.db, claimId)
    return claim && sessions.isOpen(cookie, claim, now) ? claim : undefined
  }

  /** An action with limits. Only requests with a visit and a valid form count. */
  function seldom(
    perform: LinkAction,
    limits: readonly Allowance[],
    faultOf?: (visit: Visit) => Notice | undefined,
  ): LinkAction {
    return async (acting, visit) => {
      const fault = faultOf?.(visit)
      if (fault) return fault
      const seconds = await refusedBy(limits, visit.request, visit.reply)
      return seconds === undefined ? perform(acting, visit) : tooManyNotice(seconds)
    }
  }
}

function claimIdOf({ params }: FastifyRequest): string {
  const { claim } = params as ClaimRequest['params']
  if (!isUuid(claim)) throw new Problem('not_found')
  return claim
}

/** The private page of a listing, the private feed of its owner, and the links in mails. */
export async function ownerRoutes(app: FastifyInstance, deps: PrivatePageDependencies): Promise<void> {
  await app.register(privatePage, deps)
  noticeFeed(app, deps)
  if (deps.links.site.sendsMail) await app.register(mailRoutes, deps)
}

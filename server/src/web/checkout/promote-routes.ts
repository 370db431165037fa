import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Allowances } from '../../allowances/allowances.ts'
import type { CheckoutDependencies } from '../../checkout/checkout.ts'
import type { Config } from '../../config.ts'
import { promotePath } from '../../http/links.ts'
import { type RateLimiter, rateLimiter } from '../../http/rate-limit.ts'
import { sendHtml } from '../../http/send.ts'
import { PASS_COOKIE } from '../../ownership/pass.ts'
import { openListing, parsePrivateLink } from '../../ownership/private-link.ts'
import { type CheckSiteProof, PROOF_COOKIE } from '../../ownership/site-proof.ts'
import { TEN_MINUTES_MS } from '../../time.ts'
import { givePass, giveProof } from '../ui/cookies.ts'
import { requireSameOrigin } from '../ui/same-origin.ts'
import { waitText } from '../ui/time.tsx'
import { orderFrom } from './promote-checkout.ts'
import { type Chosen, ownedIn, readChosen, sendOffer, type ViewDependencies } from './promote-view.ts'

export interface PromoteDependencies extends CheckoutDependencies, ViewDependencies {
  allowances: Allowances
  limits: Config['limits']
  checkSiteProof: CheckSiteProof
}

type StepHandler = (chosen: Chosen, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** From a choice to the payment page: price, ownership, order. */
export async function promoteRoutes(app: FastifyInstance, deps: PromoteDependencies): Promise<void> {
  const { links, store, passes, proofs, limits, clock } = deps
  const ownPageOnly = requireSameOrigin(links)
  const limit = { max: limits.checkoutsPerTenMinutesPerIp, windowMs: TEN_MINUTES_MS }
  // Separate limits: checking a website repeatedly, while a DNS record spreads, uses up no orders.
  const orders = rateLimiter(deps.allowances, { name: 'checkoutsPerTenMinutesPerIp', ...limit })
  const proofChecks = rateLimiter(deps.allowances, { name: 'proofChecksPerTenMinutesPerIp', ...limit })

  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' })
  })

  app.get('/promote', async (request, reply) => {
    const chosen = await readChosen(deps, request.query)
    if ('html' in chosen) return sendHtml(reply, chosen.isDown ? 410 : 200, chosen.html)
    return sendOffer(deps, request, reply, chosen)
  })

  step('/promote/proof', undefined, async ({ choice }, { cookies }, reply) => {
    const now = clock()
    const running = proofs.token(cookies[PROOF_COOKIE], choice.destination.key, now)
    // Keep a running proof, even if the page could not see it: its token may be on the website already.
    if (!running) giveProof(reply, proofs.begin(now), links)
    return reply.redirect(`${promotePath(choice)}#proof`, 303)
  })

  step('/promote/check', proofChecks, async (chosen, request, reply) => {
    const { destination } = chosen.choice
    const proof = proofs.token(request.cookies[PROOF_COOKIE], destination.key, clock())
    if (!proof) return sendOffer(deps, request, reply, chosen, { status: 400, message: NO_TOKEN })
    const outcome = await deps.checkSiteProof(destination, proof.token)
    if (!outcome.foundBy) {
      return sendOffer(deps, request, reply, chosen, { status: 422, message: NOT_FOUND, link: SEEN, outcome })
    }
    return pass(reply, chosen, outcome.foundBy)
  })

  step('/promote/link', proofChecks, async (chosen, request, reply) => {
    const link = parsePrivateLink((request.body as { link?: unknown }).link)
    const claim = link && (await openListing(store.db, link.claimId, link.token))
    if (claim?.listing.destinationKey !== chosen.choice.destination.key) {
      return sendOffer(deps, request, reply, chosen, { status: 403, message: WRONG_LINK })
    }
    return pass(reply, chosen, 'private_link')
  })

  step('/promote/checkout', orders, async (chosen, request, reply) => {
    const cookie = request.cookies[PASS_COOKIE]
    const owned = passes.read(cookie, ownedIn(chosen), clock())
    const outcome = await orderFrom(deps, chosen, owned?.provedBy, request)
    if ('checkoutId' in outcome) return reply.redirect(`/checkout/${outcome.checkoutId}?pay=1`, 303)
    if (outcome.retryAfterSeconds) reply.header('retry-after', String(outcome.retryAfterSeconds))
    // It may have been listed or taken down meanwhile.
    const present = await readChosen(deps, request.body)
    if ('html' in present) return sendHtml(reply, 410, present.html)
    return sendOffer(deps, request, reply, present, outcome)
  })

  /** A form of the offer page; it carries the choice along. */
  function step(path: string, limit: RateLimiter | undefined, act: StepHandler): void {
    app.post(path, { onRequest: ownPageOnly }, async (request, reply) => {
      const chosen = await readChosen(deps, request.body)
      if ('html' in chosen) return sendHtml(reply, chosen.isDown ? 410 : 400, chosen.html)
      const seconds = await limit?.(request)
      if (seconds === undefined) return act(chosen, request, reply)
      reply.header('retry-after', String(seconds))
      return sendOffer(deps, request, reply, chosen, { status: 429, message: tooMany(seconds) })
    })
  }

  function pass(reply: FastifyReply, chosen: Chosen, provedBy: Parameters<typeof passes.give>[1]) {
    givePass(reply, passes.give(ownedIn(chosen), provedBy, clock()), links)
    return reply.redirect(`${promotePath(chosen.choice)}#pay`, 303)
  }
}

const tooMany = (seconds: number) =>
  `Your network has tried too often. Please wait ${waitText(seconds)} and try again. Your choice is kept, and nothing was charged.`
const NO_TOKEN = 'Your token has expired, or your browser did not keep it. Please get a new one below.'
const NOT_FOUND = 'We couldn’t find your token on the website yet.'
const SEEN = { href: '#proof', text: 'See what we found at each place.' }
const WRONG_LINK =
  'This is not this listing’s private link. Use the whole link from the receipt, up to its last character.'

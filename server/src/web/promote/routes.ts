import { CONTRACT_VERSION } from '@placard/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type CheckoutDependencies, type Opening, type Order, openCheckout } from '../../domain/checkout/place-order.ts'
import { openListing, parsePrivateLink } from '../../domain/ownership/claims.ts'
import { clientNetworks } from '../../platform/http/client-address.ts'
import { PASSING_HEADERS, withHeaders } from '../../platform/http/headers.ts'
import { promotePath } from '../../platform/http/links.ts'
import { Problem } from '../../platform/http/problem.ts'
import { type Allowance, allowance, refusedBy } from '../../platform/http/rate-limits/rate-limit.ts'
import { requireSameOrigin } from '../../platform/http/request-checks.ts'
import { sendHtml } from '../../platform/http/send.ts'
import { dollars } from '../../platform/lib/text.ts'
import { TEN_MINUTES_MS } from '../../platform/lib/time.ts'
import { giveCookie, PASS, sentCookie } from '../ui/cookies.ts'
import type { Needs } from '../ui/page-parts.ts'
import { NO_TOKEN } from '../ui/site-proof.tsx'
import { waitText } from '../ui/time.tsx'
import { type Chosen, ownedIn, readChosen, sendOffer, type ViewDependencies } from './view.ts'

type StepHandler = (chosen: Chosen, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

type OfferDependencies = CheckoutDependencies & ViewDependencies & Needs<'allowances' | 'limits'>

/** From a choice to the payment page: price, ownership, order. A site that sells nothing says so. */
export async function promoteRoutes(
  app: FastifyInstance,
  { stripe, ...deps }: Omit<OfferDependencies, 'stripe'> & Needs<'stripe'>,
): Promise<void> {
  if (stripe && deps.links.site.sellsPlaces) return offerRoutes(app, { ...deps, stripe })
  app.get('/promote', () => {
    throw new Problem('not_found', { message: 'This site has no paid places. Listings are free.' })
  })
}

function offerRoutes(app: FastifyInstance, deps: OfferDependencies): void {
  const { links, store, passes, proofs, limits, clock } = deps
  const ownPageOnly = requireSameOrigin(links)
  const limit = { max: limits.checkoutsPerTenMinutesPerIp, windowMs: TEN_MINUTES_MS }
  // Separate limits: checking a website repeatedly, while a DNS record spreads, uses up no orders.
  const orders = allowance(deps.allowances, { name: 'checkoutsPerTenMinutesPerIp', ...limit })
  const proofChecks = allowance(deps.allowances, { name: 'proofChecksPerTenMinutesPerIp', ...limit })

  app.addHook('onRequest', withHeaders(PASSING_HEADERS))

  app.get('/promote', async (request, reply) => {
    const chosen = await readChosen(deps, request.query)
    if ('html' in chosen) return sendHtml(reply, chosen.isDown ? 410 : 200, chosen.html)
    return sendOffer(deps, request, reply, chosen)
  })

  step('/promote/proof', undefined, async ({ choice }, request, reply) => {
    // Keeps a running proof, even if the page could not see it: its token may be on the website already.
    proofs.begin(request, reply, choice.destination.key)
    return reply.redirect(`${promotePath(choice)}#proof`, 303)
  })

  step('/promote/check', proofChecks, async (chosen, request, reply) => {
    const { destination } = chosen.choice
    const proof = proofs.running(request, destination.key)
    if (!proof) return sendOffer(deps, request, reply, chosen, { status: 400, message: NO_TOKEN })
    const outcome = await proofs.look(request, destination, proof)
    if (!outcome.foundBy) {
      return sendOffer(deps, request, reply, chosen, { status: 422, message: NOT_FOUND, link: SEEN, ...outcome })
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
    const cookie = sentCookie(request, PASS, links)
    const owned = passes.read(cookie, ownedIn(chosen), clock())
    const outcome = await orderFrom(deps, chosen, owned?.provedBy, request)
    if ('checkoutId' in outcome) return reply.redirect(`/checkout/${outcome.checkoutId}?pay=1`, 303)
    if (outcome.retryAfterSeconds) reply.header('retry-after', String(outcome.retryAfterSeconds))
    // It may have been listed or taken down since.
    const present = await readChosen(deps, request.body)
    if ('html' in present) return sendHtml(reply, 410, present.html)
    return sendOffer(deps, request, reply, present, outcome)
  })

  /** A form of the offer page, which sends the choice along with its own fields. */
  function step(path: string, limit: Allowance | undefined, act: StepHandler): void {
    app.post(path, { onRequest: ownPageOnly }, async (request, reply) => {
      const chosen = await readChosen(deps, request.body)
      if ('html' in chosen) return sendHtml(reply, chosen.isDown ? 410 : 400, chosen.html)
      const seconds = limit && (await refusedBy([limit], request, reply))
      if (seconds === undefined) return act(chosen, request, reply)
      return sendOffer(deps, request, reply, chosen, { status: 429, message: tooMany(seconds) })
    })
    // A refused step leaves the browser at its address; reopening that leads back.
    app.get(path, (_request, reply) => reply.redirect('/promote', 302))
  }

  function pass(reply: FastifyReply, chosen: Chosen, provedBy: Parameters<typeof passes.give>[1]) {
    giveCookie(reply, PASS, passes.give(ownedIn(chosen), provedBy, clock()), links)
    return reply.redirect(`${promotePath(chosen.choice)}#pay`, 303)
  }
}

const tooMany = (seconds: number) =>
  `Your network has tried too often. Please wait ${waitText(seconds)} and try again. Your choice is kept, and nothing was charged.`
const NOT_FOUND = 'We couldn’t find your token on the website yet.'
const SEEN = { href: '#proof', text: 'See what we found at each place.' }
const WRONG_LINK =
  'This is not this listing’s private link. Use the whole link from the receipt, up to its last character.'

/** Why no order was placed, as text for the buyer. There is nothing to pay. */
interface NoOrder {
  status: number
  message: string
  /** A link after the message. */
  link?: { href: string; text: string }
  retryAfterSeconds?: number | undefined
}

/** Places the order of a checkout form: checks ownership, consent and the shown price. */
async function orderFrom(
  deps: CheckoutDependencies,
  { choice }: Chosen,
  provedBy: Order['provedBy'] | undefined,
  request: FastifyRequest,
): Promise<{ checkoutId: string } | NoOrder> {
  const { rules, amount } = request.body as { rules?: unknown; amount?: unknown }
  if (!provedBy) return { status: 403, message: NO_PASS }
  if (rules !== CONTRACT_VERSION) return { status: 400, message: NO_CONSENT }
  // A malformed amount becomes 0, which is never the amount due.
  const amountCents = typeof amount === 'string' && /^[1-9]\d{0,8}$/.test(amount) ? Number(amount) : 0
  const order: Order = {
    ...choice,
    amountCents,
    provedBy,
    rulesVersion: rules,
    networks: clientNetworks(request),
  }
  try {
    const opening = await openCheckout(deps, order, request.log)
    if ('refused' in opening) return refusedOpening(opening)
    request.log.info({ checkoutId: opening.checkoutId, board: order.board, amountCents }, 'checkout opened')
    return opening
  } catch (error) {
    return noOrder(error, request)
  }
}

function refusedOpening(opening: Exclude<Opening, { checkoutId: string }>): NoOrder {
  if (opening.refused === 'order_pending') {
    const { id, amountCents } = opening.pending
    const link = { href: `/checkout/${id}`, text: 'See that order' }
    return { status: 409, message: `Nothing was ordered: ${dollars(amountCents)} ${ON_ITS_WAY}`, link }
  }
  if (opening.refused !== 'payment_waiting') return { status: 409, message: PRICE_CHANGED }
  // `returned` discards the cached answer, as when the payer comes back from the payment page.
  const link = { href: `/checkout/${opening.waitingId}?returned=1`, text: 'See that order' }
  return { status: 409, message: PAYMENT_WAITING, link }
}

function noOrder(error: unknown, request: FastifyRequest): NoOrder {
  const message = error instanceof Problem && messageOf(error)
  if (!(error instanceof Problem) || !message) throw error
  request.log[error.status === 503 ? 'warn' : 'info']({ err: error.cause ?? error, reason: error.reason }, error.code)
  return { status: error.status, message, retryAfterSeconds: error.retryAfterSeconds }
}

/** An API error as text for the buyer; undefined if the error has its own page. */
function messageOf({ code, message }: Problem): string | undefined {
  if (code === 'review_rejected') return `${message} Nothing was charged.`
  if (code === 'review_unavailable') return REVIEW_UNAVAILABLE
  return code === 'payments_unavailable' ? message : undefined
}

const NO_PASS =
  'Nothing was ordered. Please prove below again that the website is yours: we remember it for an hour, for one website at a time.'
const NO_CONSENT = 'Nothing was ordered. Please tick the box to agree to the rules.'
const PRICE_CHANGED = 'Nothing was ordered: the price has changed since you saw it. Please check it again.'
const ON_ITS_WAY =
  'for this website and board is already on its way. You can order again once it has arrived or failed.'
const PAYMENT_WAITING =
  'Nothing was ordered: a payment for this website is waiting for confirmation and will change the price.'
const REVIEW_UNAVAILABLE =
  'We couldn’t read your website right now, and we review it before you pay. Nothing was charged. Please try again in a minute.'

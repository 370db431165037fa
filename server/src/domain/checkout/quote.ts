import {
  MINIMUM_CHARGE_CENTS,
  PAYMENTS_OFF,
  QUOTE_LIFETIME_MS,
  QUOTE_PATH,
  type Quote,
  type QuoteBody,
  quoteSchema,
} from '@placard/contract'
import type { FastifyInstance } from 'fastify'
import type { SiteParts } from '../../platform/http/links.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { Problem } from '../../platform/http/problem.ts'
import { type Allowance, limitRate } from '../../platform/http/rate-limits/rate-limit.ts'
import { requireJson } from '../../platform/http/request-checks.ts'
import { nextMidnight } from '../../platform/lib/time.ts'
import { parseDestination } from '../destinations/destination.ts'
import { readPrice } from './price.ts'

/** Adds POST /api/v1/agent/quote (spec 4.3). It reads the ledger, writes nothing, and fetches nothing. */
export function quoteRoute(app: FastifyInstance, deps: SiteParts & { quoteAllowance: Allowance }): void {
  app.post<{ Body: QuoteBody }>(
    QUOTE_PATH,
    { schema: quoteSchema, ...OPEN, onRequest: [limitRate(deps.quoteAllowance), requireJson] },
    ({ body }): Promise<Quote> => quote(deps, body),
  )
}

const NOTHING_FOR_SALE =
  'This site sells no paid places, so no price can be given. Nothing was charged. Do not repeat the request.'

/** Returns a quote. @throws Problem invalid_destination, target_not_above_current, payment_evidence_unavailable */
export async function quote({ links, store, clock }: SiteParts, body: QuoteBody): Promise<Quote> {
  if (!links.site.sellsPlaces) {
    throw new Problem('payment_evidence_unavailable', { reason: PAYMENTS_OFF, message: NOTHING_FOR_SALE })
  }
  const destination = parseDestination(body.destination, links.hostname)
  const now = clock()
  const { board, targetBid } = body
  const price = await readPrice(store, { destinationKey: destination.key, board, targetBid }, now)
  if (price.chargeAmountCents < MINIMUM_CHARGE_CENTS) {
    throw new Problem('target_not_above_current', { field: 'targetBid' })
  }
  return {
    kind: 'non_binding_preview',
    currency: 'usd',
    chargeAmountCents: price.chargeAmountCents,
    expiresAt: Math.min(now + QUOTE_LIFETIME_MS, nextMidnight(now)),
    handoffUrl: links.promote({ destination, category: body.category, board, targetBid }),
    humanConfirmationRequired: true,
    chargeCreated: false,
    estimatedRank: price.estimatedRank,
  }
}

import {
  MINIMUM_CHARGE_CENTS,
  QUOTE_LIFETIME_MS,
  QUOTE_PATH,
  type Quote,
  type QuoteBody,
  quoteSchema,
} from '@placard/contract'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { parseDestination } from '../destinations/destination.ts'
import { requireJson } from '../http/json-body.ts'
import type { Links } from '../http/links.ts'
import { Problem } from '../http/problem.ts'
import { rateLimit } from '../http/rate-limit.ts'
import type { Store } from '../storage/store.ts'
import { nextMidnight } from '../time.ts'
import { readPrice } from './price.ts'

export interface QuoteDependencies {
  limits: Config['limits']
  links: Links
  store: Store
  clock: () => number
}

const ONE_MINUTE_MS = 60 * 1000

/** POST /api/v1/agent/quote (spec 4.3): reads the ledger, writes nothing, fetches nothing. */
export function quoteRoute(app: FastifyInstance, deps: QuoteDependencies): void {
  app.route<{ Body: QuoteBody }>({
    method: 'POST',
    url: QUOTE_PATH,
    schema: quoteSchema,
    onRequest: [
      rateLimit({
        name: 'quotesPerMinutePerIp',
        max: deps.limits.quotesPerMinutePerIp,
        windowMs: ONE_MINUTE_MS,
      }),
      requireJson,
    ],
    handler: ({ body }): Promise<Quote> => quote(deps, body),
  })
}

async function quote({ links, store, clock }: QuoteDependencies, body: QuoteBody): Promise<Quote> {
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

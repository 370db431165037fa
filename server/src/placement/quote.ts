import {
  type Board,
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
import { boardKey, readStanding, type Standing } from './board-totals.ts'

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
    onRequest: [rateLimit({ max: deps.limits.quotesPerMinutePerIp, windowMs: ONE_MINUTE_MS }), requireJson],
    handler: ({ body }): Promise<Quote> => quote(deps, body),
  })
}

async function quote({ links, store, clock }: QuoteDependencies, body: QuoteBody): Promise<Quote> {
  const destination = parseDestination(body.destination, links.hostname)
  const now = clock()
  const targetCents = body.targetBid * 100
  const evidence = await readEvidence(store, body.board, destination.key, targetCents, now)
  const chargeAmountCents = targetCents - evidence.totalCents
  if (chargeAmountCents < MINIMUM_CHARGE_CENTS) {
    throw new Problem('target_not_above_current', { field: 'targetBid' })
  }
  return {
    kind: 'non_binding_preview',
    currency: 'usd',
    chargeAmountCents,
    expiresAt: Math.min(now + QUOTE_LIFETIME_MS, nextMidnight(now)),
    handoffUrl: links.promote({
      destination: destination.url,
      category: body.category,
      board: body.board,
      target: body.targetBid,
    }),
    humanConfirmationRequired: true,
    chargeCreated: false,
    // Ties go to who was there first, so everybody already at the target stays ahead.
    estimatedRank: evidence.othersAhead + 1,
  }
}

/** What verified payments say. @throws Problem payment_evidence_unavailable rather than a price from a guess */
async function readEvidence(
  store: Store,
  board: Board,
  destinationKey: string,
  targetCents: number,
  now: number,
): Promise<Standing> {
  try {
    const key = boardKey(board, now)
    const [standing] = await readStanding(store, key, destinationKey, key, targetCents, destinationKey)
    if (!standing) throw new Error('the ledger gave no answer')
    return standing
  } catch (cause) {
    throw new Problem('payment_evidence_unavailable', { retryAfterSeconds: 5, cause })
  }
}

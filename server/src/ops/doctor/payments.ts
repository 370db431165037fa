import { readWebhookEndpoints, type WebhookEndpoint } from '../../domain/payments/stripe.ts'
import { HEARD_EVENTS } from '../../domain/payments/stripe-events.ts'
import { WEBHOOK_PATH } from '../../domain/payments/webhook.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Links } from '../../platform/http/links.ts'
import { type Check, failed, ok, warning } from './finding.ts'

/** Checks Stripe: whether the key works, and whether Stripe sends every event. */
export const checkPayments = ({ payments, stripe }: Config, links: Links): Check[] => [
  {
    about: 'payments',
    async run() {
      if (payments === 'none' && !stripe) return ok('none: no places are for sale, and no page shows a price')
      if (!stripe) return ok('the sandbox, which moves no money; set PAYMENTS=stripe to take some')
      const endpoints = await readWebhookEndpoints(stripe)
      if (endpoints === 'forbidden') {
        return warning('STRIPE_SECRET_KEY may not read webhook endpoints: allow it, or check them at Stripe')
      }
      const problem = problemWith(endpoints, links.base + WEBHOOK_PATH)
      if (problem !== undefined) return failed(problem)
      const money = stripe.name === 'stripe' ? 'live money' : 'test money'
      return ok(
        `the key is for ${money}, and Stripe sends all ${HEARD_EVENTS.length} events to ${links.base}${WEBHOOK_PATH}`,
      )
    },
  },
]

function problemWith(endpoints: readonly WebhookEndpoint[], url: string): string | undefined {
  const ours = endpoints.filter(endpoint => endpoint.url === url)
  if (ours.length === 0) return `Stripe has no webhook endpoint ${url}: add one there, or no payment counts`
  const enabled = ours.filter(({ status }) => status === 'enabled')
  if (enabled.length === 0) return `the webhook endpoint ${url} is disabled: enable it at Stripe, or no payment counts`
  const sent = new Set(enabled.flatMap(endpoint => endpoint.enabled_events))
  const missing = sent.has('*') ? [] : HEARD_EVENTS.filter(type => !sent.has(type))
  if (missing.length === 0) return undefined
  return `the webhook endpoint ${url} does not send ${missing.join(', ')}: select them at Stripe, or the boards become wrong`
}

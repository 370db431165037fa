import type { Row } from './row.ts'
import { address, flag, listOf, oneOf, origin, stripeKey, stripeWebhookSecret } from './values.ts'

/** Who takes the money. */
export const PAYMENTS_SETTINGS = {
  PAYMENTS: {
    default: 'sandbox',
    meaning:
      'Payment processor: `sandbox`, which stands in for Stripe, moves no money and runs only on loopback, or `stripe`.',
    parse: oneOf(['sandbox', 'stripe']),
  },
  SANDBOX_FROM: {
    unset: 'loopback only',
    meaning:
      'Addresses from which the sandbox answers besides loopback: in a container, the gateway through which its port on loopback is reached. See [deploy.md](deploy.md#the-demo).',
    parse: listOf(address),
  },
  STRIPE_SECRET_KEY: {
    unset: 'none',
    meaning:
      'Secret API key of the Stripe account; required with PAYMENTS=stripe. A test key needs a loopback BASE_URL, or ALLOW_TEST_MONEY.',
    parse: stripeKey,
  },
  STRIPE_WEBHOOK_SECRET: {
    unset: 'none',
    meaning:
      'Signing secret of the webhook endpoint BASE_URL/webhooks/stripe; required with PAYMENTS=stripe.',
    parse: stripeWebhookSecret,
  },
  ALLOW_TEST_MONEY: {
    unset: 'none',
    meaning:
      '1 allows a Stripe test key on a public address. Every page then says that the board uses play money.',
    parse: flag,
  },
  STRIPE_API_URL: {
    unset: "Stripe's own",
    meaning: 'Another address for the Stripe API. Only for tests.',
    parse: origin,
  },
} as const satisfies Record<string, Row>

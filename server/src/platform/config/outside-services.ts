import { parseVerifierKey } from '@placard/contract/log'
import { Secret } from '../lib/secret.ts'
import type { Row } from './row.ts'
import {
  address,
  fetchedAddress,
  flag,
  listOf,
  oneOf,
  origin,
  serviceKeys,
  stripeKey,
  stripeWebhookSecret,
  token,
} from './values.ts'

/** Settings of operator notifications: `docs/operate.md`. */
export const NOTIFICATION_SETTINGS = {
  OPERATOR_WEBHOOK_URL: {
    group: 'often',
    isSecret: true,
    meaning:
      'Address that receives operator notifications and a daily digest as signed JSON. See [operate.md](operate.md#notifications).',
    parse: fetchedAddress,
  },
  OPERATOR_WEBHOOK_SECRET: {
    group: 'often',
    isSecret: true,
    meaning:
      'Secret that signs the operator webhook: `whsec_` and 24 to 64 bytes in base64. Required with OPERATOR_WEBHOOK_URL.',
    parse: webhookSecret,
  },
  SMTP_URL: {
    group: 'first',
    isSecret: true,
    meaning:
      'Mail server for operator notifications and mail to owners: `smtp://user:password@host:port?from=placard@example.org`, or `smtps://…`. Without `from`, the first address of OPERATOR_MAIL_TO is the sender. See [operate.md](operate.md#notifications).',
    parse: smtpUrl,
  },
  OPERATOR_MAIL_TO: {
    group: 'first',
    meaning: 'Comma-separated mail addresses that receive operator notifications. Required with SMTP_URL.',
    parse: listOf(mailAddress),
  },
  SMTP_FROM: {
    group: 'old',
    meaning: '`from` in SMTP_URL: the sender of mails to operators and owners.',
    parse: mailAddress,
  },
} as const satisfies Record<string, Row>

/** @throws Error that never repeats the secret */
function webhookSecret(value: string): Secret {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(value) ?? []
  const bytes = Buffer.from(base64 ?? '', 'base64').length
  if (bytes >= 24 && bytes <= 64) return new Secret(Buffer.from(value))
  throw new Error('must be whsec_ and 24 to 64 bytes in base64; make one with: echo whsec_$(openssl rand -base64 32)')
}

/** Returns the server, and the sender if given. @throws Error that never repeats the value, which may hold a password */
function smtpUrl(value: string): { url: Secret; from: string | undefined; hasQuery: boolean } {
  const url = URL.parse(value)
  const from = url?.searchParams.get('from') ?? undefined
  // The library lets it win over our own option, so the password could leave this machine in clear text.
  if ((url?.searchParams.get('requireTLS') ?? 'true') !== 'true')
    throw new Error('must have requireTLS=true, or no requireTLS')
  if (url && /^smtps?:$/.test(url.protocol) && url.hostname !== '' && (from === undefined || MAIL_ADDRESS.test(from))) {
    return { url: new Secret(Buffer.from(value)), from, hasQuery: url.search !== '' }
  }
  throw new Error(
    'must be smtp://user:password@host:port?from=placard@example.org or smtps://…, with special characters percent-encoded',
  )
}

const MAIL_ADDRESS = /^[^\s@<>,;:"()[\]\\]{1,64}@[^\s@<>,;:"()\\]{1,255}$/

function mailAddress(value: string): string {
  if (MAIL_ADDRESS.test(value)) return value
  throw new Error(`must be a mail address like ops@example.org, not "${value}"`)
}

export const PAYMENTS_SETTINGS = {
  PAYMENTS: {
    group: 'first',
    unset: '`stripe` with a Stripe key or secret, or else `sandbox` on loopback and `none` elsewhere',
    meaning:
      'Payment processor: `stripe`, or `sandbox`, which stands in for Stripe, moves no money and runs only on loopback. With `none`, Placard sells no places and shows no prices.',
    parse: oneOf(['none', 'sandbox', 'stripe']),
  },
  SANDBOX_FROM: {
    group: 'tests',
    unset: 'loopback only',
    meaning:
      'Further addresses that may use the sandbox: in a container, the gateway through which the published port is reached. See [install.md](install.md#the-demo).',
    parse: listOf(address),
  },
  STRIPE_SECRET_KEY: {
    group: 'often',
    isSecret: true,
    meaning:
      'Secret API key of the Stripe account. Required with PAYMENTS=stripe. A test key needs a loopback BASE_URL, or ALLOW_TEST_MONEY.',
    parse: stripeKey,
  },
  STRIPE_WEBHOOK_SECRET: {
    group: 'often',
    isSecret: true,
    meaning: 'Signing secret of the webhook endpoint BASE_URL/webhooks/stripe. Required with PAYMENTS=stripe.',
    parse: stripeWebhookSecret,
  },
  ALLOW_TEST_MONEY: {
    group: 'tests',
    meaning: '1 allows a Stripe test key on a public address. Every page then says that the site uses play money.',
    parse: flag,
  },
  STRIPE_API_URL: {
    group: 'tests',
    unset: "Stripe's own",
    meaning: 'Another address for the Stripe API. Only for tests.',
    parse: origin,
  },
} as const satisfies Record<string, Row>

/** The caches that Placard can purge. */
const PURGE_APIS = ['cloudflare', 'fastly', 'varnish', 'souin'] as const

export type PurgeApi = (typeof PURGE_APIS)[number]

/** Where and how to purge. */
export interface PurgeConfig {
  api: PurgeApi
  url: string
  token: Secret | undefined
}

/** Settings of cache purging: `docs/scaling.md`. */
export const CDN_SETTINGS = {
  PURGE_URL: {
    group: 'rarely',
    isSecret: true,
    meaning:
      'Purge endpoint of the cache in front of Placard. With it, that cache may keep pages for a minute, listings included. See [scaling.md](scaling.md#purging).',
    parse: fetchedAddress,
  },
  PURGE_API: {
    group: 'rarely',
    default: 'cloudflare',
    meaning: `Protocol of PURGE_URL: ${PURGE_APIS.join(', ')}.`,
    parse: oneOf(PURGE_APIS),
  },
  PURGE_TOKEN: {
    group: 'rarely',
    isSecret: true,
    meaning: 'Secret that Placard sends to PURGE_URL.',
    parse: token,
  },
} as const satisfies Record<string, Row>

/** Settings of the public log: `docs/operate.md`. */
export const LOG_SETTINGS = {
  SIGNING_KEY: {
    group: 'rarely',
    isSecret: true,
    unset: 'derived from the service key',
    meaning:
      'Ed25519 seed that signs the log: 32 bytes in hex, identical on every instance. Several with commas, newest first, at most 4: all of them sign. See [operate.md](operate.md#the-log).',
    parse: signingKeys,
  },
  WITNESSES: {
    group: 'rarely',
    meaning:
      'Comma-separated witnesses that cosign the log, at most 8: the verifier key of each, a space, and its address. See [operate.md](operate.md#witnesses).',
    parse: witnesses,
  },
  WITNESS_FOR: {
    group: 'rarely',
    meaning:
      'Comma-separated verifier keys of other logs that this site cosigns at `/witness/add-checkpoint`. See [operate.md](operate.md#witnesses).',
    parse: listOf(logKey),
  },
} as const satisfies Record<string, Row>

/** Every key signs every checkpoint, and readers may refuse a checkpoint with more than 16 signatures. */
export const SIGNING_KEYS_MAX = 4

function signingKeys(value: string): Secret[] {
  return atMost(SIGNING_KEYS_MAX, serviceKeys(value.split(',')))
}

/** Returns the verifier key of each witness, and the prefix of its addresses without a trailing slash. */
function witnesses(value: string) {
  const pairs = listOf(item => item.split(/\s+/))(value)
  return atMost(8, pairs).map(([vkey = '', url = '', ...more]) => {
    if (url === '' || more.length > 0) {
      throw new Error('must be a list of verifier keys, each with a space and the address of that witness')
    }
    return { vkey: verifierKey(vkey, { isWitness: true }), url: fetchedAddress(url).replace(/\/$/, '') }
  })
}

function logKey(value: string): string {
  return verifierKey(value, { isWitness: false })
}

function verifierKey(vkey: string, { isWitness }: { isWitness: boolean }): string {
  try {
    if (parseVerifierKey(vkey).isWitness === isWitness) return vkey
  } catch (error) {
    throw new Error(`must have valid verifier keys. ${(error as Error).message}`)
  }
  throw new Error(`must have keys that ${isWitness ? 'cosign' : 'sign'} checkpoints, and "${vkey}" does not`)
}

function atMost<T>(most: number, items: T[]): T[] {
  if (items.length <= most) return items
  throw new Error(`must be a list of at most ${most}, not ${items.length}`)
}

/** Each has its own kind of money: real, of Stripe's test mode, or the sandbox's. One site counts only one kind. */
export type ProcessorName = 'stripe' | 'stripe_test' | 'sandbox'

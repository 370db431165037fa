import { DEFAULT_PUBLISH_LIMITS } from '@placard/contract'

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/**
 * Every setting: an environment variable, its default in words, and what it means. The docs are made from this; where
 * that is a value, it is taken from here.
 */
export const SETTINGS = {
  HOST: ['127.0.0.1', 'Address to listen on.'],
  PORT: ['8080', 'Port to listen on; 0 picks a free one and logs it.'],
  BASE_URL: ['from host and port', 'Public address of the service, used in every link.'],
  DATA_DIR: ['./data', 'Folder of `placard.db` and `service.key`.'],
  DATABASE_URL: ['SQLite in DATA_DIR', '`postgres://…` stores everything in PostgreSQL 14 or later.'],
  SERVICE_KEY: [
    'made once in DATA_DIR',
    '32 bytes in hex; must be set with PostgreSQL, the same on every instance. Several, newest first, after a change.',
  ],
  TRUSTED_PROXIES: ['none', 'Comma-separated CIDR list of proxies whose X-Forwarded-For is believed.'],
  SUBMISSIONS_END_AT: ['none: open', 'ISO date-time with zone after which new submissions get 410.'],
  DNS_SERVERS: ["the system's", 'Comma-separated `host:port` list of the resolvers the page fetcher asks.'],
  FETCH_CONNECT_TO: [
    'none',
    '`HOST1:PORT1:HOST2:PORT2,…`: connect to HOST2:PORT2 instead, without DNS and address check. For demos and tests only.',
  ],
  SUPPORT_URL: ['BASE_URL/support', 'Where people are sent for help.'],
  LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: [
    String(DEFAULT_PUBLISH_LIMITS.requestsPerTenMinutesPerIp),
    'Publish requests of one client address in ten minutes.',
  ],
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: [
    String(DEFAULT_PUBLISH_LIMITS.newAttemptsPerDayPerIp),
    'New submissions of one client address in a UTC day.',
  ],
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_HOST: [
    String(DEFAULT_PUBLISH_LIMITS.newAttemptsPerDayPerHost),
    'New submissions for one website in a UTC day.',
  ],
  LIMIT_NEW_ATTEMPTS_PER_DAY_GLOBAL: [
    String(DEFAULT_PUBLISH_LIMITS.newAttemptsPerDayGlobal),
    'New submissions of everybody in a UTC day.',
  ],
  LIMIT_QUOTES_PER_MINUTE_PER_IP: ['120', 'Quotes for one client address in a minute.'],
  LIMIT_CHECKOUTS_PER_TEN_MINUTES_PER_IP: [
    '10',
    'Checkouts, and checks of a site proof, of one client address in ten minutes.',
  ],
  LIMIT_CONNECTIONS: ['1000', 'Connections open at once; one more takes the place of the quietest.'],
  PAYMENTS: [
    'sandbox',
    'Payment processor: `sandbox` plays one, moves no money and runs on loopback only; or `stripe`.',
  ],
  STRIPE_SECRET_KEY: [
    'none',
    'Secret API key of the Stripe account; needed with PAYMENTS=stripe. A test key only where BASE_URL is loopback.',
  ],
  STRIPE_WEBHOOK_SECRET: [
    'none',
    'Signing secret of the webhook endpoint BASE_URL/webhooks/stripe; needed with PAYMENTS=stripe.',
  ],
  ALLOW_TEST_MONEY: [
    'none',
    "1 lets a test key of Stripe be used on a public address. Every page then says that the board's money is play.",
  ],
  STRIPE_API_URL: ["Stripe's own", 'Where the Stripe API is asked instead. For tests only.'],
  LOG_LEVEL: ['info', `How much is logged: ${LOG_LEVELS.join(', ')}.`],
} as const satisfies Record<string, readonly [defaultInWords: string, meaning: string]>

export type Setting = keyof typeof SETTINGS
export type Env = Partial<Record<Setting, string>>

/** Picks the settings out of an environment. An empty value counts as not set, as shells and compose files mean it. */
export function readEnv(environment: NodeJS.ProcessEnv = process.env): Env {
  const env: Env = {}
  for (const name of Object.keys(SETTINGS) as Setting[]) {
    const value = environment[name]?.trim()
    if (value) env[name] = value
  }
  return env
}

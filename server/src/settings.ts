import { DEFAULT_PUBLISH_LIMITS } from '@placard/contract'
import {
  addressAndPort,
  cidr,
  connectTo,
  flag,
  hostToListenOn,
  instant,
  LOG_LEVELS,
  limit,
  listOf,
  oneOf,
  origin,
  postgresUrl,
  serviceKeys,
  stripeKey,
  stripeWebhookSecret,
  text,
  webAddress,
  wholeNumber,
} from './setting-values.ts'

/** One environment variable. */
type Row = {
  meaning: string
  /** What a value comes to. @throws Error whose message goes on after the name: "must be …" */
  parse(value: string): unknown
} & (
  | {
      /** The value it has where none is set. */
      default: string
    }
  | {
      /** What an unset one means, in words; it comes to undefined. */
      unset: string
    }
)

/** Every setting. The docs are made from this. */
export const SETTINGS = {
  HOST: { default: '127.0.0.1', meaning: 'Address to listen on.', parse: hostToListenOn },
  PORT: {
    default: '8080',
    meaning: 'Port to listen on; 0 picks a free one and logs it.',
    parse: wholeNumber(0, 65_535),
  },
  BASE_URL: {
    unset: 'from host and port',
    meaning: 'Public address of the service, used in every link.',
    parse: origin,
  },
  DATA_DIR: { default: './data', meaning: 'Folder of `placard.db`, `service.key` and, with the sandbox, `sandbox.db`.', parse: text },
  DATABASE_URL: {
    unset: 'SQLite in DATA_DIR',
    meaning: '`postgres://…` stores everything in PostgreSQL 14 or later.',
    parse: postgresUrl,
  },
  SERVICE_KEY: {
    unset: 'made once in DATA_DIR',
    meaning:
      '32 bytes in hex; must be set with PostgreSQL, the same on every instance. Several, newest first, after a change.',
    parse: value => serviceKeys(value.split(',')),
  },
  TRUSTED_PROXIES: {
    unset: 'none',
    meaning: 'Comma-separated CIDR list of proxies whose X-Forwarded-For is believed.',
    parse: listOf(cidr),
  },
  SUBMISSIONS_END_AT: {
    unset: 'none: open',
    meaning: 'ISO date-time with zone after which new submissions get 410.',
    parse: instant,
  },
  DNS_SERVERS: {
    unset: "the system's",
    meaning: 'Comma-separated `host:port` list of the resolvers the page fetcher asks.',
    parse: listOf(addressAndPort),
  },
  FETCH_CONNECT_TO: {
    unset: 'none',
    meaning:
      '`HOST1:PORT1:HOST2:PORT2,…`: connect to HOST2:PORT2 instead, without DNS and address check. For demos and tests only.',
    parse: listOf(connectTo),
  },
  SUPPORT_URL: {
    unset: 'BASE_URL/support',
    meaning: 'Where people are sent for help.',
    parse: webAddress,
  },
  LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: {
    default: String(DEFAULT_PUBLISH_LIMITS.requestsPerTenMinutesPerIp),
    meaning: 'Publish requests of one client address in ten minutes.',
    parse: limit,
  },
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: {
    default: String(DEFAULT_PUBLISH_LIMITS.newAttemptsPerDayPerIp),
    meaning: 'New submissions of one client address in a UTC day.',
    parse: limit,
  },
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_HOST: {
    default: String(DEFAULT_PUBLISH_LIMITS.newAttemptsPerDayPerHost),
    meaning: 'New submissions for one website in a UTC day.',
    parse: limit,
  },
  LIMIT_NEW_ATTEMPTS_PER_DAY_GLOBAL: {
    default: String(DEFAULT_PUBLISH_LIMITS.newAttemptsPerDayGlobal),
    meaning: 'New submissions of everybody in a UTC day.',
    parse: limit,
  },
  LIMIT_QUOTES_PER_MINUTE_PER_IP: {
    default: '120',
    meaning: 'Quotes for one client address in a minute.',
    parse: limit,
  },
  LIMIT_CHECKOUTS_PER_TEN_MINUTES_PER_IP: {
    default: '10',
    meaning: 'Checkouts, and checks of a site proof, of one client address in ten minutes.',
    parse: limit,
  },
  LIMIT_CONNECTIONS: {
    default: '1000',
    meaning: 'Connections open at once; one more takes the place of the quietest.',
    parse: limit,
  },
  PAYMENTS: {
    default: 'sandbox',
    meaning: 'Payment processor: `sandbox` stands in for Stripe, moves no money and runs on loopback only; or `stripe`.',
    parse: oneOf(['sandbox', 'stripe']),
  },
  STRIPE_SECRET_KEY: {
    unset: 'none',
    meaning:
      'Secret API key of the Stripe account; needed with PAYMENTS=stripe. A test key only where BASE_URL is loopback.',
    parse: stripeKey,
  },
  STRIPE_WEBHOOK_SECRET: {
    unset: 'none',
    meaning: 'Signing secret of the webhook endpoint BASE_URL/webhooks/stripe; needed with PAYMENTS=stripe.',
    parse: stripeWebhookSecret,
  },
  ALLOW_TEST_MONEY: {
    unset: 'none',
    meaning:
      "1 lets a test key of Stripe be used on a public address. Every page then says that the board's money is play.",
    parse: flag,
  },
  STRIPE_API_URL: {
    unset: "Stripe's own",
    meaning: 'Where the Stripe API is asked instead. For tests only.',
    parse: origin,
  },
  LOG_LEVEL: {
    default: 'info',
    meaning: `How much is logged: ${LOG_LEVELS.join(', ')}.`,
    parse: oneOf(LOG_LEVELS),
  },
} as const satisfies Record<string, Row>

type Table = typeof SETTINGS
export type Setting = keyof Table
export type Env = Partial<Record<Setting, string>>

/** What every setting comes to. */
export type Settings = {
  [S in Setting]: ReturnType<Table[S]['parse']> | (Table[S] extends { default: string } ? never : undefined)
}

const ROWS = Object.entries<Row>(SETTINGS) as [Setting, Row][]

/** Every setting as people read of it. */
export const describeSettings = (): { name: Setting; fallback: string; meaning: string }[] =>
  ROWS.map(([name, row]) => ({
    name,
    fallback: 'default' in row ? row.default : row.unset,
    meaning: row.meaning,
  }))

/** Picks the settings out of an environment. An empty value counts as not set, as shells and compose files mean it. */
export function readEnv(environment: NodeJS.ProcessEnv = process.env): Env {
  const env: Env = {}
  for (const [name] of ROWS) {
    const value = environment[name]?.trim()
    if (value) env[name] = value
  }
  return env
}

/** A setting that cannot be used. The message is one line and names the setting. */
export class BadSetting extends Error {
  constructor(setting: Setting, problem: string) {
    super(`${setting} ${problem}`)
    this.name = 'BadSetting'
  }
}

/** Parses every setting, each by itself. Pure. @throws BadSetting of the first that cannot be used */
export const parseSettings = (env: Env): Settings =>
  Object.fromEntries(ROWS.map(([name, row]) => [name, parseSetting(name, row, env[name])])) as Settings

function parseSetting(name: Setting, row: Row, given: string | undefined): unknown {
  const value = given ?? ('default' in row ? row.default : undefined)
  if (value === undefined) return undefined
  try {
    return row.parse(value)
  } catch (error) {
    throw new BadSetting(name, (error as Error).message)
  }
}

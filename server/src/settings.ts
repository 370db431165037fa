import { DEFAULT_CHECK_LIMITS, DEFAULT_PUBLISH_LIMITS } from '@placard/contract'
import {
  accent,
  addressAndPort,
  chosenReviewer,
  cidr,
  connectTo,
  flag,
  hostName,
  hostToListenOn,
  instant,
  LOG_LEVELS,
  limit,
  listOf,
  oneOf,
  origin,
  postgresUrl,
  REVIEWERS,
  serviceKeys,
  siteWords,
  stripeKey,
  stripeWebhookSecret,
  text,
  webAddress,
  wholeNumber,
} from './setting-values.ts'
import { PLACARD } from './site/placard.ts'

/** One environment variable. */
type Row = {
  meaning: string
  /** Parses a value. @throws Error whose message continues after the setting's name: "must be …" */
  parse(value: string): unknown
} & (
  | {
      /** The value if none is set. */
      default: string
    }
  | {
      /** What leaving it unset means, in words; its value is then undefined. */
      unset: string
    }
)

/** Every setting. The docs are generated from this table. */
export const SETTINGS = {
  HOST: { default: '127.0.0.1', meaning: 'Address to listen on.', parse: hostToListenOn },
  PORT: {
    default: '8080',
    meaning: 'Port to listen on; 0 picks a free port and logs it.',
    parse: wholeNumber(0, 65_535),
  },
  BASE_URL: {
    unset: 'from host and port',
    meaning: 'Public address of the service, used in every link.',
    parse: origin,
  },
  DATA_DIR: {
    default: './data',
    meaning: 'Folder for `placard.db`, `service.key` and the sandbox’s `sandbox.db`.',
    parse: text,
  },
  DATABASE_URL: {
    unset: 'SQLite in DATA_DIR',
    meaning: '`postgres://…` stores everything in PostgreSQL 14 or later.',
    parse: postgresUrl,
  },
  SERVICE_KEY: {
    unset: 'made once in DATA_DIR',
    meaning:
      '32 bytes in hex. Required with PostgreSQL, and the same on every instance. After a change, several keys, newest first.',
    parse: value => serviceKeys(value.split(',')),
  },
  TRUSTED_PROXIES: {
    unset: 'none',
    meaning: 'Comma-separated CIDR list of proxies whose X-Forwarded-For the service trusts.',
    parse: listOf(cidr),
  },
  SUBMISSIONS_END_AT: {
    unset: 'none: open',
    meaning: 'ISO date-time with zone after which new submissions get 410.',
    parse: instant,
  },
  DNS_SERVERS: {
    unset: "the system's",
    meaning: 'Comma-separated `host:port` list of resolvers for the page fetcher.',
    parse: listOf(addressAndPort),
  },
  FETCH_CONNECT_TO: {
    unset: 'none',
    meaning:
      '`HOST1:PORT1:HOST2:PORT2,…`: connect to HOST2:PORT2 instead, without DNS or address check. Only for demos and tests.',
    parse: listOf(connectTo),
  },
  REVIEWERS: {
    default: REVIEWERS.join(),
    meaning:
      'Comma-separated list of those who review pages; `name:flag` only notes what it finds. docs/review.md says what each does.',
    parse: listOf(chosenReviewer),
  },
  BLOCKLISTS: {
    unset: 'none',
    meaning:
      'Comma-separated list of files, or folders of files, with hosts to refuse. Changes are read within five seconds.',
    parse: listOf(text),
  },
  PROTECTED_HOSTS: {
    unset: 'none',
    meaning: 'Comma-separated list of hosts whose names `look-alikes` protects, beside those it knows.',
    parse: listOf(hostName),
  },
  SUPPORT_URL: {
    unset: 'BASE_URL/support',
    meaning: 'Where people get help.',
    parse: webAddress,
  },
  LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: {
    default: String(DEFAULT_PUBLISH_LIMITS.requestsPerTenMinutesPerIp),
    meaning: 'Publish requests per client address in ten minutes, and as many checks.',
    parse: limit,
  },
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: {
    default: String(DEFAULT_PUBLISH_LIMITS.newAttemptsPerDayPerIp),
    meaning: 'New submissions per client address and UTC day.',
    parse: limit,
  },
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_HOST: {
    default: String(DEFAULT_PUBLISH_LIMITS.newAttemptsPerDayPerHost),
    meaning: 'New submissions per website and UTC day.',
    parse: limit,
  },
  LIMIT_NEW_ATTEMPTS_PER_DAY_GLOBAL: {
    default: String(DEFAULT_PUBLISH_LIMITS.newAttemptsPerDayGlobal),
    meaning: 'New submissions in total per UTC day.',
    parse: limit,
  },
  LIMIT_CHECKS_PER_DAY_PER_IP: {
    default: String(DEFAULT_CHECK_LIMITS.checksPerDayPerIp),
    meaning: 'Checks that read a page, per client address and UTC day; each instance counts by itself.',
    parse: limit,
  },
  LIMIT_CHECKS_PER_DAY_PER_HOST: {
    default: String(DEFAULT_CHECK_LIMITS.checksPerDayPerHost),
    meaning: 'The same per website.',
    parse: limit,
  },
  LIMIT_QUOTES_PER_MINUTE_PER_IP: {
    default: '120',
    meaning: 'Quotes per client address and minute.',
    parse: limit,
  },
  LIMIT_CHECKOUTS_PER_TEN_MINUTES_PER_IP: {
    default: '10',
    meaning: 'Checkouts, and site-proof checks, per client address in ten minutes.',
    parse: limit,
  },
  LIMIT_CONNECTIONS: {
    default: '1000',
    meaning: 'Open connections; one more closes the one idle longest.',
    parse: limit,
  },
  PAYMENTS: {
    default: 'sandbox',
    meaning:
      'Payment processor: `sandbox`, which stands in for Stripe, moves no money and runs only on loopback, or `stripe`.',
    parse: oneOf(['sandbox', 'stripe']),
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
  SITE_NAME: {
    default: PLACARD.name,
    meaning:
      'What the board is called: on its pages, in feeds, pictures and the texts for agents. At most 30 characters.',
    parse: siteWords(30),
  },
  SITE_TAGLINE: {
    default: PLACARD.tagline,
    meaning:
      'A few words on what it is, without a full stop: the title of the home page. At most 80 characters.',
    parse: siteWords(80),
  },
  SITE_LOGO: {
    unset: 'the name, in type',
    meaning:
      'Path of an SVG file that stands for the name at the top of each page; on the home page, it stands on the accent. At most 64 KiB, without scripts and references to other files.',
    parse: text,
  },
  SITE_ACCENT: {
    unset: 'Placard’s green, #0f4a3a',
    meaning:
      'Colour of the board and of the foot of pages, like #0f4a3a. It needs a contrast of 4.5:1 with paper (#faf8f2); the variants for the dark theme follow from it.',
    parse: accent,
  },
  LOG_LEVEL: {
    default: 'info',
    meaning: `How much to log: ${LOG_LEVELS.join(', ')}.`,
    parse: oneOf(LOG_LEVELS),
  },
} as const satisfies Record<string, Row>

type Table = typeof SETTINGS
export type Setting = keyof Table
export type Env = Partial<Record<Setting, string>>

/** The parsed settings. */
export type Settings = {
  [S in Setting]: ReturnType<Table[S]['parse']> | (Table[S] extends { default: string } ? never : undefined)
}

const ROWS = Object.entries<Row>(SETTINGS) as [Setting, Row][]

/** Every setting, for docs and help. */
export const describeSettings = (): { name: Setting; fallback: string; meaning: string }[] =>
  ROWS.map(([name, row]) => ({
    name,
    fallback: 'default' in row ? row.default : row.unset,
    meaning: row.meaning,
  }))

/** Picks the settings from an environment. An empty value counts as unset, as in shells and compose files. */
export function readEnv(environment: NodeJS.ProcessEnv = process.env): Env {
  const env: Env = {}
  for (const [name] of ROWS) {
    const value = environment[name]?.trim()
    if (value) env[name] = value
  }
  return env
}

/** A bad setting. The message is one line and names the setting. */
export class BadSetting extends Error {
  constructor(setting: Setting, problem: string) {
    super(`${setting} ${problem}`)
    this.name = 'BadSetting'
  }
}

/** Parses each setting by itself. Pure. @throws BadSetting for the first bad one */
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

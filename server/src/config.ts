import { isIP } from 'node:net'
import type { PublishLimits } from '@placard/contract'
import ipaddr from 'ipaddr.js'
import { type ConnectTo, parseConnectTo } from './fetcher/connect-to.ts'
import { Secret } from './secret.ts'
import { type Env, LOG_LEVELS, SETTINGS, type Setting } from './settings.ts'

export interface Config {
  host: string
  port: number
  /** Origin without a trailing slash; undefined until the service listens, where it follows from host and port. */
  baseUrl: string | undefined
  dataDir: string
  /** Undefined means SQLite in `dataDir`. */
  databaseUrl: string | undefined
  /** Newest first; undefined means the key file in `dataDir`. */
  serviceKeys: Secret[] | undefined
  trustedProxies: string[]
  /** Unix milliseconds. */
  submissionsEndAt: number | undefined
  dnsServers: string[]
  connectTo: ConnectTo[]
  supportUrl: string | undefined
  limits: PublishLimits & { quotesPerMinutePerIp: number; checkoutsPerTenMinutesPerIp: number }
  connectionsMax: number
  payments: PaymentsConfig
  /** Whether every page has to say that the money is play. */
  isMoneyPlay: boolean
  logLevel: (typeof LOG_LEVELS)[number]
}

type PaymentsConfig = { processor: 'sandbox' } | StripeConfig

export interface StripeConfig {
  processor: 'stripe'
  /** Whether the key is of the mode that moves money. */
  livemode: boolean
  secretKey: Secret
  webhookSecret: Secret
  /** Origin of the API; undefined means Stripe's own. */
  apiUrl: string | undefined
}

/** A setting that cannot be used. The message is one line and names the setting. */
class BadSetting extends Error {
  constructor(setting: Setting, problem: string) {
    super(`${setting} ${problem}`)
    this.name = 'BadSetting'
  }
}

/** Decides and checks every setting. Pure. @throws BadSetting with one clear line */
export function configFrom(env: Env): Config {
  // First: what follows asks who can reach it.
  const host = hostToListenOn(env.HOST ?? SETTINGS.HOST[0])
  const paid = payments(env)
  return {
    host,
    port: wholeNumber(env, 'PORT', 0, 65_535),
    baseUrl: env.BASE_URL === undefined ? undefined : origin('BASE_URL', env.BASE_URL),
    dataDir: env.DATA_DIR ?? SETTINGS.DATA_DIR[0],
    databaseUrl: env.DATABASE_URL === undefined ? undefined : postgresUrl(env.DATABASE_URL),
    serviceKeys: serviceKeys(env),
    trustedProxies: list(env.TRUSTED_PROXIES).map(cidr),
    submissionsEndAt: env.SUBMISSIONS_END_AT === undefined ? undefined : instant(env.SUBMISSIONS_END_AT),
    dnsServers: list(env.DNS_SERVERS).map(dnsServer),
    connectTo: connectTo(env.FETCH_CONNECT_TO),
    supportUrl: env.SUPPORT_URL === undefined ? undefined : webAddress(env.SUPPORT_URL),
    limits: {
      requestsPerTenMinutesPerIp: limit(env, 'LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP'),
      newAttemptsPerDayPerIp: limit(env, 'LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP'),
      newAttemptsPerDayPerHost: limit(env, 'LIMIT_NEW_ATTEMPTS_PER_DAY_PER_HOST'),
      newAttemptsPerDayGlobal: limit(env, 'LIMIT_NEW_ATTEMPTS_PER_DAY_GLOBAL'),
      quotesPerMinutePerIp: limit(env, 'LIMIT_QUOTES_PER_MINUTE_PER_IP'),
      checkoutsPerTenMinutesPerIp: limit(env, 'LIMIT_CHECKOUTS_PER_TEN_MINUTES_PER_IP'),
    },
    connectionsMax: limit(env, 'LIMIT_CONNECTIONS'),
    payments: paid,
    isMoneyPlay: allowsTestMoney(env) && paid.processor === 'stripe' && !paid.livemode,
    logLevel: logLevel(env.LOG_LEVEL ?? SETTINGS.LOG_LEVEL[0]),
  }
}

const list = (value: string | undefined) =>
  (value ?? '')
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '')

/** An address or a name. What ends in a number can only be meant as an IPv4 address. */
function hostToListenOn(text: string): string {
  const isName =
    /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_-]*[a-z_-][a-z0-9_-]*$/i.test(text)
  if (isIP(text) || isName) return text
  throw new BadSetting('HOST', `must be an IP address or a name of this machine, not "${text}"`)
}

function wholeNumber(env: Env, setting: Setting, least: number, most: number): number {
  const text = env[setting] ?? SETTINGS[setting][0]
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= least && value <= most)) {
    throw new BadSetting(setting, `must be a whole number from ${least} to ${most}, not "${text}"`)
  }
  return value
}

const limit = (env: Env, setting: Setting) => wholeNumber(env, setting, 1, 1_000_000_000)

function payments(env: Env): PaymentsConfig {
  const { PAYMENTS: processor = SETTINGS.PAYMENTS[0], STRIPE_API_URL: apiUrl } = env
  if (processor === 'sandbox') {
    refusePublicSandbox(env)
    return { processor }
  }
  if (processor !== 'stripe')
    throw new BadSetting('PAYMENTS', `must be sandbox or stripe, not "${processor}"`)
  const secretKey = stripeSecret(env, 'STRIPE_SECRET_KEY', STRIPE_KEY_SHAPE, /^[sr]k_(live|test)_\w+$/)
  const livemode = /^.._live_/.test(secretKey.reveal().toString())
  if (!livemode) refusePublicTestMoney(env)
  return {
    processor,
    livemode,
    secretKey,
    webhookSecret: stripeSecret(env, 'STRIPE_WEBHOOK_SECRET', 'whsec_…', /^whsec_\S+$/),
    apiUrl: apiUrl === undefined ? undefined : origin('STRIPE_API_URL', apiUrl),
  }
}

const STRIPE_KEY_SHAPE = 'sk_live_… or rk_live_…, or a test key on loopback,'

/** A place that anybody can take for nothing must never be where the public can see it. */
function refusePublicSandbox(env: Env): void {
  const host = publicHost(env)
  if (host === undefined) return
  throw new BadSetting(
    'PAYMENTS',
    `sandbox moves no money and runs on loopback only, not on ${host}; set PAYMENTS=stripe, or a loopback BASE_URL`,
  )
}

/** The same of Stripe's test mode, unless every page says so. */
function refusePublicTestMoney(env: Env): void {
  const host = publicHost(env)
  if (host === undefined || allowsTestMoney(env)) return
  throw new BadSetting(
    'STRIPE_SECRET_KEY',
    `is a test key, with which anybody can take a place on ${host} for nothing; use a live key, or set ALLOW_TEST_MONEY=1 for a board whose pages all say that its money is play`,
  )
}

/** The host that others than this computer reach the service by, as far as the settings say. */
function publicHost({ BASE_URL, HOST = SETTINGS.HOST[0] }: Env): string | undefined {
  const host = BASE_URL ? new URL(origin('BASE_URL', BASE_URL)).hostname : HOST
  const isWildcard = !BASE_URL && /^(0\.0\.0\.0|::)$/.test(host)
  return isLoopback(host) || isWildcard ? undefined : host
}

function allowsTestMoney({ ALLOW_TEST_MONEY: allowed }: Env): boolean {
  if (allowed === undefined || allowed === '1') return allowed === '1'
  throw new BadSetting('ALLOW_TEST_MONEY', `must be 1 or left out, not "${allowed}"`)
}

/** Whether a host is this very computer, which nobody else reaches. */
export const isLoopback = (host: string): boolean =>
  /^(127\.\d+\.\d+\.\d+|\[?::1\]?|([\w-]+\.)*localhost)$/i.test(host)

function stripeSecret(
  env: Env,
  setting: 'STRIPE_SECRET_KEY' | 'STRIPE_WEBHOOK_SECRET',
  shape: string,
  pattern: RegExp,
): Secret {
  const value = env[setting] ?? ''
  if (!pattern.test(value)) throw new BadSetting(setting, `must be set to ${shape} with PAYMENTS=stripe`)
  return new Secret(Buffer.from(value))
}

function origin(setting: 'BASE_URL' | 'STRIPE_API_URL', text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new BadSetting(setting, `must be http(s)://host[:port] without a path, not "${text}"`)
  }
  return url.origin
}

function webAddress(text: string): string {
  if (!URL.canParse(text) || !/^(https?|mailto):$/.test(new URL(text).protocol)) {
    throw new BadSetting('SUPPORT_URL', `must be an http, https or mailto address, not "${text}"`)
  }
  return text
}

function postgresUrl(text: string): string {
  // The value holds a password: the message must not repeat it.
  if (!URL.canParse(text) || !/^postgres(ql)?:$/.test(new URL(text).protocol)) {
    throw new BadSetting('DATABASE_URL', 'must be a postgres:// address; leave it out for SQLite in DATA_DIR')
  }
  return text
}

function serviceKeys(env: Env): Secret[] | undefined {
  if (env.SERVICE_KEY !== undefined) return serviceKeysFrom(env.SERVICE_KEY.split(','))
  if (env.DATABASE_URL === undefined) return undefined
  throw new BadSetting(
    'SERVICE_KEY',
    'must be set with DATABASE_URL: 32 bytes in hex, the same on every instance',
  )
}

/** Reads service keys: 32 bytes in hex each, blank ones left out. @throws BadSetting without repeating a value */
export function serviceKeysFrom(texts: string[]): Secret[] {
  const keys = texts.map(text => text.trim().toLowerCase()).filter(text => text !== '')
  if (keys.length === 0 || !keys.every(hex => /^[0-9a-f]{64}$/.test(hex))) {
    throw new BadSetting(
      'SERVICE_KEY',
      'must be 32 bytes in hex (64 digits), or several with commas, newest first',
    )
  }
  return [...new Set(keys)].map(Secret.fromHex)
}

function cidr(text: string): string {
  if (!ipaddr.isValidCIDR(text) && !ipaddr.isValid(text)) {
    throw new BadSetting(
      'TRUSTED_PROXIES',
      `must be a list like 10.0.0.0/8,::1/128; "${text}" is no address or CIDR`,
    )
  }
  return text
}

function instant(text: string): number {
  const [, day] = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/i.exec(text) ?? []
  const value = Date.parse(text)
  // Date.parse reads 30 February as 2 March.
  const isDay = day !== undefined && !Number.isNaN(value) && new Date(day).toISOString().startsWith(day)
  if (!isDay) {
    throw new BadSetting(
      'SUBMISSIONS_END_AT',
      `must be an ISO date-time with zone like 2026-12-31T00:00:00Z, not "${text}"`,
    )
  }
  return value
}

function dnsServer(text: string): string {
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text)
  const address = match?.[1] ?? match?.[2] ?? ''
  const port = Number(match?.[3] ?? 53)
  if (!ipaddr.isValid(address) || port < 1 || port > 65_535) {
    throw new BadSetting('DNS_SERVERS', `must be a list like 127.0.0.1:53,[::1]:53, not "${text}"`)
  }
  return text
}

function connectTo(text: string | undefined): ConnectTo[] {
  try {
    return list(text).map(parseConnectTo)
  } catch (error) {
    throw new BadSetting('FETCH_CONNECT_TO', (error as Error).message)
  }
}

function logLevel(text: string): Config['logLevel'] {
  const level = LOG_LEVELS.find(known => known === text)
  if (!level) throw new BadSetting('LOG_LEVEL', `must be one of ${LOG_LEVELS.join(', ')}, not "${text}"`)
  return level
}

import { COMMAND } from '../lib/package.ts'
import type { Secret } from '../lib/secret.ts'
import { limitsFrom } from './limits.ts'
import { dnsFilterFrom, mailFrom, metricsFrom, warningsAboutOldNames } from './old-names.ts'
import type { ProcessorName, PurgeConfig } from './outside-services.ts'
import { REVIEW_SETTINGS } from './review.ts'
import { BadSetting } from './row.ts'
import { type Env, parseSettings, type Settings } from './settings.ts'
import { backupFrom, credentialsFrom, storageFrom } from './storage.ts'
import { STRIPE_KEY_SHAPE, STRIPE_WEBHOOK_SECRET_SHAPE } from './values.ts'

export type Config = ReturnType<typeof configFrom>

/** An account at Stripe, or at the sandbox. */
export interface StripeConfig {
  /** The kind of its money. */
  name: ProcessorName
  secretKey: Secret
  webhookSecret: Secret
  /** Origin of the API; undefined means Stripe's own. */
  apiUrl: string | undefined
}

/** Returns the configuration from all settings. Pure. @throws BadSetting with one clear line */
export function configFrom(env: Env) {
  const settings = parseSettings(env)
  if (settings.DATABASE_URL !== undefined && settings.SERVICE_KEY === undefined) {
    throw new BadSetting('SERVICE_KEY', 'must be set with DATABASE_URL: 32 bytes in hex, the same on every instance')
  }
  const payments = paymentsFrom(settings)
  if (payments === 'sandbox') refusePublicSandbox(settings)
  const stripe = takesStripeEvents(payments, settings) ? stripeFrom(settings) : undefined
  return {
    host: settings.HOST,
    port: settings.PORT,
    /** Processes on this machine. */
    workers: settings.WORKERS,
    /** Origin without a trailing slash; undefined if it follows from host and port after the start. */
    baseUrl: settings.BASE_URL,
    dataDir: settings.DATA_DIR,
    /** Undefined means SQLite in `dataDir`. */
    databaseUrl: settings.DATABASE_URL,
    stopDelayMs: settings.STOP_DELAY * 1000,
    /** Newest first; undefined means the key file in `dataDir`. */
    serviceKeys: settings.SERVICE_KEY,
    log: {
      /** Newest first; undefined means keys that are derived from the service keys. */
      signingKeys: settings.SIGNING_KEY,
      witnesses: settings.WITNESSES ?? [],
      /** Verifier keys of the logs that this site cosigns. */
      witnessFor: settings.WITNESS_FOR ?? [],
    },
    trustedProxies: settings.TRUSTED_PROXIES ?? [],
    submissionsEndAt: settings.SUBMISSIONS_END_AT,
    dnsServers: settings.DNS_SERVERS ?? [],
    connectTo: settings.FETCH_CONNECT_TO ?? [],
    reviewing: reviewingFrom(settings),
    rechecksPerHour: settings.LOOKS_PER_HOUR,
    supportUrl: settings.SUPPORT_URL,
    /** Undefined if npm has no client of this version. */
    clientPackage: settings.CLIENT_PACKAGE,
    limits: limitsFrom(settings),
    connectionsMax: settings.LIMIT_CONNECTIONS,
    /** The payment processor. With `none`, nothing is for sale. */
    payments,
    /**
     * With `none`, it only receives events about earlier payments. Undefined with the sandbox, and with `none` without
     * keys.
     */
    stripe,
    /** Whether other computers reach the service by a name or address in the settings. */
    isPublic: publicHost(settings) !== undefined,
    /** Addresses from which the sandbox can be used, in addition to loopback. */
    sandboxFrom: settings.SANDBOX_FROM ?? [],
    /** Whether every page must say that the site uses play money. */
    isMoneyPlay: settings.ALLOW_TEST_MONEY === true && stripe?.name === 'stripe_test',
    siteName: settings.SITE_NAME,
    siteTagline: settings.SITE_TAGLINE,
    /** Undefined if the operator states none. */
    dataLicense: settings.DATA_LICENSE,
    /** Path of an SVG file. */
    siteLogo: settings.SITE_LOGO,
    /** Undefined means Placard's own. */
    siteAccent: settings.SITE_ACCENT,
    /** Undefined if no cache is purged. */
    purge: purgeFrom(settings),
    notifications: notificationsFrom(settings),
    /** Undefined if the site does not back itself up. */
    backup: backupFrom(settings),
    /** Where pictures are stored; undefined if only in the database. */
    storage: storageFrom(settings),
    /** Access to object storage; undefined without. */
    s3: credentialsFrom(settings),
    logLevel: settings.LOG_LEVEL,
    accessLog: settings.ACCESS_LOG,
    metrics: metricsFrom(settings),
    /** Undefined without traces. */
    tracesTo: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
    oldNames: warningsAboutOldNames(settings),
  }
}

const reviewingFrom = (settings: Settings) => ({
  reviewers: settings.REVIEWERS,
  /** Paths of files or folders. */
  blocklists: settings.BLOCKLISTS ?? [],
  protectedHosts: settings.PROTECTED_HOSTS ?? [],
  dnsFilter: dnsFilterFrom(settings),
  dnsBlocklists: settings.DNS_BLOCKLISTS ?? [],
  webRiskApiKey: settings.WEB_RISK_API_KEY,
  webRiskApiUrl: settings.WEB_RISK_API_URL,
  moderation: {
    url: settings.MODERATION_URL,
    apiKey: settings.MODERATION_API_KEY,
    model: settings.MODERATION_MODEL,
  },
})

function purgeFrom({ PURGE_API: api, PURGE_URL: url, PURGE_TOKEN: token }: Settings): PurgeConfig | undefined {
  if (url !== undefined) return { api, url, token }
  if (token !== undefined) throw new BadSetting('PURGE_URL', 'must be set with PURGE_TOKEN')
  return undefined
}

/** Each is undefined if that channel is off. */
const notificationsFrom = (settings: Settings) => ({ webhook: webhookFrom(settings), mail: mailFrom(settings) })

function webhookFrom({ OPERATOR_WEBHOOK_URL: url, OPERATOR_WEBHOOK_SECRET: secret }: Settings) {
  if (url !== undefined && secret !== undefined) return { url, secret }
  if (url !== undefined) throw new BadSetting('OPERATOR_WEBHOOK_SECRET', 'must be set with OPERATOR_WEBHOOK_URL')
  if (secret !== undefined) throw new BadSetting('OPERATOR_WEBHOOK_URL', 'must be set with OPERATOR_WEBHOOK_SECRET')
  return undefined
}

/** The setting, or the processor that fits the other settings. */
function paymentsFrom(settings: Settings): 'none' | 'sandbox' | 'stripe' {
  const { PAYMENTS, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET } = settings
  if (PAYMENTS !== undefined) return PAYMENTS
  if (STRIPE_SECRET_KEY ?? STRIPE_WEBHOOK_SECRET) return 'stripe'
  return publicHost(settings) === undefined ? 'sandbox' : 'none'
}

/** A site that stopped selling must still receive refunds, so `none` with both keys keeps the webhook. */
const takesStripeEvents = (payments: string, { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET }: Settings) =>
  payments === 'stripe' || (payments === 'none' && STRIPE_SECRET_KEY && STRIPE_WEBHOOK_SECRET)

/** The public must never see places that anyone can take for free. */
function refusePublicSandbox(settings: Settings): void {
  const host = publicHost(settings)
  if (host === undefined) return
  throw new BadSetting(
    'PAYMENTS',
    `sandbox moves no money and runs only on loopback, not on ${host}; set PAYMENTS=none or PAYMENTS=stripe, or a loopback BASE_URL`,
  )
}

function stripeFrom(settings: Settings): StripeConfig {
  const { STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_API_URL: apiUrl } = settings
  if (!key) throw new BadSetting('STRIPE_SECRET_KEY', `must be set to ${STRIPE_KEY_SHAPE} with PAYMENTS=stripe`)
  if (!webhookSecret) {
    throw new BadSetting('STRIPE_WEBHOOK_SECRET', `must be set to ${STRIPE_WEBHOOK_SECRET_SHAPE} with PAYMENTS=stripe`)
  }
  if (!key.livemode) refusePublicTestMoney(settings)
  const name = key.livemode ? 'stripe' : 'stripe_test'
  return { name, secretKey: key.secret, webhookSecret, apiUrl }
}

/** Refuses Stripe's test mode on a public site, unless every page says so. */
function refusePublicTestMoney(settings: Settings): void {
  const host = publicHost(settings)
  if (host === undefined || settings.ALLOW_TEST_MONEY) return
  throw new BadSetting(
    'STRIPE_SECRET_KEY',
    `is a test key, with which anyone could take a place on ${host} for free; use a live key, or set ALLOW_TEST_MONEY=1, and every page will say that the site uses play money`,
  )
}

/** Returns the host by which other computers reach the service, if the settings name one. */
function publicHost({ BASE_URL, HOST }: Settings): string | undefined {
  const host = BASE_URL ? new URL(BASE_URL).hostname : HOST
  const isWildcard = !BASE_URL && /^(0\.0\.0\.0|::)$/.test(host)
  return isLoopback(host) || isWildcard ? undefined : host
}

/** Returns whether a host is this computer only. */
export const isLoopback = (host: string): boolean => /^(127\.\d+\.\d+\.\d+|\[?::1\]?|([\w-]+\.)*localhost)$/i.test(host)

/** A warning about a key that looks typed. */
export const GUESSABLE_KEY = `A service key has few different bytes, or bytes that count up, so it can be guessed. It opens every private page and session. Make a new one with ${COMMAND} change-key, or put one from openssl rand -hex 32 first in SERVICE_KEY.`

/** What fits into the 80 seconds that the unit and the compose file allow for a stop. */
const STOP_DELAY_MAX_MS = 15_000

/** The secrets that Stripe gives out are longer. */
const STRIPE_WEBHOOK_SECRET = /^whsec_[A-Za-z0-9]{32,}$/

/**
 * Returns warnings about the settings. The service runs nevertheless.
 *
 * @param environment for variables that libraries read on their own
 */
export function warningsAbout(
  config: Config,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string[] {
  const { connectTo, baseUrl, supportUrl, isMoneyPlay, host, trustedProxies, stripe } = config
  const { reviewers, moderation } = config.reviewing
  const isPublic = baseUrl !== undefined && !isLoopback(new URL(baseUrl).hostname)
  const protocol = environment.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || environment.OTEL_EXPORTER_OTLP_PROTOCOL
  return [
    isPublic &&
      baseUrl.startsWith('http:') &&
      `BASE_URL ${baseUrl} is not https: anyone on the network path can read private links and sign-ins. Put a proxy with https in front, and set BASE_URL to its address.`,
    baseUrl?.startsWith('https:') &&
      isLoopback(host) &&
      trustedProxies.length === 0 &&
      `TRUSTED_PROXIES is not set, but HOST ${host} is reached only through a proxy: all clients share one limit. Set TRUSTED_PROXIES to the proxy’s address, such as 127.0.0.1.`,
    stripe?.apiUrl === undefined &&
      stripe &&
      !STRIPE_WEBHOOK_SECRET.test(stripe.webhookSecret.reveal().toString()) &&
      'STRIPE_WEBHOOK_SECRET is shorter than Stripe’s, or has other characters: no payment will count. Copy the signing secret of the endpoint again from the Stripe dashboard.',
    reviewers.some(({ name }) => name === 'moderation') &&
      !moderation.apiKey &&
      moderation.url === REVIEW_SETTINGS.MODERATION_URL.default &&
      'MODERATION_API_KEY is not set, but OpenAI requires one: the reviewer moderation judges nothing. Set MODERATION_API_KEY, or set MODERATION_URL to your own server.',
    config.tracesTo !== undefined &&
      protocol === 'grpc' &&
      'OTEL_EXPORTER_OTLP_PROTOCOL is grpc, but Placard sends traces over HTTP only. Set OTEL_EXPORTER_OTLP_ENDPOINT to the collector’s HTTP port, usually 4318, and unset OTEL_EXPORTER_OTLP_PROTOCOL.',
    config.stopDelayMs > STOP_DELAY_MAX_MS &&
      `STOP_DELAY is above 15 seconds, but systemd’s unit and the compose file kill Placard 80 seconds after SIGTERM. Set TimeoutStopSec or stop_grace_period to ${config.stopDelayMs / 1000 + 65} seconds.`,
    connectTo.length > 0 &&
      'FETCH_CONNECT_TO is set: the page fetcher skips DNS and the address check for these hosts. Never set it in production.',
    isPublic &&
      supportUrl === undefined &&
      'SUPPORT_URL is not set: pages tell people that there is no contact address.',
    ...config.oldNames,
    isMoneyPlay && 'ALLOW_TEST_MONEY is set: anyone can take places for free, and every page says so.',
  ].filter(warning => typeof warning === 'string')
}

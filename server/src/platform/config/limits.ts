import { DEFAULT_CHECK_LIMITS, DEFAULT_PUBLISH_LIMITS, type PublishLimits } from '@placard/contract'
import type { Row } from './row.ts'
import { addressAndPort, parseConnectTo as connectTo, limit, listOf } from './values.ts'

const LIMIT = { group: 'rarely', parse: limit } as const

/** A limit that `Config['limits']` has as `limit`, and the page of limits as what it `counts`. */
type LimitRow = Row & { limit: string; counts: string; isOfBuying?: boolean }

/**
 * What one client may do, and how much all together. The configuration and the page of limits follow from this table: a
 * route only has to count.
 */
export const CLIENT_LIMITS = {
  LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: {
    default: String(DEFAULT_PUBLISH_LIMITS.requestsPerTenMinutesPerIp),
    meaning: 'Publish requests per client address in ten minutes. Checks have a separate limit with the same value.',
    ...LIMIT,
    limit: 'requestsPerTenMinutesPerIp',
    counts: 'Publish requests per client in ten minutes, and as many checks',
  },
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: {
    default: String(DEFAULT_PUBLISH_LIMITS.newAttemptsPerDayPerIp),
    meaning: 'New submissions per client address and UTC day.',
    ...LIMIT,
    limit: 'newAttemptsPerDayPerIp',
    counts: 'New submissions per client in a UTC day',
  },
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_HOST: {
    default: String(DEFAULT_PUBLISH_LIMITS.newAttemptsPerDayPerHost),
    meaning:
      'New submissions per website and UTC day. The last one is kept for a network that has not tried the website that day.',
    ...LIMIT,
    limit: 'newAttemptsPerDayPerHost',
    counts: 'New submissions per website in a UTC day, the last one only from a network that has not tried it',
  },
  LIMIT_NEW_ATTEMPTS_PER_DAY_GLOBAL: {
    default: String(DEFAULT_PUBLISH_LIMITS.newAttemptsPerDayGlobal),
    meaning:
      'New submissions in total per UTC day. One network (an IPv6 /48 or an IPv4 /24) gets at most a quarter of them, or as many as one address.',
    ...LIMIT,
    limit: 'newAttemptsPerDayGlobal',
    counts: 'New submissions in total in a UTC day',
  },
  LIMIT_CHECKS_PER_DAY_PER_IP: {
    default: String(DEFAULT_CHECK_LIMITS.checksPerDayPerIp),
    meaning: 'Checks that read a page, per client address and UTC day.',
    ...LIMIT,
    limit: 'checksPerDayPerIp',
    counts: 'Checks of a page per client in a UTC day',
  },
  LIMIT_CHECKS_PER_DAY_PER_HOST: {
    default: String(DEFAULT_CHECK_LIMITS.checksPerDayPerHost),
    meaning:
      'Checks that read a page, per website and UTC day. The last one is kept for a network that has not checked the website that day.',
    ...LIMIT,
    limit: 'checksPerDayPerHost',
    counts: 'Checks of a page per website in a UTC day, the last one only from a network that has not checked it',
  },
  LIMIT_QUOTES_PER_MINUTE_PER_IP: {
    default: '120',
    meaning: 'Quotes per client address and minute.',
    ...LIMIT,
    limit: 'quotesPerMinutePerIp',
    counts: 'Quotes per client in a minute',
    isOfBuying: true,
  },
  LIMIT_CHECKOUTS_PER_TEN_MINUTES_PER_IP: {
    default: '10',
    meaning:
      'Checkouts per client address in ten minutes. Ownership checks, and websites listed by their owner, have separate limits with the same value.',
    ...LIMIT,
    limit: 'checkoutsPerTenMinutesPerIp',
    counts: 'Orders per client in ten minutes',
    isOfBuying: true,
  },
} as const satisfies Record<string, LimitRow>

export const LIMITS_SETTINGS = {
  ...CLIENT_LIMITS,
  LIMIT_CONNECTIONS: {
    default: '1000',
    meaning: 'Open connections. One more closes the connection that has been idle longest.',
    ...LIMIT,
  },
} as const satisfies Record<string, Row>

/** The limits by the names that the capabilities and headers give them. */
type ClientLimits = Record<(typeof CLIENT_LIMITS)[keyof typeof CLIENT_LIMITS]['limit'], number>

export type ClientLimit = LimitRow & { limit: keyof ClientLimits }

/** The limits in force, from the parsed settings. */
export const limitsFrom = (settings: Record<keyof typeof CLIENT_LIMITS, number>): ClientLimits =>
  Object.fromEntries(
    Object.entries(CLIENT_LIMITS).map(([setting, { limit }]) => [limit, settings[setting as keyof typeof settings]]),
  ) as ClientLimits

/** One network gets at most this fraction of a day's attempts. */
const NETWORK_PARTS = 4

/** A quarter of the day's attempts, but at least as many as one address of the network may make. */
export const networkMax = ({ newAttemptsPerDayGlobal, newAttemptsPerDayPerIp }: PublishLimits): number =>
  Math.max(newAttemptsPerDayPerIp, Math.floor(newAttemptsPerDayGlobal / NETWORK_PARTS))

export const FETCHING_SETTINGS = {
  DNS_SERVERS: {
    group: 'rarely',
    unset: "the system's",
    meaning: 'Comma-separated `host:port` list of resolvers for the page fetcher.',
    parse: listOf(addressAndPort),
  },
  FETCH_CONNECT_TO: {
    group: 'tests',
    meaning:
      '`HOST1:PORT1:HOST2:PORT2,…`: connect to HOST2:PORT2 instead, without DNS or address check. Only for demos and tests.',
    parse: listOf(connectTo),
  },
} as const satisfies Record<string, Row>

import { DEFAULT_CHECK_LIMITS, DEFAULT_PUBLISH_LIMITS } from '@placard/contract'
import { addressAndPort, parseConnectTo as connectTo, limit, listOf, type Row } from './values.ts'

/** What one client may do, and how much all together. */
export const LIMITS_SETTINGS = {
  LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: {
    default: String(DEFAULT_PUBLISH_LIMITS.requestsPerTenMinutesPerIp),
    meaning: 'Publish requests per client address in ten minutes. Checks have a separate limit with the same value.',
    parse: limit,
  },
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: {
    default: String(DEFAULT_PUBLISH_LIMITS.newAttemptsPerDayPerIp),
    meaning: 'New submissions per client address and UTC day.',
    parse: limit,
  },
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_HOST: {
    default: String(DEFAULT_PUBLISH_LIMITS.newAttemptsPerDayPerHost),
    meaning:
      'New submissions per website and UTC day. The last one is kept for a network that has not tried the website that day.',
    parse: limit,
  },
  LIMIT_NEW_ATTEMPTS_PER_DAY_GLOBAL: {
    default: String(DEFAULT_PUBLISH_LIMITS.newAttemptsPerDayGlobal),
    meaning:
      'New submissions in total per UTC day. One network (an IPv6 /48 or an IPv4 /24) gets at most a quarter of them.',
    parse: limit,
  },
  LIMIT_CHECKS_PER_DAY_PER_IP: {
    default: String(DEFAULT_CHECK_LIMITS.checksPerDayPerIp),
    meaning: 'Checks that read a page, per client address and UTC day.',
    parse: limit,
  },
  LIMIT_CHECKS_PER_DAY_PER_HOST: {
    default: String(DEFAULT_CHECK_LIMITS.checksPerDayPerHost),
    meaning:
      'Checks that read a page, per website and UTC day. The last one is kept for a network that has not checked the website that day.',
    parse: limit,
  },
  LIMIT_QUOTES_PER_MINUTE_PER_IP: {
    default: '120',
    meaning: 'Quotes per client address and minute.',
    parse: limit,
  },
  LIMIT_CHECKOUTS_PER_TEN_MINUTES_PER_IP: {
    default: '10',
    meaning: 'Checkouts, and also checks of ownership proofs, per client address in ten minutes.',
    parse: limit,
  },
  LIMIT_CONNECTIONS: {
    default: '1000',
    meaning: 'Open connections. One more closes the connection that has been idle longest.',
    parse: limit,
  },
} as const satisfies Record<string, Row>

/** How the guarded fetcher reaches websites. */
export const FETCHING_SETTINGS = {
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
} as const satisfies Record<string, Row>

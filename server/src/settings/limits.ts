import { DEFAULT_CHECK_LIMITS, DEFAULT_PUBLISH_LIMITS } from '@placard/contract'
import type { Row } from './row.ts'
import { limit } from './values.ts'

/** What one client may do, and how much all together. */
export const LIMITS_SETTINGS = {
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
    meaning: 'Checks that read a page, per client address and UTC day.',
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
} as const satisfies Record<string, Row>

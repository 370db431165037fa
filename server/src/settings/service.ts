import type { Row } from './row.ts'
import {
  cidr,
  hostToListenOn,
  instant,
  LOG_LEVELS,
  listOf,
  oneOf,
  origin,
  postgresUrl,
  serviceKeys,
  text,
  webAddress,
  wholeNumber,
} from './values.ts'

/** The service itself: where it listens, what it trusts, where its data is. */
export const SERVICE_SETTINGS = {
  HOST: { default: '127.0.0.1', meaning: 'Address to listen on.', parse: hostToListenOn },
  PORT: {
    default: '8080',
    meaning: 'Port to listen on; 0 picks a free port and logs it.',
    parse: wholeNumber(0, 65_535),
  },
  WORKERS: {
    default: '1',
    meaning: 'Processes on this machine that share the port. See [operating.md](operating.md#processes).',
    parse: wholeNumber(1, 64),
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
  SUPPORT_URL: {
    unset: 'BASE_URL/support',
    meaning: 'Where people get help.',
    parse: webAddress,
  },
  LOG_LEVEL: {
    default: 'info',
    meaning: `How much to log: ${LOG_LEVELS.join(', ')}.`,
    parse: oneOf(LOG_LEVELS),
  },
} as const satisfies Record<string, Row>

import { accentOf as accent } from './accent.ts'
import type { Row } from './row.ts'
import { PLACARD } from './site.ts'
import {
  cidr,
  folder,
  hostAndPortToListenOn,
  hostToListenOn,
  httpAddress,
  instant,
  LOG_LEVELS,
  listOf,
  npmPackage,
  oneOf,
  origin,
  postgresUrl,
  serviceKeys,
  siteWords,
  text,
  webAddress,
  wholeNumber,
} from './values.ts'

/** Settings of the service itself: where it listens, what it trusts, where its data is. */
export const SERVICE_SETTINGS = {
  HOST: { group: 'often', default: '127.0.0.1', meaning: 'Address to listen on.', parse: hostToListenOn },
  PORT: {
    group: 'often',
    default: '8080',
    meaning: 'Port to listen on; 0 picks a free port and logs it.',
    parse: wholeNumber(0, 65_535),
  },
  WORKERS: {
    group: 'often',
    default: '1',
    meaning: 'Processes on this machine that share the port, at most 64. See [scaling.md](scaling.md#workers).',
    parse: wholeNumber(1, 64),
  },
  BASE_URL: {
    group: 'first',
    unset: 'from host and port',
    meaning: 'Public address of the site, used in every link.',
    parse: origin,
  },
  DATA_DIR: {
    group: 'first',
    default: './data',
    meaning: 'Folder for `placard.db`, `service.key` and the sandbox’s `sandbox.db`.',
    parse: folder,
  },
  DATABASE_URL: {
    group: 'often',
    isSecret: true,
    unset: 'SQLite in DATA_DIR',
    meaning:
      '`postgres://…` of a PostgreSQL database, version 14 or later, that stores everything. Several hosts, `postgres://…@one:5432,two:5432/placard?target_session_attrs=read-write`, survive the loss of one: see [scaling.md](scaling.md#postgresql-that-fails-over).',
    parse: postgresUrl,
  },
  SERVICE_KEY: {
    group: 'often',
    isSecret: true,
    unset: 'made once in DATA_DIR',
    meaning:
      'Service key: 32 bytes in hex. Required with PostgreSQL, and identical on every instance. After a change, several keys, newest first.',
    parse: value => serviceKeys(value.split(',')),
  },
  STOP_DELAY: {
    group: 'rarely',
    default: '3',
    meaning:
      'Seconds between SIGTERM and the closing of the port, at most 600. During this time, `/readyz` answers 503 and each reply closes its connection, so that a load balancer moves on. See [operate.md](operate.md#starting-and-stopping).',
    parse: wholeNumber(0, 600),
  },
  TRUSTED_PROXIES: {
    group: 'first',
    meaning: 'Comma-separated networks (CIDR) of proxies whose X-Forwarded-For Placard trusts.',
    parse: listOf(cidr),
  },
  SUBMISSIONS_END_AT: {
    group: 'rarely',
    unset: 'none: open',
    meaning: 'ISO date and time with zone. Later submissions get 410.',
    parse: instant,
  },
  SUPPORT_URL: {
    group: 'first',
    unset: 'BASE_URL/support',
    meaning: 'Page or mail address where people get help.',
    parse: webAddress,
  },
  CLIENT_PACKAGE: {
    group: 'rarely',
    meaning:
      'Package on npm that holds this version of the client, such as `@acme/placard-agent@0.3.0`. Set it only if the package is yours or one you trust: pages and the agent guide then name it, beside the files at `/client/`.',
    parse: npmPackage,
  },
  LOG_LEVEL: {
    group: 'often',
    default: 'info',
    meaning: `How much to log: ${LOG_LEVELS.join(', ')}.`,
    parse: oneOf(LOG_LEVELS),
  },
} as const satisfies Record<string, Row>

/** Settings of the site's name and look. */
export const SITE_SETTINGS = {
  SITE_NAME: {
    group: 'first',
    default: PLACARD.name,
    meaning: 'Name of the site: on its pages, in feeds, pictures and texts for agents. At most 30 characters.',
    parse: siteWords(30),
  },
  SITE_TAGLINE: {
    group: 'often',
    default: PLACARD.tagline,
    meaning: 'Title of the home page: a few words about the site, without a full stop. At most 80 characters.',
    parse: siteWords(80),
  },
  DATA_LICENSE: {
    group: 'rarely',
    unset: 'none stated',
    meaning:
      'Terms of use of the site’s public data: the URL of a page, or words such as `CC BY 4.0`. Shown in [streams of listings](mirror.md) and on the API page.',
    parse: siteWords(200),
  },
  SITE_LOGO: {
    group: 'often',
    unset: 'the name as text',
    meaning:
      'Path of an SVG file that replaces the name at the top of each page. On the home page, its background is the accent colour. At most 64 KiB. Its scripts do not run, and it cannot load other files.',
    parse: text,
  },
  SITE_ACCENT: {
    group: 'often',
    unset: 'Placard’s green, #0f4a3a',
    meaning:
      'Accent colour of pages, like #0f4a3a. It needs a contrast of 4.5:1 with paper (#faf8f2). The dark theme is derived from it.',
    parse: accent,
  },
} as const satisfies Record<string, Row>

/** Settings of monitoring: `docs/operate.md`. */
export const MONITORING_SETTINGS = {
  METRICS_LISTEN: {
    group: 'often',
    meaning:
      'Address and port for Prometheus’ `/metrics`, such as 127.0.0.1:9464, separate from PORT. Keep it private. See [operate.md](operate.md#metrics).',
    parse: hostAndPortToListenOn,
  },
  METRICS_PORT: {
    group: 'rarely',
    meaning: 'Short for METRICS_LISTEN on 127.0.0.1; 0 picks a free port and logs it.',
    parse: wholeNumber(0, 65_535),
  },
  METRICS_HOST: { group: 'old', meaning: 'The address in METRICS_LISTEN.', parse: hostToListenOn },
  ACCESS_LOG: {
    group: 'rarely',
    default: 'off',
    meaning:
      'One log line per request, without query and client address: `off` or `on`. `with-address` adds the client address.',
    parse: oneOf(['off', 'on', 'with-address']),
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    group: 'rarely',
    isSecret: true,
    meaning:
      'Collector that receives traces over OTLP/HTTP, such as `http://127.0.0.1:4318`. With it, OpenTelemetry’s other variables apply too.',
    parse: httpAddress,
  },
} as const satisfies Record<string, Row>

import { resolve } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import type { Logger } from 'pino'
import { type Config, GUESSABLE_KEY, warningsAbout } from '../../platform/config/config.ts'
import { hostsOf } from '../../platform/config/postgres-url.ts'
import { PLACARD } from '../../platform/config/site.ts'
import type { InstanceLock } from '../../platform/db/data-folder.ts'
import { durabilityFault, endsStuckStatements } from '../../platform/db/postgres.ts'
import type { Store } from '../../platform/db/store.ts'
import { isWatched } from '../../platform/lib/log.ts'
import { COMMAND, FULL_VERSION } from '../../platform/lib/package.ts'
import type { Secret } from '../../platform/lib/secret.ts'

/** Also sent by a worker to its primary when it serves. */
export interface Ready {
  url: string
  port: number
  engine: string
  payments: string
  /** The number of workers, if several processes share the work. */
  workers?: number
}

/** Levels at which the start is not logged. */
const QUIET: readonly string[] = ['warn', 'error', 'fatal', 'silent']

export type ReportedConfig = Pick<
  Config,
  'logLevel' | 'baseUrl' | 'dataDir' | 'databaseUrl' | 'supportUrl' | 'siteName' | 'metrics'
>

/** Logs that the service is ready: on a terminal as a short page, otherwise in one line of the log. */
export function reportReady(log: Pick<Logger, 'info'>, config: ReportedConfig, ready: Ready): void {
  if (!isWatched()) log.info({ ...ready }, `Placard ${FULL_VERSION} is ready at ${ready.url}`)
  else if (!QUIET.includes(config.logLevel)) process.stdout.write(pageFor(config, ready))
}

const PAYMENTS: Record<string, string> = {
  none: 'none: no places are for sale',
  sandbox: 'the sandbox, which moves no money',
  stripe: 'Stripe',
  stripe_test: 'Stripe, with test money',
}

function pageFor(config: ReportedConfig, { url, payments, workers }: Ready): string {
  const { dataDir, databaseUrl, metrics } = config
  const rows = [
    ['Address', url],
    ['Data', databaseUrl === undefined ? resolve(dataDir) : `PostgreSQL at ${hostsOf(databaseUrl)}`],
    ['Payments', PAYMENTS[payments] ?? payments],
    ...(workers === undefined ? [] : [['Processes', String(workers)]]),
    ...(metrics === undefined ? [] : [['Metrics', `http://${metrics.host}:${metrics.port}/metrics`]]),
    ...nextSteps(config, payments).map((step, nth) => [nth === 0 ? 'Next' : '', step]),
    ['Help', `${COMMAND} settings lists the settings; ${COMMAND} doctor checks them`],
  ]
  const lines = rows.map(([name = '', text]) => `  ${name.padEnd(10)} ${text}`)
  return `\nPlacard ${FULL_VERSION} is ready. Ctrl+C stops it.\n\n${lines.join('\n')}\n\n`
}

/** Settings that most operators use, and that are not set. */
const nextSteps = ({ baseUrl, siteName, supportUrl }: ReportedConfig, payments: string): string[] => [
  ...(baseUrl === undefined ? ['BASE_URL: the public address, used in every link'] : []),
  ...(siteName === PLACARD.name ? ['SITE_NAME: the name of your site'] : []),
  ...(supportUrl === undefined ? ['SUPPORT_URL: where people get help'] : []),
  ...(payments === 'sandbox' ? ['PAYMENTS=stripe: to take money'] : []),
  ...(payments === 'none' ? ['PAYMENTS=stripe: to sell places on the boards'] : []),
]

/** Warns at start about problems with which the service runs nevertheless. */
export async function warnAbout(
  config: Config,
  { lock, store, keys }: { lock: InstanceLock | undefined; store: Store; keys: readonly { secret: Secret }[] },
  log: FastifyBaseLogger,
): Promise<void> {
  for (const warning of warningsAbout(config)) log.warn(warning)
  if (keys.some(({ secret }) => secret.isGuessable)) log.warn(GUESSABLE_KEY)
  if (lock && !lock.isAlone) {
    log.warn(
      { dataDir: config.dataDir },
      'Another instance also uses this DATA_DIR. They share the database, but each counts request limits separately. If this is not intended, stop one. To run several instances, use PostgreSQL.',
    )
  }
  if (store.engine !== 'postgres') return
  const lossy = await durabilityFault(store)
  if (lossy) log.warn(lossy)
  if (!(await endsStuckStatements(store))) {
    log.warn(
      'The connection pool at DATABASE_URL drops Placard’s timeouts, so a stuck statement is never ended. Set them there: docs/install.md, PgBouncer.',
    )
  }
}

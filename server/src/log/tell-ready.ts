import { resolve } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { PLACARD } from '../site/placard.ts'
import { VERSION } from '../version.ts'
import { isWatched } from './log.ts'

/** Also what a worker tells its primary once it serves. */
export interface Ready {
  url: string
  port: number
  engine: string
  payments: string
  /** Where several processes share the work: how many. */
  workers?: number
}

/** Levels on which nobody is told that all is well. */
const QUIET: readonly string[] = ['warn', 'error', 'fatal', 'silent']

export type Told = Pick<
  Config,
  'logLevel' | 'baseUrl' | 'dataDir' | 'databaseUrl' | 'supportUrl' | 'siteName' | 'metrics'
>

/** Says that the service can be used: on a terminal as a short page, otherwise in one line of the log. */
export function tellReady(log: Pick<Logger, 'info'>, config: Told, ready: Ready): void {
  if (!isWatched()) log.info({ ...ready }, `Placard ${VERSION} is ready at ${ready.url}`)
  else if (!QUIET.includes(config.logLevel)) process.stdout.write(pageFor(config, ready))
}

const PAYMENTS: Record<string, string> = {
  sandbox: 'the sandbox, which moves no money',
  stripe: 'Stripe',
  stripe_test: 'Stripe, with test money',
}

function pageFor(config: Told, { url, payments, workers }: Ready): string {
  const { dataDir, databaseUrl, metrics } = config
  const rows = [
    ['Address', url],
    ['Data', databaseUrl === undefined ? resolve(dataDir) : `PostgreSQL at ${new URL(databaseUrl).host}`],
    ['Payments', PAYMENTS[payments] ?? payments],
    ...(workers === undefined ? [] : [['Processes', String(workers)]]),
    ...(metrics === undefined ? [] : [['Metrics', `http://${metrics.host}:${metrics.port}/metrics`]]),
    ...nextSteps(config, payments).map((step, nth) => [nth === 0 ? 'Next' : '', step]),
    ['Help', 'npm start -- --help lists the settings; npm run placard -- doctor looks whether all is well'],
  ]
  const lines = rows.map(([name = '', text]) => `  ${name.padEnd(10)} ${text}`)
  return `\nPlacard ${VERSION} is ready. Ctrl+C stops it.\n\n${lines.join('\n')}\n\n`
}

/** What most operators set, and this one has not. */
const nextSteps = ({ baseUrl, siteName, supportUrl }: Told, payments: string): string[] => [
  ...(baseUrl === undefined ? ['BASE_URL: the public address, used in every link'] : []),
  ...(siteName === PLACARD.name ? ['SITE_NAME: what your board is called'] : []),
  ...(supportUrl === undefined ? ['SUPPORT_URL: where people get help'] : []),
  ...(payments === 'sandbox' ? ['PAYMENTS=stripe: to take money'] : []),
]

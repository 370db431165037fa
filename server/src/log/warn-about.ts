import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import { warningsAbout } from '../settings/warnings.ts'
import type { InstanceLock } from '../storage/instance-lock.ts'
import { endsStuckStatements } from '../storage/postgres.ts'
import type { Store } from '../storage/store.ts'

/** Warns at start of what an operator should know, though the service runs. */
export async function warnAbout(
  config: Config,
  { lock, store }: { lock: InstanceLock | undefined; store: Store },
  log: FastifyBaseLogger,
): Promise<void> {
  for (const warning of warningsAbout(config)) log.warn(warning)
  if (lock && !lock.isAlone) {
    log.warn(
      { dataDir: config.dataDir },
      'Another instance uses this DATA_DIR too. They share the database, but each counts request limits by itself. If you did not mean this, stop one. To run several instances, use PostgreSQL.',
    )
  }
  if (store.engine === 'postgres' && !(await endsStuckStatements(store))) {
    log.warn(
      'The connection pool at DATABASE_URL drops our timeouts, so a stuck statement is never ended. Set them there: docs/operating.md, PgBouncer.',
    )
  }
}

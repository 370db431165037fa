import { databaseFile } from '../../platform/db/data-folder.ts'
import { DatabaseDamaged } from '../../platform/db/failures.ts'
import { quickCheck } from '../../platform/db/sqlite-files.ts'
import { DAY_MS } from '../../platform/lib/time.ts'
import type { JobDefinition } from './job.ts'

/** Checks the file of SQLite once a day. PostgreSQL checks its own files. */
export const checkDatabase: JobDefinition<'config' | 'log'> = {
  name: 'check',
  does: 'checks the database file for damage',
  everyMs: DAY_MS,
  isOn: ({ databaseUrl }) => databaseUrl === undefined,
  start:
    ({ config, log }) =>
    async () => {
      const damage = await quickCheck(databaseFile(config.dataDir))
      // The log notifies the operator of this error.
      if (damage !== undefined) log.error({ err: new DatabaseDamaged(damage) }, 'the database is damaged')
    },
}

import { databaseFile } from '../../platform/db/data-folder.ts'
import { DatabaseDamaged } from '../../platform/db/failures.ts'
import { DatabaseFileLost, quickCheck } from '../../platform/db/sqlite-files.ts'
import type { Store } from '../../platform/db/store.ts'
import { DAY_MS } from '../../platform/lib/time.ts'
import type { JobDefinition } from './job.ts'

/** Checks the file of SQLite once a day. PostgreSQL checks its own files. */
export const checkDatabase: JobDefinition<'config' | 'log'> = {
  name: 'check',
  does: 'checks the database file for damage',
  everyMs: DAY_MS,
  skipsNewDatabase: true,
  isOn: ({ databaseUrl }) => databaseUrl === undefined,
  start:
    ({ config, log }) =>
    async ({ store }) => {
      const damage = await findDamage(store, config.dataDir)
      // The log notifies the operator of this error.
      if (damage !== undefined) log.error({ err: new DatabaseDamaged(damage) }, 'the database is damaged')
    },
}

/**
 * @returns what SQLite found in the file; undefined if there is no damage
 * @throws DatabaseFileLost if the file was moved, deleted or replaced: what is there now may look damaged, too
 */
export async function findDamage(store: Store, dataDir: string): Promise<string | undefined> {
  const damage = await quickCheck(databaseFile(dataDir))
  if (damage === undefined) return undefined
  const problem = await store.proveWrite().catch((error: unknown) => error)
  if (problem instanceof DatabaseFileLost) throw problem
  return damage
}

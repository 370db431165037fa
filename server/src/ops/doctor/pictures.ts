import { sql } from 'kysely'
import { openStorage, readObject } from '../../domain/pictures/storage.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Store } from '../../platform/db/store.ts'
import { COMMAND } from '../../platform/lib/package.ts'
import { type Check, failed, ok, warning } from './finding.ts'

/** Checks where the pictures of listings are, and whether object storage answers. */
export const checkPictures = (config: Config, store: Store): Check => ({
  about: 'pictures',
  async run() {
    const { rows } = await sql<{ here: number; there: number; one: string | null }>`
      select count(case when bytes is not null then 1 end) as here, count("objectName") as there,
        max("objectName") as one from picture`.execute(store.db)
    const { here, there, one } = { here: Number(rows[0]?.here), there: Number(rows[0]?.there), one: rows[0]?.one }
    const storage = openStorage(config)
    if (!storage) {
      return there === 0
        ? ok(`${here} are in the database: STORAGE_URL is not set`)
        : failed(`${there} are in object storage, and STORAGE_URL is not set: set it, or they cannot be shown`)
    }
    if (one) await readObject(storage, one)
    else await storage.list('pictures/')
    const where = `${there} are in object storage, which answers, and ${here} in the database`
    return here > 0 && config.storage?.takesNew
      ? warning(`${where}: move those with “${COMMAND} pictures move --to storage”`)
      : ok(where)
  },
})

import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { Engine } from '../tables/index.ts'
import { FROM_0001 } from './0001.ts'
import { FROM_0002 } from './0002-0007.ts'
import { FROM_0008 } from './0008-0018.ts'
import { FROM_0019 } from './0019-0024.ts'
import type { Migrations, Oldest } from './types.ts'
import { UNRELEASED } from './unreleased.ts'

/**
 * Numbered migrations, run in this order at every start. Never edit a released one: add the next number. None imports
 * the service's code, because that changes. Files of released migrations are named by their first and last number.
 */
export const MIGRATIONS: Migrations = { ...FROM_0001, ...FROM_0002, ...FROM_0008, ...FROM_0019, ...UNRELEASED }

/** Returns the migrations for the migrator. One that contracts records in the database which versions can use it. */
export const migrationsOf = (migrations: Migrations, engine: Engine): Record<string, Migration> =>
  Object.fromEntries(
    Object.entries(migrations).map(([name, { up, contracts }]) => [
      name,
      {
        async up(db) {
          await up(db, engine)
          if (contracts && name > '0013') await raise(db, contracts)
        },
      } satisfies Migration,
    ]),
  )

async function raise(db: Kysely<unknown>, { schema, version }: Oldest): Promise<void> {
  await sql`
    update oldest_service set schema = ${schema}, version = ${version} where schema < ${schema}`.execute(db)
}

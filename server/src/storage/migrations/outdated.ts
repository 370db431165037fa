import { VERSION } from '../../version.ts'
import { type Runner, statement } from '../statement.ts'
import { MIGRATIONS, type Migrations } from './index.ts'

/** This version may not work on the database any more. */
export class Outdated extends Error {}

/**
 * Asks the database whether this version may work on it. It has migration 0013, or a later one.
 *
 * @throws Outdated in one line that says what to do
 */
export async function refuseOutdated(runner: Runner, migrations: Migrations = MIGRATIONS): Promise<void> {
  const [oldest] = await readOldest(runner, {})
  if (oldest === undefined || oldest.schema in migrations) return
  throw new Outdated(
    `the database has been changed for Placard ${oldest.version} and later, and this is ${VERSION}: run a later version, or restore a backup from before (docs/upgrading.md)`,
  )
}

const readOldest = statement({}, (_, db) =>
  db.selectFrom('oldest_service').select(['schema', 'version']).where('id', '=', 1),
)

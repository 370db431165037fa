import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { Engine } from '../tables/index.ts'
import { ledger, publishing, site } from './0001.ts'
import { allowances, betterSearch, continuity, decisions, fewerWrites, notices } from './0002-0007.ts'
import {
  jobs,
  networkShares,
  oldestService,
  operatorActs,
  operatorConsole,
  provenRecords,
  reportNetworks,
  telling,
} from './0008-0018.ts'
import {
  approvals,
  decisionsOfSubmissions,
  featured,
  ownerMail,
  provenOwners,
  submissionWebhooks,
} from './0019-0024.ts'
import {
  consoleUsers,
  jobSuccesses,
  listingUpdates,
  picturesInStorage,
  publicLog,
  rowsOfListings,
  witnessedNotes,
} from './0025-0031.ts'

/** The oldest version that can use a database: the last migration that it must know, and its name for people. */
export interface Oldest {
  schema: string
  version: string
}

/**
 * A migration. It expands, so that the previous version continues to work, unless it names the oldest version that
 * does.
 */
interface OneMigration {
  up(db: Kysely<unknown>, engine: Engine): Promise<void>
  /** Set if it removes what older versions use. This version and later ones do not use it. */
  contracts?: Oldest
  /** The tables that it reads or writes row by row, or indexes. They determine how long it takes. */
  visits?: readonly string[]
}
export type Migrations = Readonly<Record<string, OneMigration>>

/** No released version can continue. */
const NOT_BY_0_1_0 = (schema: string): Oldest => ({ schema, version: '0.2.0' })

/**
 * Numbered migrations, run in this order at every start. Never edit a released one: add the next number. None imports
 * the service's code, because that changes. Those of a release share files, named by their first and last number.
 */
export const MIGRATIONS: Migrations = {
  '0001': {
    async up(db, engine) {
      await publishing(db, engine)
      await ledger(db, engine)
      await site(db, engine)
    },
  },
  '0002': { up: betterSearch, visits: ['listing'] },
  '0003': { up: notices },
  '0004': { up: allowances },
  '0005': { up: fewerWrites, contracts: NOT_BY_0_1_0('0005'), visits: ['attempt', 'board_count'] },
  '0006': {
    up: decisions,
    contracts: NOT_BY_0_1_0('0006'),
    visits: ['attempt', 'audit_event', 'report'],
  },
  '0007': { up: continuity, visits: ['listing'] },
  '0008': { up: operatorConsole },
  '0009': { up: telling },
  '0011': { up: jobs },
  '0012': { up: operatorActs, visits: ['decision'] },
  '0013': { up: oldestService, contracts: NOT_BY_0_1_0('0013'), visits: ['board_count'] },
  '0016': { up: networkShares, visits: ['attempt'] },
  '0017': { up: reportNetworks, visits: ['report'] },
  '0018': { up: provenRecords, visits: ['board_count'] },
  '0019': { up: provenOwners, visits: ['claim', 'decision', 'renewed_link'] },
  '0020': { up: ownerMail },
  '0021': { up: featured },
  '0022': { up: decisionsOfSubmissions, visits: ['decision'] },
  '0023': { up: approvals },
  '0024': { up: submissionWebhooks },
  // An older version would change boards without an entry in the log.
  '0025': { up: publicLog, contracts: { schema: '0025', version: '0.3.0' }, visits: ['board_total', 'decision'] },
  '0026': { up: listingUpdates, visits: ['listing'] },
  '0027': { up: witnessedNotes },
  '0028': { up: rowsOfListings, visits: ['log_entry'] },
  '0029': { up: consoleUsers },
  '0030': { up: jobSuccesses },
  '0031': { up: picturesInStorage },
}

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

import { copyFileSync, existsSync, linkSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { refuseWithoutKeys, requireServiceKeys } from '../../domain/ownership/service-keys/recorded-keys.ts'
import { checkValueOf, keyFile } from '../../domain/ownership/service-keys/service-keys.ts'
import { type Reconciled, reconcile } from '../../domain/payments/reconcile.ts'
import type { Config } from '../../platform/config/config.ts'
import { serviceKeys } from '../../platform/config/values.ts'
import { databaseFile, makeDataDir, syncPath } from '../../platform/db/data-folder.ts'
import { openStore } from '../../platform/db/open.ts'
import type { Store } from '../../platform/db/store.ts'
import { requireExactSchema } from './exact-schema.ts'
import { withExport } from './export-file.ts'
import { emptyFolder } from './fetch.ts'
import {
  checkFiles,
  DATABASE,
  describeFile,
  EXPORT,
  KEY,
  type Manifest,
  openSqlite,
  readManifest,
  SANDBOX,
} from './files.ts'
import { importInto } from './import.ts'
import { refuseNewer } from './read-export.ts'

/**
 * Restores a backup into an empty database. A killed restore can be repeated. An older backup is migrated.
 *
 * @throws Error in one line if the database is not empty, or the backup is damaged or from a newer version
 */
export async function restoreBackup(
  config: Config,
  folder: string,
  now: number,
): Promise<{ manifest: Manifest; reconciled: Reconciled }> {
  const manifest = readManifest(folder)
  try {
    refuseNewer(manifest)
  } catch (error) {
    throw new Error(`${folder}: ${(error as Error).message}`, { cause: error })
  }
  await checkFiles(folder, manifest)
  // Before anything is written: after an import, the database would not be empty any more.
  await refuseOtherSandbox(config, manifest)
  if (manifest.files[DATABASE]) return { manifest, reconciled: await restoreSqlite(config, folder, manifest, now) }
  const { reconciled } = await withExport(join(folder, EXPORT), exported => importInto(config, exported, now))
  if (manifest.files[KEY]) refuseOtherKeys(folder, await recordedIn(config))
  putBeside(config, folder, manifest)
  return { manifest, reconciled }
}

async function restoreSqlite(config: Config, folder: string, manifest: Manifest, now: number): Promise<Reconciled> {
  const { dataDir } = config
  if (config.databaseUrl !== undefined) {
    throw new Error(
      `${folder} is a backup of SQLite: restore it without DATABASE_URL, then move it with export and import (docs/backup-and-upgrade.md)`,
    )
  }
  const database = databaseFile(dataDir)
  refuseDatabaseIn(dataDir)
  refuseWithoutKeys(manifest.keys, config)
  makeDataDir(dataDir)
  // A folder, because an open database has files next to it.
  const unfinished = `${database}.unfinished`
  using _folder = emptyFolder(unfinished)
  const copy = databaseFile(unfinished)
  orSay(copy, () => copyFileSync(join(folder, DATABASE), copy))
  await requireExactSchema(copy, manifest.schema)
  if (manifest.files[KEY]) refuseOtherKeys(folder, recordedInFile(copy))
  putBeside(config, folder, manifest)
  const reconciled = await finish(config, unfinished, now)
  // Last, so that there is no database until everything else is done.
  orSay(database, () => linkSync(copy, database))
  syncPath(dataDir)
  return reconciled
}

/** Migrates a copied database, and checks it. When this resolves, it is closed and on disk. */
async function finish(config: Config, dataDir: string, now: number): Promise<Reconciled> {
  await using store = await openStore({ databaseUrl: undefined, dataDir, patient: true })
  await endVisits(store)
  if (config.serviceKeys || existsSync(keyFile(config))) await requireServiceKeys(store.db, config)
  return await reconcile(store, now)
}

/**
 * @throws Error in one line if there is an SQLite database, or the log of one that was moved away: SQLite would copy that
 * log into the restored database
 */
export function refuseDatabaseIn(dataDir: string): void {
  const database = databaseFile(dataDir)
  const found = [database, `${database}-wal`].find(path => existsSync(path))
  if (found) throw notEmpty(found)
}

/** Deletes the console sessions and links in a copied database. Exports leave them out. */
async function endVisits(store: Store): Promise<void> {
  await store.transact(async trx => {
    await trx.deleteFrom('console_session').execute()
    await trx.deleteFrom('console_link').execute()
    await trx.deleteFrom('console_challenge').execute()
  })
}

/**
 * Refuses a key file with a key that the site never used: it would sign from now on, and the backup's author has it.
 *
 * @param recorded check values of the keys that the site knows; none in a site from before they were recorded
 */
function refuseOtherKeys(folder: string, recorded: readonly string[]): void {
  const file = join(folder, KEY)
  const keys = serviceKeys(readFileSync(file, 'utf8').split('\n'))
  if (recorded.length === 0 || keys.every(key => recorded.includes(checkValueOf(key)))) return
  throw new Error(`${file} contains a key that this site never used: use a backup that Placard made`)
}

async function recordedIn(config: Config): Promise<string[]> {
  await using store = await openStore({ ...config, patient: true })
  const rows = await store.db.selectFrom('service_key').select('checkValue').execute()
  return rows.map(({ checkValue }) => checkValue)
}

function recordedInFile(database: string): string[] {
  using connection = openSqlite(database)
  return connection.prepare('select "checkValue" from service_key').pluck().all() as string[]
}

/** @throws Error in one line if there is a sandbox's database that is not the one of the backup */
async function refuseOtherSandbox({ dataDir }: Config, { files }: Manifest): Promise<void> {
  const path = join(dataDir, SANDBOX)
  const file = files[SANDBOX]
  if (file && existsSync(path) && (await describeFile(path)).sha256 !== file.sha256) throw notEmpty(path)
}

/** Copies the sandbox's database and the key, if the backup has them and they do not exist yet. */
function putBeside(config: Config, folder: string, { files }: Manifest): void {
  const key = config.serviceKeys ? [] : [[KEY, keyFile(config)] as const]
  for (const [name, path] of [[SANDBOX, join(config.dataDir, SANDBOX)] as const, ...key]) {
    if (!files[name] || existsSync(path)) continue
    makeDataDir(config.dataDir)
    put(join(folder, name), path)
  }
}

/** Copies a file under a temporary name. It gets its own only when it is complete, and replaces no file. */
function put(from: string, to: string): void {
  const copy = `${to}.unfinished`
  rmSync(copy, { force: true })
  try {
    orSay(to, () => {
      copyFileSync(from, copy)
      syncPath(copy)
      linkSync(copy, to)
    })
  } finally {
    rmSync(copy, { force: true })
  }
}

function orSay(file: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    throw new Error(`${basename(file)} cannot be restored: ${(error as Error).message}`, { cause: error })
  }
}

const notEmpty = (path: string) => new Error(`the database is not empty (there is ${path}): use a new DATA_DIR`)

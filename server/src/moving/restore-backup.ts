import { copyFileSync, existsSync, linkSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Config } from '../config.ts'
import { keyFile } from '../keys/file.ts'
import { refuseWithoutKeys, requireServiceKeys } from '../keys/recorded-keys.ts'
import { type Reconciled, reconcile } from '../payments/reconcile.ts'
import { databaseFile, makeDataDir } from '../storage/data-dir.ts'
import { openStore } from '../storage/open.ts'
import { syncPath } from './copy-sqlite.ts'
import { withExport } from './export-file.ts'
import { importInto } from './import-store.ts'
import {
  checkFiles,
  DATABASE,
  describeFile,
  EXPORT,
  KEY,
  type Manifest,
  readManifest,
  SANDBOX,
} from './manifest.ts'
import { refuseNewer } from './read-export.ts'

/**
 * Brings a backup into an empty store. One that was killed can be run again. An older backup is migrated.
 *
 * @param now in Unix milliseconds
 * @throws Error in one line if the store is not empty, or the backup is damaged or from a newer version
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
  if (manifest.files[DATABASE])
    return { manifest, reconciled: await restoreSqlite(config, folder, manifest, now) }
  const { reconciled } = await withExport(join(folder, EXPORT), exported => importInto(config, exported, now))
  await putBeside(config, folder, manifest)
  return { manifest, reconciled }
}

async function restoreSqlite(
  config: Config,
  folder: string,
  manifest: Manifest,
  now: number,
): Promise<Reconciled> {
  const { dataDir } = config
  if (config.databaseUrl !== undefined) {
    throw new Error(
      `${folder} is a backup of SQLite: restore it without DATABASE_URL, then move it with export and import (docs/backup.md)`,
    )
  }
  const database = databaseFile(dataDir)
  if (existsSync(database)) throw notEmpty(database)
  refuseWithoutKeys(manifest.keys, config)
  makeDataDir(dataDir)
  await putBeside(config, folder, manifest)
  // Last, so that until then there is no database.
  put(join(folder, DATABASE), database)
  const store = await openStore({ databaseUrl: undefined, dataDir, patient: true })
  try {
    if (config.serviceKeys || existsSync(keyFile(config))) await requireServiceKeys(store.db, config)
    return await reconcile(store, now)
  } finally {
    await store.close()
  }
}

/** The sandbox's database and the key, where the backup has them and they are not there yet. */
async function putBeside(config: Config, folder: string, { files }: Manifest): Promise<void> {
  const key = config.serviceKeys ? [] : [[KEY, keyFile(config)] as const]
  for (const [name, path] of [[SANDBOX, join(config.dataDir, SANDBOX)] as const, ...key]) {
    const file = files[name]
    if (!file) continue
    if (!existsSync(path)) {
      makeDataDir(config.dataDir)
      put(join(folder, name), path)
    } else if (name === SANDBOX && (await describeFile(path)).sha256 !== file.sha256) throw notEmpty(path)
  }
}

/** Copies a file under another name, then links it: it has its own only once it is complete, and replaces none. */
function put(from: string, to: string): void {
  const unfinished = `${to}.unfinished`
  rmSync(unfinished, { force: true })
  try {
    copyFileSync(from, unfinished)
    syncPath(unfinished)
    linkSync(unfinished, to)
  } catch (error) {
    throw new Error(`${basename(to)} cannot be restored: ${(error as Error).message}`, { cause: error })
  } finally {
    rmSync(unfinished, { force: true })
  }
}

const notEmpty = (path: string) => new Error(`the store is not empty (there is ${path}): use a new DATA_DIR`)

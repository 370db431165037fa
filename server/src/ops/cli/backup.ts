import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { requireServiceKeys } from '../../domain/ownership/service-keys/recorded-keys.ts'
import { keyFile } from '../../domain/ownership/service-keys/service-keys.ts'
import { type Reconciled, reconcileIn } from '../../domain/payments/reconcile.ts'
import { parseSettings, readEnv } from '../../platform/config/settings.ts'
import { credentialsFrom, isS3 } from '../../platform/config/storage.ts'
import { counted } from '../../platform/lib/text.ts'
import { backUp } from '../backup/backup.ts'
import { STANDARD, withExport, writeExport } from '../backup/export-file.ts'
import type { Header } from '../backup/export-format.ts'
import { withFetched } from '../backup/fetch.ts'
import { KEY, MANIFEST } from '../backup/files.ts'
import { importInto } from '../backup/import.ts'
import { type PicturesLeft, pictureReader } from '../backup/pictures.ts'
import { refuseDatabaseIn, restoreBackup } from '../backup/restore.ts'
import { asJson, type Command, needArgument, type OptionValues, UsageError } from './command.ts'
import { settingsOfService, withStore } from './with-store.ts'

export const exportCommand: Command = {
  name: 'export',
  usage: 'FILE',
  does: 'export the whole site to a file, to move it; .gz and .zst files are compressed',
  argumentsMax: 1,
  async run(values, word) {
    const file = needPath('export', 'a file to write', word)
    await withStore(async (store, config) => {
      const now = Date.now()
      const pictures = pictureReader(config)
      const { header, read } = await writeExport(store, file, now, { alongside: db => reconcileIn(db, now), pictures })
      const what = `Exported to ${file === STANDARD ? 'standard output' : file}`
      // Standard output may be the export itself.
      const print = asJson(values) && file !== STANDARD ? console.log : console.error
      showMoved(values, what, { file, ...header, picturesLeft: pictures.left() }, read, print)
    })
  },
}

export const importCommand: Command = {
  name: 'import',
  usage: 'FILE',
  does: 'import an export into an empty database, or continue an interrupted import',
  argumentsMax: 1,
  async run(values, word) {
    const file = needArgument('import', 'the file of an export', word)
    const config = settingsOfService()
    await withExport(file, async exported => {
      const { skipped, reconciled } = await importInto(config, exported, Date.now())
      if (skipped > 0 && !asJson(values)) console.log(`Continued after block ${skipped}.`)
      showMoved(values, `Imported from ${file}`, { file, skipped, ...exported.header }, reconciled)
    })
    if (!asJson(values)) askForKey(config)
  },
}

/** Returns where to write. @throws UsageError for an address, which would become folders on this machine */
function needPath(command: string, what: string, word: string | undefined): string {
  const path = needArgument(command, what, word)
  if (isS3(path)) throw new UsageError(`${command} writes to this machine only; set BACKUP_TO for object storage`)
  return path
}

/** Prints that the service key is missing, if it is. */
function askForKey({ serviceKeys, dataDir }: { serviceKeys: unknown; dataDir: string }): void {
  if (serviceKeys || existsSync(keyFile({ dataDir }))) return
  console.log('Before you start Placard, copy service.key from the old DATA_DIR into this one, or set SERVICE_KEY.')
}

interface Copied extends Pick<Header, 'tables' | 'schema'> {
  picturesLeft?: PicturesLeft | undefined
  /** Printed with `--json` only. */
  [more: string]: unknown
}

/** Prints what a copy contains, and whether its boards follow from its events. */
function showMoved(
  values: OptionValues,
  what: string,
  copied: Copied,
  { differences, payments, totals }: Reconciled,
  print: (line: string) => void = console.log,
): void {
  const { tables, schema, picturesLeft, ...more } = copied
  const rows = tables.reduce((sum, each) => sum + each.rows, 0)
  const listings = tables.find(({ table }) => table === 'listing')?.rows ?? 0
  if (differences.length > 0) process.exitCode = 1
  if (asJson(values))
    return void print(JSON.stringify({ ...more, picturesLeft, schema, rows, listings, differences, payments, totals }))
  print(
    `${what}: ${counted(rows, 'row')} in ${tables.length} tables (schema ${schema}), listings: ${listings}. Every row was copied.`,
  )
  if (picturesLeft) {
    print(
      `Pictures that are missing, and are only in object storage: ${picturesLeft.count} (${picturesLeft.why}). Keep that storage, or copy again.`,
    )
  }
  for (const { what, detail } of differences) print(`${what}: ${detail}`)
  print(
    differences.length > 0
      ? `Differences: ${differences.length}. The original has them, too: find the cause there, with reconcile.`
      : `No difference: ${counted(payments, 'payment')} and ${counted(totals, 'board total')} follow from the recorded events.`,
  )
}

export const backup: Command = {
  name: 'backup',
  usage: 'FOLDER [--with-key]',
  does: 'write a checked backup to a new folder; --with-key: include the service key',
  argumentsMax: 1,
  options: ['with-key'],
  async run(values, word) {
    const { 'with-key': withKey = false } = values
    const folder = needPath('backup', 'a folder to create', word)
    await withStore(async (store, config) => {
      const keys = withKey ? await requireServiceKeys(store.db, config) : []
      const { header, reconciled, picturesLeft } = await backUp(store, config, { folder, keys, now: Date.now() })
      showMoved(values, `Backed up in ${folder}`, { folder, withKey, ...header, picturesLeft }, reconciled)
      if (asJson(values)) return
      console.log(
        withKey
          ? 'This backup includes the service key. Anyone with this folder can open every private page: store it like a password.'
          : 'This backup does not include the service key. Store a copy elsewhere: without the key, no private link can be recovered.',
      )
    })
  },
}

export const restoreBackupCommand: Command = {
  name: 'restore-backup',
  usage: 'FOLDER|s3://… [--identity FILE]',
  does: 'restore a backup, or the newest of several, into an empty database; --identity: file with the key of an encrypted one, or - for standard input',
  argumentsMax: 1,
  options: ['identity'],
  async run(values, word) {
    const from = needArgument('restore-backup', 'a backup: its folder, or its address at s3://', word)
    const { manifest, reconciled, keyIn } = await restoreFrom(from, values.identity, Date.now())
    showMoved(values, `Restored from ${from}, a backup of ${manifest.at}`, { folder: from, ...manifest }, reconciled)
    if (asJson(values)) return
    if (keyIn !== undefined) console.log(`Set SERVICE_KEY to the content of ${keyIn}.`)
    else {
      const { SERVICE_KEY: serviceKeys, DATA_DIR: dataDir } = parseSettings(readEnv())
      askForKey({ serviceKeys, dataDir })
    }
    console.log(
      'Changes made after the backup are missing. Before you start Placard, copy log-checkpoint from the old DATA_DIR into the new one. docs/backup-and-upgrade.md explains why, and how to recover payments.',
    )
  },
}

async function restoreFrom(from: string, identity: string | undefined, now: number): Promise<Restored> {
  if (identity === undefined && !isS3(from) && existsSync(join(from, MANIFEST))) return restoreFolder(from, now)
  const settings = parseSettings(readEnv())
  // Before a large backup is fetched.
  if (settings.DATABASE_URL === undefined) refuseDatabaseIn(settings.DATA_DIR)
  const access = { dataDir: settings.DATA_DIR, s3: credentialsFrom(settings), identity }
  return withFetched(from, access, folder => restoreFolder(folder, now))
}

/** In `keyIn`, the file with the key that must become SERVICE_KEY. */
type Restored = Awaited<ReturnType<typeof restoreBackup>> & { keyIn?: string }

/** PostgreSQL requires SERVICE_KEY, which may be only in the backup, so the backup is read before the settings. */
async function restoreFolder(folder: string, now: number): Promise<Restored> {
  const key = join(folder, KEY)
  if (readEnv().SERVICE_KEY !== undefined || !existsSync(key)) return restoreBackup(settingsOfService(), folder, now)
  const config = settingsOfService({ SERVICE_KEY: readFileSync(key, 'utf8').trim().replaceAll('\n', ',') })
  const restored = await restoreBackup({ ...config, serviceKeys: undefined }, folder, now)
  return { ...restored, ...(config.databaseUrl !== undefined && { keyIn: keyFile(config) }) }
}

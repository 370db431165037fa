import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { knownKeys, requireServiceKeys } from '../../domain/ownership/service-keys/recorded-keys.ts'
import { keyText } from '../../domain/ownership/service-keys/service-keys.ts'
import { type Reconciled, reconcile, reconcileIn } from '../../domain/payments/reconcile.ts'
import type { Config } from '../../platform/config/config.ts'
import { databaseFile, syncPath } from '../../platform/db/data-folder.ts'
import { openStore } from '../../platform/db/open.ts'
import type { Store } from '../../platform/db/store.ts'
import { FULL_VERSION } from '../../platform/lib/package.ts'
import type { Secret } from '../../platform/lib/secret.ts'
import { requireExactSchema } from './exact-schema.ts'
import { headerOf, refuseExisting, withExport, writeExport } from './export-file.ts'
import type { Header } from './export-format.ts'
import {
  checkSqlite,
  copySqlite,
  DATABASE,
  describeFile,
  EXPORT,
  KEY,
  MANIFEST,
  type Manifest,
  SANDBOX,
} from './files.ts'
import { fillCopy, type PictureReader, type PicturesLeft, pictureReader } from './pictures.ts'

export type BackUpSettings = Pick<Config, 'dataDir' | 'payments' | 'serviceKeys' | 'storage' | 's3'>

export interface BackedUp {
  header: Header
  reconciled: Reconciled
  /** Undefined if the backup has every picture. */
  picturesLeft: PicturesLeft | undefined
}

interface BackUp {
  folder: string
  /** Included in the folder. None if they are stored elsewhere. */
  keys: readonly Secret[]
  now: number
  /** For the README. */
  about?: Pick<Backup, 'address' | 'recipients'>
}

/**
 * Backs up a database that may be in use, and checks the copy by opening it: on SQLite a copy of the database, on
 * PostgreSQL an export. The folder gets its name only when it is complete. A killed backup leaves one with
 * `.unfinished-` in its name, and no lock.
 *
 * @throws Error in one line if the folder exists, or the copy is not sound
 */
export async function backUp(
  store: Store,
  config: BackUpSettings,
  { folder, keys, now, about = { recipients: [] } }: BackUp,
): Promise<BackedUp> {
  refuseExisting(folder)
  mkdirSync(dirname(resolve(folder)), { recursive: true })
  const unfinished = mkdtempSync(`${resolve(folder)}.unfinished-`)
  try {
    const pictures = pictureReader(config)
    const copied = await (store.engine === 'sqlite'
      ? copyOf(config, unfinished, { now, pictures })
      : exportOf(store, join(unfinished, EXPORT), { now, pictures }))
    const backedUp = { ...copied, picturesLeft: pictures.left() }
    const sandbox = join(config.dataDir, SANDBOX)
    if (config.payments === 'sandbox' && existsSync(sandbox)) copySqlite(sandbox, join(unfinished, SANDBOX))
    const known = await knownKeys(store.db, keys)
    if (known.length > 0) writeFileSync(join(unfinished, KEY), `${known.map(keyText).join('\n')}\n`)
    const { at, engine } = backedUp.header
    const readme = readmeOf({ ...about, at, engine, hasKey: known.length > 0 })
    writeFileSync(join(unfinished, README), readme, { mode: 0o600, flush: true })
    await seal(unfinished, backedUp.header)
    refuseExisting(folder)
    renameSync(unfinished, folder)
    syncPath(dirname(resolve(folder)))
    return backedUp
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    throw new Error(`no backup was made in ${basename(folder)}: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

interface Copying {
  now: number
  pictures: PictureReader
}

type Copied = Omit<BackedUp, 'picturesLeft'>

/** Describes the copy from its own content, not from the database in use. */
async function copyOf(config: BackUpSettings, unfinished: string, { now, pictures }: Copying): Promise<Copied> {
  const copy = join(unfinished, DATABASE)
  copySqlite(databaseFile(config.dataDir), copy)
  await fillCopy(copy, pictures)
  checkSqlite(copy)
  const backedUp = await describe(config, unfinished, now)
  // Finds what a restore would refuse while the original still exists.
  await requireExactSchema(copy, backedUp.header.schema)
  return backedUp
}

async function describe(config: BackUpSettings, dataDir: string, now: number): Promise<Copied> {
  await using store = await openStore({ databaseUrl: undefined, dataDir, patient: true })
  await requireServiceKeys(store.db, config)
  return { header: await headerOf(store.db, store.engine, now), reconciled: await reconcile(store, now) }
}

async function exportOf(store: Store, file: string, { now, pictures }: Copying): Promise<Copied> {
  const { header, read } = await writeExport(store, file, now, { alongside: db => reconcileIn(db, now), pictures })
  await withExport(file, async ({ blocks }) => {
    for await (const block of blocks) void block
  })
  return { header, reconciled: read }
}

/** Writes the manifest, and syncs everything to the disk. */
async function seal(folder: string, header: Header): Promise<void> {
  const files: Manifest['files'] = {}
  for (const name of [DATABASE, EXPORT, SANDBOX, KEY]) {
    const path = join(folder, name)
    if (!existsSync(path)) continue
    chmodSync(path, 0o600)
    syncPath(path)
    files[name] = await describeFile(path)
  }
  const manifest: Manifest = { placard: 'backup', ...header, files }
  writeFileSync(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, {
    mode: 0o600,
    flush: true,
  })
  syncPath(folder)
}

/** The name of the file that says how to restore the backup that it is in. */
export const README = 'README.txt'

interface Backup {
  at: string
  engine: string
  /** What to give `restore-backup`. Undefined if the folder may be anywhere. */
  address?: string | undefined
  /** None if the backup is not encrypted. */
  recipients: readonly string[]
  hasKey: boolean
}

/** Returns the steps that restore a backup on an empty machine, without other documents. It contains no secret. */
function readmeOf({ at, engine, address, recipients, hasKey }: Backup): string {
  const isRemote = address?.startsWith('s3:')
  const isEncrypted = recipients.length > 0
  const put =
    engine === 'sqlite' ? 'put the file service.key into the new DATA_DIR (chmod 600)' : 'set SERVICE_KEY to it'
  const key = hasKey
    ? 'The service key is in this backup.'
    : `Get the service key, which is not in this backup: ${put}.`
  const database =
    engine === 'sqlite'
      ? 'Choose an empty folder for DATA_DIR, and leave DATABASE_URL unset: this is a backup of SQLite.'
      : 'Make an empty PostgreSQL database, and put its address into DATABASE_URL. Choose an empty folder for DATA_DIR.'
  const steps = [
    `Install Node.js 24 and Placard ${FULL_VERSION} or later.`,
    isRemote
      ? 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a key that can read this bucket.'
      : 'Copy the folder with this file to that machine.',
    ...(isEncrypted
      ? [
          `Copy the file with the age identity there, as identity.txt. It belongs to the recipient ${recipients.join(' or ')}.`,
        ]
      : []),
    key,
    database,
    `Run:\n\n     DATA_DIR=/var/lib/placard ${engine === 'sqlite' ? '' : "DATABASE_URL='postgres://…' "}npx placard restore-backup '${address ?? 'FOLDER'}'${isEncrypted ? ' --identity identity.txt' : ''}`,
    'Copy the file log-checkpoint from the old DATA_DIR into the new one. If it is lost, and the site published after this backup, run npx placard log recover --new-log with the settings of the old site.',
    'Start Placard with the same DATA_DIR, DATABASE_URL and BASE_URL, and the other settings of the old site.',
    'If the site takes payments, run npx placard reconcile --from-stripe. It records the payments since this backup. docs/backup-and-upgrade.md says what else a restore loses.',
  ]
  return `This is a backup of a Placard site (https://github.com/placard/placard), made at ${at} by version ${FULL_VERSION}.

To restore it on an empty machine:

${steps.map((step, index) => `${index + 1}. ${step}`).join('\n')}

The command verifies the checksums first. A backup is complete only if it has ${isEncrypted ? 'manifest.json.age' : 'manifest.json'}.
${isEncrypted ? 'To open a single file with the program age: age -d -i identity.txt placard.db.age > placard.db\n' : ''}`
}

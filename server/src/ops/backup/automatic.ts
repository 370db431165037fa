import { hash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { requireServiceKeys } from '../../domain/ownership/service-keys/recorded-keys.ts'
import type { Config } from '../../platform/config/config.ts'
import type { BackupConfig } from '../../platform/config/storage.ts'
import { databaseFile, makeDataDir } from '../../platform/db/data-folder.ts'
import { diskAdvice } from '../../platform/db/failures.ts'
import type { Db, Store } from '../../platform/db/store.ts'
import { messageOf } from '../../platform/lib/text.ts'
import { DAY_MS, SECOND_MS } from '../../platform/lib/time.ts'
import type { AutomaticBackup } from '../jobs/back-up.ts'
import { encryptFiles } from './age.ts'
import { type BackUpSettings, backUp, README } from './backup.ts'
import { type BackupPlace, isComplete, openPlace } from './places.ts'

interface AutomaticSettings extends BackUpSettings, Pick<Config, 'databaseUrl'> {
  backup: Pick<BackupConfig, 'to' | 'keep' | 'recipients'>
}

/** Free space that a backup leaves, because a full disk would stop the service. */
const SPARE_BYTES = 64 * 1024 * 1024

/** The maximum that a picture from object storage adds to a copy. */
const PICTURE_BYTES = 80 * 1024

/** After this time, an incomplete backup is no longer in progress, even in a process that lost its job. */
const INCOMPLETE_MS = DAY_MS

/**
 * Backs up to BACKUP_TO, and deletes the oldest backups of this site there once the new one is verified.
 *
 * @throws Error in one line if there is no new backup
 */
export async function backUpToPlace(store: Store, settings: AutomaticSettings, now: number): Promise<AutomaticBackup> {
  const { to, keep, recipients } = settings.backup
  const place = openPlace(to, settings.s3)
  const site = await siteOf(store.db)
  // First, so that an unreachable place costs no copy of the database.
  place.requireWritable()
  const name = nameAfter((await place.list(site)).keys(), site, now)
  const staging = stagingFor(settings, site)
  try {
    const folder = join(staging, name)
    requireRoom(staging, settings, await countObjects(store.db))
    const keys = recipients.length > 0 ? await requireServiceKeys(store.db, settings) : []
    const about = { address: place.addressOf(name), recipients }
    const { picturesLeft } = await backUp(store, settings, { folder, keys, now, about })
    const plain = readdirSync(folder).filter(file => file !== README)
    if (recipients.length > 0) await encryptFiles(folder, plain, recipients)
    await place.store(name, folder)
    // A failure to delete must not fail the job: the next attempt would only add another backup.
    const deleted = await deleteOld(place, site, { keep, now }).catch(messageOf)
    return { name, picturesLeft, ...(typeof deleted === 'string' ? { deleted: 0, notDeleted: deleted } : { deleted }) }
  } catch (error) {
    throw new Error(`${messageOf(error)}${diskAdvice(error)}`, { cause: error })
  } finally {
    rmSync(staging, { recursive: true, force: true })
    try {
      rmdirSync(dirname(staging))
    } catch {
      // Another process still writes there.
    }
  }
}

/** The beginning of the names of a site's backups. A restored site has the same one, and sites that share a place differ. */
export async function siteOf(db: Db): Promise<string> {
  const first = await db.selectFrom('service_key').select('checkValue').orderBy('id').limit(1).executeTakeFirst()
  if (!first) throw new Error('this database was never served, so it has no key yet: start the service first')
  return `placard-${hash('sha256', first.checkValue).slice(0, 8)}-`
}

/**
 * Returns a name later than all others: the clock may have been set back, and the last name must be the newest backup.
 */
function nameAfter(names: Iterable<string>, site: string, now: number): string {
  const times = [...names].filter(name => isOurs(site, name)).map(name => madeAt(site, name) + SECOND_MS)
  const time = new Date(Math.max(now, ...times)).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  return `${site}${time}-${randomBytes(3).toString('hex')}`
}

/**
 * Returns an empty folder, after it deleted the folders of killed backups. It is in BACKUP_TO, where there is more
 * space, unless that is object storage, or the backup is encrypted: a plain copy must never be there.
 */
function stagingFor({ backup: { to, recipients }, dataDir }: AutomaticSettings, site: string): string {
  const isThere = typeof to === 'string' && recipients.length === 0
  if (!isThere) makeDataDir(dataDir)
  const unfinished = join(resolve(isThere ? to : dataDir), `${site}unfinished`)
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { mode: 0o700 })
  // A process that lost its job may still write. With names of their own, the two never mix.
  return mkdtempSync(join(unfinished, 'x-'))
}

/** How many pictures a copy reads from object storage. */
async function countObjects(db: Db): Promise<number> {
  const { count } = db.fn
  const found = await db.selectFrom('picture').select(count('objectName').as('count')).executeTakeFirstOrThrow()
  return Number(found.count)
}

function requireRoom(staging: string, { databaseUrl, dataDir, backup }: AutomaticSettings, objects: number): void {
  const database = databaseFile(dataDir)
  const bytes =
    databaseUrl === undefined && existsSync(database) ? statSync(database).size + objects * PICTURE_BYTES : 0
  // While a file is encrypted, it exists twice.
  const needed = bytes * (backup.recipients.length > 0 ? 2 : 1) + SPARE_BYTES
  const { bavail, bsize } = statfsSync(staging)
  const mib = (count: number) => `${Math.ceil(count / 1024 / 1024)} MiB`
  if (bavail * bsize >= needed) return
  throw new Error(
    `a backup needs ${mib(needed)} free at ${join(staging, '../..')}, which has ${mib(bavail * bsize)}: make room`,
  )
}

async function deleteOld(
  place: BackupPlace,
  site: string,
  { keep, now }: { keep: number; now: number },
): Promise<number> {
  const ours = [...(await place.list(site))].filter(([name]) => isOurs(site, name)).sort()
  const old = ours.filter(([, files]) => isComplete(files)).slice(0, -keep)
  const left = ours.filter(([name, files]) => !isComplete(files) && madeAt(site, name) < now - INCOMPLETE_MS)
  for (const [name, files] of [...old, ...left]) await place.remove(name, files)
  return old.length
}

const isOurs = (site: string, name: string) => /^\d{8}T\d{6}Z-[0-9a-f]{6}$/.test(name.slice(site.length))

function madeAt(site: string, name: string): number {
  const compact = name.slice(site.length, name.lastIndexOf('-'))
  return Date.parse(compact.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'))
}

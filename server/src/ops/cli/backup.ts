import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { keyFile } from '../../domain/ownership/service-keys/key-file.ts'
import { requireServiceKeys } from '../../domain/ownership/service-keys/recorded-keys.ts'
import { parseSettings, readEnv } from '../../platform/config/settings.ts'
import { credentialsFrom, isS3 } from '../../platform/config/storage.ts'
import { backUp } from '../backup/backup.ts'
import { withFetched } from '../backup/fetch.ts'
import { KEY, MANIFEST } from '../backup/files.ts'
import { refuseDatabaseIn, restoreBackup } from '../backup/restore.ts'
import { asJson, type Command, needWord, settingsOfService, withStore } from './command.ts'
import { askForKey, showMoved } from './export.ts'

export const backup: Command = {
  name: 'backup',
  usage: 'FOLDER [--with-key]',
  does: 'write a checked backup to a new folder; --with-key: include the service key',
  words: 1,
  options: ['with-key'],
  async run(given, word) {
    const { 'with-key': withKey = false } = given
    const folder = needWord('backup', 'a folder to create', word)
    await withStore(async (store, config) => {
      const keys = withKey ? await requireServiceKeys(store.db, config) : []
      const { header, reconciled, picturesLeft } = await backUp(store, config, { folder, keys, now: Date.now() })
      showMoved(given, `Backed up in ${folder}`, { folder, withKey, ...header, picturesLeft }, reconciled)
      if (asJson(given)) return
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
  does: 'restore a backup, or the newest one in a place, into an empty database; --identity: opens an encrypted one, - is standard input',
  words: 1,
  options: ['identity'],
  async run(given, word) {
    const from = needWord('restore-backup', 'a backup: its folder, or its address at s3://', word)
    const { manifest, reconciled, keyIn } = await restoreFrom(from, given.identity, Date.now())
    showMoved(given, `Restored from ${from}, a backup of ${manifest.at}`, { folder: from, ...manifest }, reconciled)
    if (asJson(given)) return
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

/**
 * PostgreSQL requires SERVICE_KEY, which may be only in the backup, so the backup is read before the settings.
 *
 * @returns in `keyIn` the file with the key that must become SERVICE_KEY
 */
async function restoreFrom(
  from: string,
  identity: string | undefined,
  now: number,
): Promise<Awaited<ReturnType<typeof restoreBackup>> & { keyIn?: string }> {
  if (!isS3(from) && existsSync(join(from, MANIFEST))) return restoreBackup(settingsOfService(), from, now)
  const settings = parseSettings(readEnv())
  // Before a large backup is fetched.
  if (settings.DATABASE_URL === undefined) refuseDatabaseIn(settings.DATA_DIR)
  const access = { dataDir: settings.DATA_DIR, s3: credentialsFrom(settings), identity }
  return withFetched(from, access, async folder => {
    const key = join(folder, KEY)
    if (settings.SERVICE_KEY !== undefined || !existsSync(key)) return restoreBackup(settingsOfService(), folder, now)
    const config = settingsOfService({ SERVICE_KEY: readFileSync(key, 'utf8').trim().replaceAll('\n', ',') })
    const restored = await restoreBackup({ ...config, serviceKeys: undefined }, folder, now)
    return { ...restored, ...(config.databaseUrl !== undefined && { keyIn: keyFile(config) }) }
  })
}

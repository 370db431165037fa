import { requireServiceKeys } from '../../domain/ownership/service-keys/recorded-keys.ts'
import { backUp } from '../backup/backup.ts'
import { restoreBackup } from '../backup/restore.ts'
import { asJson, type Command, needWord, settingsOfService, withStore } from './command.ts'
import { showMoved } from './export.ts'

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
      const { header, reconciled } = await backUp(store, config, { folder, keys, now: Date.now() })
      showMoved(given, `Backed up in ${folder}`, { folder, withKey, ...header }, reconciled)
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
  usage: 'FOLDER',
  does: 'restore a backup into an empty database',
  words: 1,
  async run(given, word) {
    const folder = needWord('restore-backup', 'the folder of a backup', word)
    const config = settingsOfService()
    const { manifest, reconciled } = await restoreBackup(config, folder, Date.now())
    showMoved(given, `Restored from ${folder}, a backup of ${manifest.at}`, { folder, ...manifest }, reconciled)
    if (asJson(given)) return
    console.log(
      'Changes made after the backup are missing. docs/backup-and-upgrade.md explains how to recover payments.',
    )
  },
}

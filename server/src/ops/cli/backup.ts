import { requireServiceKeys } from '../../domain/ownership/service-keys/recorded-keys.ts'
import { backUp } from '../backup/backup.ts'
import { restoreBackup } from '../backup/restore.ts'
import { type Command, needWord, settingsOfService, withStore } from './command.ts'
import { showMoved } from './export.ts'

export const backup: Command = {
  name: 'backup',
  usage: 'FOLDER [--with-key]',
  does: 'a checked copy of the store in a new folder; --with-key: and the service key',
  words: 1,
  options: ['with-key'],
  async run({ 'with-key': withKey = false }, word) {
    const folder = needWord('backup', 'a folder to make', word)
    await withStore(async (store, config) => {
      const keys = withKey ? await requireServiceKeys(store.db, config) : []
      const { header, reconciled } = await backUp(store, config, { folder, keys, now: Date.now() })
      showMoved(`Backed up in ${folder}`, header, reconciled)
      console.log(
        withKey
          ? 'The service key is in it: who has this folder can open every private page. Keep it accordingly.'
          : 'The service key is not in it. Keep a copy elsewhere: without it, no private link can be returned.',
      )
    })
  },
}

export const restoreBackupCommand: Command = {
  name: 'restore-backup',
  usage: 'FOLDER',
  does: 'put a backup into an empty store',
  words: 1,
  async run(_given, word) {
    const folder = needWord('restore-backup', 'the folder of a backup', word)
    const config = settingsOfService()
    const { manifest, reconciled } = await restoreBackup(config, folder, Date.now())
    showMoved(`Restored from ${folder}, which was backed up at ${manifest.at}`, manifest, reconciled)
    console.log('What happened since is missing: docs/backup-and-upgrade.md says how to get payments back.')
  },
}

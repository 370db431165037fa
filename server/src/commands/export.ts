import { existsSync } from 'node:fs'
import { keyFile } from '../keys/file.ts'
import { STANDARD, withExport, writeExport } from '../moving/export-file.ts'
import { importInto } from '../moving/import-store.ts'
import { showMoved } from '../moving/show-moved.ts'
import { reconcileIn } from '../payments/reconcile.ts'
import { type Command, needWord } from './command.ts'
import { settingsOfService, withStore } from './with-store.ts'

export const exportCommand: Command = {
  name: 'export',
  usage: 'FILE',
  does: 'write the whole board to a file, to move it; .gz and .zst are packed',
  words: 1,
  async run(_given, word) {
    const file = needWord('export', 'a file to write', word)
    await withStore(async store => {
      const now = Date.now()
      const { header, read } = await writeExport(store, file, now, db => reconcileIn(db, now))
      showMoved(`Exported to ${file === STANDARD ? 'standard output' : file}`, header, read, console.error)
    })
  },
}

export const importCommand: Command = {
  name: 'import',
  usage: 'FILE',
  does: 'fill an empty store with an export, or go on where an import of it stopped',
  words: 1,
  async run(_given, word) {
    const file = needWord('import', 'the file of an export', word)
    const config = settingsOfService()
    await withExport(file, async exported => {
      const { skipped, reconciled } = await importInto(config, exported, Date.now())
      if (skipped > 0) console.log(`Went on after block ${skipped}.`)
      showMoved(`Imported from ${file}`, exported.header, reconciled)
    })
    if (!config.serviceKeys && !existsSync(keyFile(config))) {
      console.log('Before the start, put service.key of the old DATA_DIR into this one, or set SERVICE_KEY.')
    }
  },
}

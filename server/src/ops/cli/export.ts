import { existsSync } from 'node:fs'
import { keyFile } from '../../domain/ownership/service-keys/key-file.ts'
import { type Reconciled, reconcileIn } from '../../domain/payments/reconcile.ts'
import { STANDARD, withExport, writeExport } from '../backup/export-file.ts'
import type { Header } from '../backup/export-format.ts'
import { importInto } from '../backup/import.ts'
import { type Command, needWord, settingsOfService, withStore } from './command.ts'

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

/** Says what is in a copy, and whether its boards follow from its events. */
export function showMoved(
  what: string,
  { tables, schema }: Pick<Header, 'tables' | 'schema'>,
  { differences, payments, totals }: Reconciled,
  print: (line: string) => void = console.log,
): void {
  const rows = tables.reduce((sum, each) => sum + each.rows, 0)
  const listings = tables.find(({ table }) => table === 'listing')?.rows ?? 0
  print(`${what}: ${rows} rows in ${tables.length} tables (schema ${schema}), listings: ${listings}. Every row is in.`)
  for (const { what, detail } of differences) print(`${what}: ${detail}`)
  if (differences.length > 0) process.exitCode = 1
  print(
    differences.length > 0
      ? `Differences: ${differences.length}. The copy is like the original: find the cause there, with reconcile.`
      : `No difference: ${payments} payments and ${totals} board totals follow from the recorded events.`,
  )
}

import { existsSync } from 'node:fs'
import { keyFile } from '../../domain/ownership/service-keys/key-file.ts'
import { type Reconciled, reconcileIn } from '../../domain/payments/reconcile.ts'
import { STANDARD, withExport, writeExport } from '../backup/export-file.ts'
import type { Header } from '../backup/export-format.ts'
import { importInto } from '../backup/import.ts'
import { type PicturesLeft, pictureReader } from '../backup/pictures.ts'
import { asJson, type Command, type Given, needWord, settingsOfService, withStore } from './command.ts'

export const exportCommand: Command = {
  name: 'export',
  usage: 'FILE',
  does: 'export the whole site to a file, to move it; .gz and .zst files are compressed',
  words: 1,
  async run(given, word) {
    const file = needWord('export', 'a file to write', word)
    await withStore(async (store, config) => {
      const now = Date.now()
      const pictures = pictureReader(config)
      const { header, read } = await writeExport(store, file, now, { alongside: db => reconcileIn(db, now), pictures })
      const what = `Exported to ${file === STANDARD ? 'standard output' : file}`
      // Standard output may be the export itself.
      const print = asJson(given) && file !== STANDARD ? console.log : console.error
      showMoved(given, what, { file, ...header, picturesLeft: pictures.left() }, read, print)
    })
  },
}

export const importCommand: Command = {
  name: 'import',
  usage: 'FILE',
  does: 'import an export into an empty database, or continue an interrupted import',
  words: 1,
  async run(given, word) {
    const file = needWord('import', 'the file of an export', word)
    const config = settingsOfService()
    await withExport(file, async exported => {
      const { skipped, reconciled } = await importInto(config, exported, Date.now())
      if (skipped > 0 && !asJson(given)) console.log(`Continued after block ${skipped}.`)
      showMoved(given, `Imported from ${file}`, { file, skipped, ...exported.header }, reconciled)
    })
    if (!asJson(given)) askForKey(config)
  },
}

/** Prints that the service key is missing, if it is. */
export function askForKey({ serviceKeys, dataDir }: { serviceKeys: unknown; dataDir: string }): void {
  if (serviceKeys || existsSync(keyFile({ dataDir }))) return
  console.log('Before you start Placard, copy service.key from the old DATA_DIR into this one, or set SERVICE_KEY.')
}

interface Copied extends Pick<Header, 'tables' | 'schema'> {
  picturesLeft?: PicturesLeft | undefined
  /** Printed with `--json` only. */
  [more: string]: unknown
}

/** Prints what a copy contains, and whether its boards follow from its events. */
export function showMoved(
  given: Given,
  what: string,
  copied: Copied,
  { differences, payments, totals }: Reconciled,
  print: (line: string) => void = console.log,
): void {
  const { tables, schema, picturesLeft, ...more } = copied
  const rows = tables.reduce((sum, each) => sum + each.rows, 0)
  const listings = tables.find(({ table }) => table === 'listing')?.rows ?? 0
  if (differences.length > 0) process.exitCode = 1
  if (asJson(given))
    return void print(JSON.stringify({ ...more, picturesLeft, schema, rows, listings, differences, payments, totals }))
  print(
    `${what}: ${rows} rows in ${tables.length} tables (schema ${schema}), listings: ${listings}. Every row was copied.`,
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
      : `No difference: ${payments} payments and ${totals} board totals follow from the recorded events.`,
  )
}

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** Makes the data folder where it is missing, readable by its owner only. @throws Error in one line that names the setting */
export function makeDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new Error(`DATA_DIR ${dataDir} cannot be made or is no folder: ${(cause as Error).message}`, {
      cause,
    })
  }
}

/** Where SQLite keeps everything. */
export const databaseFile = (dataDir: string): string => join(dataDir, 'placard.db')

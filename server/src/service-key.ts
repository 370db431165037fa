import { randomBytes } from 'node:crypto'
import { chmodSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BadSetting, type Config, serviceKeyFrom } from './config.ts'
import { Secret } from './secret.ts'
import { makeDataDir } from './storage/data-dir.ts'

/**
 * The key that private links and sessions are derived with: `SERVICE_KEY`, or the file `service.key` in the data
 * folder, made once. Without it no private link can be given again, so it is part of every backup.
 *
 * @throws Error in one line when the file cannot be used
 */
export function loadServiceKey(config: Pick<Config, 'serviceKey' | 'dataDir' | 'databaseUrl'>): Secret {
  const { serviceKey, dataDir, databaseUrl } = config
  if (serviceKey) return serviceKey
  if (databaseUrl !== undefined) {
    throw new BadSetting(
      'SERVICE_KEY',
      'must be set with DATABASE_URL: 32 bytes in hex, the same on every instance',
    )
  }
  const file = join(dataDir, 'service.key')
  return readKey(file) ?? makeKey(dataDir, file)
}

function readKey(file: string): Secret | undefined {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat) return undefined
  if (stat.mode & 0o077) throw new Error(`${file} can be read by others: make it private with chmod 600`)
  try {
    return serviceKeyFrom(readFileSync(file, 'utf8').trim())
  } catch {
    throw new Error(
      `${file} does not hold 32 bytes in hex: restore it from a backup, or the private links are lost`,
    )
  }
}

/** Linked into place whole, so that two processes that start at once agree on one key. */
function makeKey(dataDir: string, file: string): Secret {
  makeDataDir(dataDir)
  const key = randomBytes(32)
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${key.toString('hex')}\n`, { mode: 0o600, flush: true })
  chmodSync(draft, 0o600)
  try {
    linkSync(draft, file)
    return new Secret(key)
  } catch (error) {
    const other = (error as NodeJS.ErrnoException).code === 'EEXIST' && readKey(file)
    if (!other) throw error
    return other
  } finally {
    rmSync(draft, { force: true })
  }
}

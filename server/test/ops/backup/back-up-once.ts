import { backUpToPlace } from '../../../src/ops/backup/automatic.ts'
import { openPlace } from '../../../src/ops/backup/places.ts'
import { configFrom } from '../../../src/platform/config/config.ts'
import type { Env } from '../../../src/platform/config/settings.ts'
import { openStore } from '../../../src/platform/db/open.ts'

/** The complete backups in a place, by name, with their files. */
export async function backupsIn(env: Env): Promise<[string, string[]][]> {
  const { backup, s3 } = configFrom(env)
  const all = await openPlace(backup?.to ?? '', s3).list('placard-')
  return [...all].filter(([, files]) => files.some(file => file.startsWith('manifest.json'))).sort()
}

/** Backs up once, without a service. */
export async function backUpOnce(env: Env, now = Date.now()) {
  const config = configFrom(env)
  if (!config.backup) throw new Error('BACKUP_TO is not set')
  const store = await openStore({ ...config, patient: true })
  try {
    return await backUpToPlace(store, { ...config, backup: config.backup }, now)
  } finally {
    await store.close()
  }
}

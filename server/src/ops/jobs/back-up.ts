import { warn } from '../../domain/notifications/operator/warnings.ts'
import { keyText } from '../../domain/ownership/service-keys/service-keys.ts'
import type { Config } from '../../platform/config/config.ts'
import { runInProcess } from '../../platform/lib/child-process.ts'
import { HOUR_MS, MINUTE_MS } from '../../platform/lib/time.ts'
import type { JobDefinition } from './job.ts'

type BackUpConfig = Pick<Config, 'backup' | 's3' | 'storage' | 'databaseUrl' | 'dataDir' | 'payments' | 'serviceKeys'>

/** Backs the site up to BACKUP_TO, and warns the operator if that fails or takes longer than BACKUP_EVERY. */
export const backUpSite: JobDefinition<'config' | 'clock' | 'log'> = {
  name: 'backup',
  does: 'backs the site up',
  everyMs: 6 * HOUR_MS,
  // Each may copy and upload the whole database before it fails.
  retryMaxMs: HOUR_MS,
  everyMsBy: ({ backup }) => backup?.everyMs ?? 6 * HOUR_MS,
  isOn: ({ backup }) => backup !== undefined,
  start:
    ({ config, clock, log }) =>
    async ({ store, signal }) => {
      const warnNow = () => warn(store, 'backup_failed', clock())
      // By then, the last backup is twice as old as it should be.
      const late = setTimeout(warnNow, Math.max(config.backup?.everyMs ?? 0, MINUTE_MS))
      try {
        const { notDeleted, ...made } = await backUpInProcess(config, signal)
        log.info(made, 'backed up')
        if (notDeleted !== undefined) log.warn({ why: notDeleted }, 'could not delete old backups')
      } catch (error) {
        if (!signal.aborted) await warnNow()
        throw error
      } finally {
        clearTimeout(late)
      }
    },
}

/** Backs up in a process of its own, because copying SQLite blocks. @throws Error if that failed or was stopped */
function backUpInProcess({ s3, serviceKeys, ...config }: BackUpConfig, signal: AbortSignal) {
  const { backup, storage, databaseUrl, dataDir, payments } = config
  const message: BackUpMessage = {
    settings: { backup, storage, databaseUrl, dataDir, payments },
    keys: serviceKeys?.map(keyText),
    s3: s3 && {
      accessKeyId: s3.accessKeyId,
      secretAccessKey: s3.secretAccessKey.reveal().toString(),
      sessionToken: s3.sessionToken?.reveal().toString(),
    },
  }
  return runInProcess<AutomaticBackup>('ops/processes/back-up', message, signal)
}

/** What the process sends back. */
export interface AutomaticBackup {
  name: string
  /** How many older backups were deleted. */
  deleted: number
  /** Why older ones could not be deleted. */
  notDeleted?: string
  /** Pictures that the backup does not have. */
  picturesLeft?: { count: number; why: string } | undefined
}

/** What the process is sent. Secrets are text only here. */
export interface BackUpMessage {
  settings: Pick<Config, 'backup' | 'storage' | 'databaseUrl' | 'dataDir' | 'payments'>
  keys: string[] | undefined
  s3: { accessKeyId: string; secretAccessKey: string; sessionToken: string | undefined } | undefined
}

import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { FastifyBaseLogger } from 'fastify'
import { warn } from '../../domain/notifications/operator/warnings.ts'
import { keyText } from '../../domain/ownership/service-keys/key-file.ts'
import type { Config } from '../../platform/config/config.ts'
import { yieldToTheService } from '../../platform/lib/child-process.ts'
import { scriptFile } from '../../platform/lib/package.ts'
import { HOUR_MS, MINUTE_MS } from '../../platform/lib/time.ts'
import type { JobDefinition } from './runner.ts'

/** The lowest priority, because no request waits for it. */
const NICENESS = 19

type BackUpConfig = Pick<Config, 'backup' | 's3' | 'storage' | 'databaseUrl' | 'dataDir' | 'payments' | 'serviceKeys'>

interface BackUpDependencies {
  config: BackUpConfig
  clock: () => number
  log: Pick<FastifyBaseLogger, 'info'>
}

/** Backs the site up to BACKUP_TO, and warns the operator if that fails or takes longer than BACKUP_EVERY. */
export const backUpSite: JobDefinition<BackUpDependencies> = {
  name: 'backup',
  does: 'backs the site up',
  everyMs: 6 * HOUR_MS,
  everyMsBy: ({ backup }) => backup?.everyMs ?? 6 * HOUR_MS,
  isOn: ({ backup }) => backup !== undefined,
  start: ({ config, clock, log }) => {
    return async ({ store, signal }) => {
      const warnNow = () => warn(store, 'backup_failed', clock())
      // By then, the last backup is twice as old as it should be.
      const late = setTimeout(warnNow, Math.max(config.backup?.everyMs ?? 0, MINUTE_MS))
      try {
        log.info(await backUpInProcess(config, signal), 'backed up')
      } catch (error) {
        if (!signal.aborted) await warnNow()
        throw error
      } finally {
        clearTimeout(late)
      }
    }
  },
}

/** What the process sends back. */
type Answer = { name: string; deleted: number; picturesLeft?: { count: number; why: string } } | { error: string }

/** Backs up in a process of its own, because copying SQLite blocks. @throws Error if that failed or was stopped */
async function backUpInProcess({ s3, serviceKeys, ...config }: BackUpConfig, signal: AbortSignal) {
  const child = fork(scriptFile('ops/processes/back-up'), { execArgv: [], stdio: 'ignore', signal })
  yieldToTheService(child.pid, NICENESS)
  const { backup, storage, databaseUrl, dataDir, payments } = config
  child.send({
    settings: { backup, storage, databaseUrl, dataDir, payments },
    keys: serviceKeys?.map(keyText),
    s3: s3 && {
      accessKeyId: s3.accessKeyId,
      secretAccessKey: s3.secretAccessKey.reveal().toString(),
      sessionToken: s3.sessionToken?.reveal().toString(),
    },
  } satisfies BackUpMessage)
  // An `error` event of the child, such as after the signal, is thrown.
  const [answer] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [Answer | number | null]
  if (typeof answer !== 'object' || answer === null) throw new Error('the process of the backup ended early')
  if ('error' in answer) throw new Error(answer.error)
  return answer
}

/** What the process is sent. Secrets are text only here. */
export interface BackUpMessage {
  settings: Pick<Config, 'backup' | 'storage' | 'databaseUrl' | 'dataDir' | 'payments'>
  keys: string[] | undefined
  s3: { accessKeyId: string; secretAccessKey: string; sessionToken: string | undefined } | undefined
}

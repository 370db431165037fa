import { sql } from 'kysely'
import type { Db, Trx } from './store.ts'
import { isStoreFailure } from './store-failure.ts'

/** The most transactions that share one commit, so that no request waits for an endless line. */
export const GROUP_MAX = 64

interface Job {
  work(trx: Trx): Promise<unknown>
  resolve(result: unknown): void
  reject(error: unknown): void
}

/**
 * Lets transactions that arrive together share one commit, and so one sync of the disk, which is what a durable write
 * costs. Each runs in a savepoint of its own: one that fails undoes only itself. Nobody hears of an outcome before the
 * shared commit is on disk, and when that fails, all of them have failed.
 */
export function groupCommit(db: Db): <T>(work: (trx: Trx) => Promise<T>) => Promise<T> {
  const waiting: Job[] = []
  let running = false

  async function runGroups(): Promise<void> {
    while (waiting.length > 0) await runGroup(db, waiting.splice(0, GROUP_MAX))
    running = false
  }

  return <T>(work: (trx: Trx) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      waiting.push({ work, resolve: result => resolve(result as T), reject })
      if (running) return
      running = true
      // After the requests that this turn of the event loop still brings.
      setImmediate(runGroups)
    })
}

async function runGroup(db: Db, jobs: Job[]): Promise<void> {
  try {
    const announcements = await db.transaction().execute(async begun => {
      const trx = Object.assign(begun, { engine: 'sqlite' as const })
      const settled: (() => void)[] = []
      for (const job of jobs) settled.push(await runInSavepoint(trx, job))
      return settled
    })
    for (const announce of announcements) announce()
  } catch (error) {
    for (const job of jobs) job.reject(error)
  }
}

/** @returns what tells the job's caller how it ended, once the group is committed */
async function runInSavepoint(trx: Trx, job: Job): Promise<() => void> {
  await savepoint.execute(trx)
  try {
    const result = await job.work(trx)
    await release.execute(trx)
    return () => job.resolve(result)
  } catch (error) {
    try {
      await rollbackTo.execute(trx)
      await release.execute(trx)
    } catch (undoing) {
      // A disk that fails ends the transaction for the whole group: what it failed with is the cause.
      throw isStoreFailure(error) ? error : undoing
    }
    return () => job.reject(error)
  }
}

const savepoint = sql.raw('savepoint job')
const rollbackTo = sql.raw('rollback to job')
const release = sql.raw('release job')

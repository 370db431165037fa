import { CompiledQuery } from 'kysely'
import { isStoreFailure } from './failures.ts'
import type { Db, Runner, Trx } from './store.ts'

/** The maximum number of transactions that share one commit, so that no request waits for an endless queue. */
export const GROUP_MAX = 64

interface Job {
  work(trx: Trx): Promise<unknown>
  resolve(result: unknown): void
  reject(error: unknown): void
}

/**
 * Lets transactions that arrive together share one commit, and so one sync of the disk, which is the main cost of a
 * durable write. If there are several, each has its own savepoint: a failure undoes only itself. No outcome is reported
 * before the shared commit is on disk, and if that fails, all have failed.
 *
 * @param runner runs statements on the connection of `db`
 */
export function groupCommit(db: Db, runner: Runner): <T>(work: (trx: Trx) => Promise<T>) => Promise<T> {
  const waiting: Job[] = []
  let running = false

  async function runGroups(): Promise<void> {
    while (waiting.length > 0) await runGroup(db, runner, waiting.splice(0, GROUP_MAX))
    running = false
  }

  return <T>(work: (trx: Trx) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      waiting.push({ work, resolve: result => resolve(result as T), reject })
      if (running) return
      running = true
      // Includes other requests of this turn of the event loop.
      setImmediate(runGroups)
    })
}

async function runGroup(db: Db, runner: Runner, jobs: Job[]): Promise<void> {
  try {
    const announcements = await db.transaction().execute(async begun => {
      const trx = Object.assign(begun, runner)
      const settled: (() => void)[] = []
      // Alone, a failure may undo everything. A savepoint would copy each page that changes.
      const run = jobs.length === 1 ? runWithoutSavepoint : runInSavepoint
      for (const job of jobs) settled.push(await run(trx, job))
      await indexDue(runner)
      return settled
    })
    for (const announce of announcements) announce()
  } catch (error) {
    for (const job of jobs) job.reject(error)
  }
}

async function runWithoutSavepoint(trx: Trx, job: Job): Promise<() => void> {
  const result = await job.work(trx)
  return () => job.resolve(result)
}

/** @returns a function that tells the job's caller the outcome, to call once the group is committed */
async function runInSavepoint(trx: Trx, job: Job): Promise<() => void> {
  await trx.executeQuery(savepoint)
  try {
    const result = await job.work(trx)
    await trx.executeQuery(release)
    return () => job.resolve(result)
  } catch (error) {
    try {
      await trx.executeQuery(rollbackTo)
      await trx.executeQuery(release)
    } catch (undoing) {
      // A failing disk ends the transaction for the whole group. That error is the cause.
      throw isStoreFailure(error) ? error : undoing
    }
    return () => job.reject(error)
  }
}

const savepoint = CompiledQuery.raw('savepoint job')
const rollbackTo = CompiledQuery.raw('rollback to job')
const release = CompiledQuery.raw('release job')

/**
 * Indexes the listings and words since the last commit. FTS5 writes its data whenever a savepoint begins, so a group of
 * publishes would write its index repeatedly. This takes a sixth off the work of a publish.
 */
async function indexDue(runner: Runner): Promise<void> {
  const { rows } = await runner.executeQuery(someDue)
  for (const statement of rows.length > 0 ? STATEMENTS : []) await runner.executeQuery(statement)
}

const someDue = CompiledQuery.raw('select 1 from listing_search_due union all select 1 from search_word_due limit 1')

/** Entries and marks are those of migration 0001. */
const STATEMENTS = [
  `insert into listing_search (rowid, words)
    select listing.id, replace("searchText", '¦ ', '') || ' §' ||
      case when "expiresAt" is null then 'always' else cast("publishedAt" / 2592000000 as text) end
    from listing_search_due cross join listing on listing.id = listing_search_due.id
    where "hiddenAt" is null`,
  // Without a condition, SQLite would write the page of an empty table.
  'delete from listing_search_due where id > 0',
  `insert into search_word_part (rowid, parts)
    select search_word.id, parts from search_word_due cross join search_word on search_word.id = search_word_due.id`,
  'delete from search_word_due where id > 0',
].map(text => CompiledQuery.raw(text))

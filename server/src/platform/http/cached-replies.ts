import { CompiledQuery } from 'kysely'
import type { Store } from '../db/store.ts'
import type { Engine } from '../db/tables/index.ts'
import { type CacheOptions, cached } from '../lib/cache.ts'

interface Replies<Subject, Reply> extends Omit<CacheOptions<Subject, Reply>, 'untilOf'> {
  /** Reads a reply. @param failure why the database is unreachable, if it is */
  read(subject: Subject, now: number, failure?: unknown): Promise<Reply>
}

/**
 * Caches replies until any process commits anything to the database, or time changes them. So a reply is never older than
 * what was acknowledged before it was requested. Concurrent requests for one subject share one read.
 *
 * A reply says in `until` when time alone changes it. If that time has passed, the reply is not cached.
 *
 * @returns a function of a subject and the time
 */
export function cachedReplies<Subject, Reply extends { until: number }>(
  store: Store,
  { read, ...options }: Replies<Subject, Reply>,
): (subject: Subject, now: number) => Promise<Reply> {
  // The reply contains that commit, and perhaps later ones. In that case, the next request reads it again.
  const replyTo = cached<Subject, Reply>(read, { ...options, untilOf: ({ until }) => until })
  return async (subject, now) => {
    let commit: unknown
    try {
      commit = await lastCommit(store)
    } catch (failure) {
      // Another attempt would wait as long again for a server that does not answer.
      return read(subject, now, failure)
    }
    return replyTo(subject, now, commit)
  }
}

interface Version {
  data_version: unknown
}

/**
 * SQLite: differs if any other connection, of any process, has committed since this one last read. Reads have a
 * connection that never writes.
 *
 * PostgreSQL: the transactions that a statement sees, of this start of the server. Their ids never repeat on one server,
 * but another server, or the same one after a restore, can assign them again.
 */
const QUERIES: Record<Engine, CompiledQuery<Version>> = {
  sqlite: CompiledQuery.raw('pragma data_version') as CompiledQuery<Version>,
  postgres: CompiledQuery.raw(
    `select pg_current_snapshot() || ' ' || pg_postmaster_start_time() as data_version`,
  ) as CompiledQuery<Version>,
}

/**
 * Returns what identifies the last commit: if it is the same twice, nothing in the database changed in between. It
 * differs after every commit that was acknowledged before the call, by whichever process.
 */
export async function lastCommit(store: Store): Promise<unknown> {
  const { rows } = await store.executeQuery(QUERIES[store.engine])
  return (rows[0] as Version).data_version
}

import type { Store } from '../../../platform/db/store.ts'
import { COMMAND } from '../../../platform/lib/package.ts'
import { daysMs, succeeds } from '../../../platform/lib/time.ts'

/** Problems for a person to check, and what to do. */
export const WARNINGS = {
  event_refused:
    'A payment event failed its signature check. Anyone can send one, but if payments are missing, compare STRIPE_WEBHOOK_SECRET with the endpoint at the processor.',
  event_not_stored:
    'A payment event could not be recorded. The processor sends it again for some days. The log says why: look for “internal_error”.',
  key_missing:
    'An owner could not recover a private link, because its service key is missing. If you have that key, add it to SERVICE_KEY, or to the key file, of every instance, and restart them.',
  blocklist_missing: `A blocklist cannot be read, or has not changed for two weeks. “${COMMAND} doctor” names it and says what to do.`,
  database_damaged: `The database is damaged. Stop Placard, keep a copy of DATA_DIR, and restore the last backup: docs/backup-and-upgrade.md. “${COMMAND} doctor” says what SQLite found.`,
  boards_differ: `The boards do not follow from the recorded payments. “${COMMAND} reconcile” shows the differences. Find out who changed the database, and restore a backup if you cannot.`,
  counts_differed: `A process held counts in memory that differed from the database, so ranks and prices may have been wrong. It has counted again. Run “${COMMAND} reconcile”.`,
  database_went_back: `The database went back to an earlier state, as after the failover to a standby that lagged, or a restored backup. Publications and payments since then may be lost. Run “${COMMAND} reconcile --from-stripe” to record the payments again, and read docs/scaling.md, What a failover can lose.`,
  log_broken: `The log has lost entries that others may have, so no checkpoint is signed any more. “${COMMAND} log recover” shows what is missing and what you can do.`,
  backup_failed: `The last automatic backup failed, or takes longer than BACKUP_EVERY. “${COMMAND} jobs” shows why, and “${COMMAND} doctor” says how old the last good one is.`,
  job_failed: `A background job keeps failing. “${COMMAND} jobs” shows which, and its last error.`,
} as const

export type Warning = keyof typeof WARNINGS

/** Each kind of warning is sent at most once a day, however often it occurs. */
const REPEAT_AFTER_MS = daysMs(1)

/**
 * Notifies the operator of a problem, at most once a day. Never throws, and callers need not await it.
 *
 * @returns whether the database took the warning, or has one of the last day
 */
export async function warn(store: Store, kind: Warning, now: number): Promise<boolean> {
  // Most calls repeat a warning, and must not write.
  const known = await store.db
    .selectFrom('warning')
    .select('at')
    .where('kind', '=', kind)
    .executeTakeFirst()
    .catch(() => undefined)
  // A time in the future is from before the clock was set back.
  if (known && Math.abs(now - known.at) < REPEAT_AFTER_MS) return true
  const put = store.transact(trx =>
    trx
      .insertInto('warning')
      .values({ kind, at: now })
      .onConflict(conflict => conflict.column('kind').doUpdateSet({ at: now }))
      .execute(),
  )
  return succeeds(put)
}

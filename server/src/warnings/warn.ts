import type { Store } from '../storage/store.ts'
import { daysMs } from '../time.ts'

/** What a person has to look at, and what to do. */
export const WARNINGS = {
  event_refused:
    'A payment event failed its signature check. Anybody can send one, but if payments are missing, compare STRIPE_WEBHOOK_SECRET with the endpoint at the processor.',
  event_not_stored:
    'A payment event could not be recorded. The processor sends it again for some days. The log says why: look for “internal_error”.',
  key_missing:
    'An owner could not get a private link back, since its service key is no longer here. If you have that key, add it to SERVICE_KEY, or to the key file.',
  job_failed:
    'Background work fails again and again. “npm run placard -- jobs” shows which, and its last error.',
} as const

export type Warning = keyof typeof WARNINGS

/** So that whoever causes one again and again has it told once a day. */
const TOLD_AGAIN_AFTER_MS = daysMs(1)

/** Has the operator told of something, at most once a day. Nobody waits for it, and nothing fails with it. */
export async function warn(store: Store, kind: Warning, now: number): Promise<void> {
  // Most calls repeat one, and must not write.
  const known = await store.db
    .selectFrom('warning')
    .select('at')
    .where('kind', '=', kind)
    .executeTakeFirst()
    .catch(() => undefined)
  if (known && now - known.at < TOLD_AGAIN_AFTER_MS) return
  await store
    .transact(trx =>
      trx
        .insertInto('warning')
        .values({ kind, at: now })
        .onConflict(conflict => conflict.column('kind').doUpdateSet({ at: now }))
        .execute(),
    )
    .catch(() => {})
}

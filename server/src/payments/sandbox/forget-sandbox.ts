import { sql } from 'kysely'
import { deleteSome } from '../../storage/delete-some.ts'
import type { Store, Trx } from '../../storage/store.ts'

/** Deletes what the sandbox holds of some orders, which are deleted themselves: their payment pages and events. */
export async function forgetSessions(trx: Trx, checkoutIds: readonly string[]): Promise<void> {
  const sessions = trx.selectFrom('sandbox_session').select('id').where('idempotency_key', 'in', checkoutIds)
  await trx.deleteFrom('sandbox_event').where('session_id', 'in', sessions).execute()
  await trx.deleteFrom('sandbox_session').where('idempotency_key', 'in', checkoutIds).execute()
}

/** Deletes events of the sandbox from before a time: they were delivered, or somebody chose not to. */
export const forgetSandboxEvents = (store: Store, before: number): Promise<number> =>
  deleteSome(store, 'sandbox_event', {
    key: ['id'],
    where: sql`created_at < ${before}`,
    order: sql`created_at`,
  })

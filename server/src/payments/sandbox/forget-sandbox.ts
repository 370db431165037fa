import { sql } from 'kysely'
import { deleteSome } from '../../storage/delete-some.ts'
import type { Store, Trx } from '../../storage/store.ts'

/** Deletes what the sandbox holds of some orders, which are deleted themselves: their payment pages and events. */
export async function forgetSessions(trx: Trx, checkoutIds: readonly string[]): Promise<void> {
  const sessions = trx.selectFrom('sandbox_session').select('id').where('idempotencyKey', 'in', checkoutIds)
  await trx.deleteFrom('sandbox_event').where('sessionId', 'in', sessions).execute()
  await trx.deleteFrom('sandbox_session').where('idempotencyKey', 'in', checkoutIds).execute()
}

/** Deletes events of the sandbox from before a time: they were delivered, or somebody chose not to. */
export const forgetSandboxEvents = (store: Store, before: number): Promise<number> =>
  deleteSome(store, 'sandbox_event', {
    key: ['id'],
    where: sql`"createdAt" < ${before}`,
    order: sql`"createdAt"`,
  })

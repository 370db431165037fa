/**
 * The process that reconciles at night: on SQLite, its statements would block the service. The database settings arrive
 * as a message, because they may contain a password, and the result returns as one.
 */

import { reconcile } from '../../domain/payments/reconcile.ts'
import { openMigrated, type StoreSettings } from '../../platform/db/open.ts'

process.once('disconnect', () => process.exit())
process.once('message', async ({ now, ...settings }: StoreSettings & { now: number }) => {
  try {
    const store = await openMigrated(settings)
    try {
      process.send?.(await reconcile(store, now))
    } finally {
      await store.close()
    }
  } catch (error) {
    process.send?.({ error: (error as Error).message })
  }
  process.disconnect()
})

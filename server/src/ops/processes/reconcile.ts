/** The process that reconciles at night: on SQLite, its statements would block the service. */

import { reconcile } from '../../domain/payments/reconcile.ts'
import { openMigrated, type StoreSettings } from '../../platform/db/open.ts'
import { answerParent } from '../../platform/lib/child-process.ts'

answerParent(async ({ now, ...settings }: StoreSettings & { now: number }) => {
  await using store = await openMigrated(settings)
  return await reconcile(store, now)
})

import { sql } from 'kysely'
import { deleteSome } from '../storage/delete-some.ts'
import type { Store } from '../storage/store.ts'

/** Deletes reports settled before a time. What was done about them stays in the audit log. */
export const forgetSettledReports = (store: Store, before: number): Promise<number> =>
  deleteSome(store, 'report', {
    key: ['id'],
    where: sql`"settledAt" is not null and "settledAt" < ${before}`,
    order: sql`"settledAt"`,
  })

import { sql } from 'kysely'
import { deleteSome } from '../storage/delete-some.ts'
import type { Store } from '../storage/store.ts'

/** Deletes reports settled before a time. That they were settled, and when, stays among the decisions. */
export const forgetSettledReports = (store: Store, before: number): Promise<number> =>
  deleteSome(store, 'report', {
    key: ['id'],
    where: sql`"settledAt" is not null and "settledAt" < ${before}`,
    order: sql`"settledAt"`,
  })

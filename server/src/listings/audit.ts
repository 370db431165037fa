import type { Insertable } from 'kysely'
import type { Database } from '../storage/schema.ts'
import type { Trx } from '../storage/store.ts'

export type AuditEvent = Insertable<Database['audit_event']>

/** Records what was done to a listing, by whom and why, in the same transaction. */
export async function audit(trx: Trx, event: AuditEvent): Promise<void> {
  await trx.insertInto('audit_event').values(event).execute()
}

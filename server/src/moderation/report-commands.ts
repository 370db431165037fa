import type { Actor } from '../storage/schema.ts'
import type { Store } from '../storage/store.ts'
import { utcMinute } from '../time.ts'
import { openReports, settleReport } from './reports.ts'

/** Prints the open reports, oldest first. Their texts are already plain. */
export async function showReports(store: Store, count: number): Promise<void> {
  const reports = await openReports(store, count)
  if (reports.length === 0) return void console.log('There are no open reports.')
  for (const { id, createdAt, slug, reason, details, contact } of reports) {
    console.log(`${id}  ${utcMinute(createdAt)}  ${slug}  ${reason}`)
    if (details) console.log(`    ${details}`)
    if (contact) console.log(`    contact: ${contact}`)
  }
}

/** Closes a report with what was done about it. @throws Error if there is no such report */
export async function settle(store: Store, id: number, settlement: string, actor: Actor): Promise<void> {
  const settled = await settleReport(store, id, settlement, Date.now(), actor)
  if (!settled) throw new Error(`there is no report ${id}; "reports" shows the open ones`)
  console.log(
    settled.changed
      ? `Report ${id} about ${settled.slug} is settled.`
      : `Report ${id} about ${settled.slug} was already settled: ${settled.settlement}`,
  )
}

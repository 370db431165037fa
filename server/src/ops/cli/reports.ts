import { operatorNamed } from '../../domain/decisions/record.ts'
import { openReports } from '../../domain/moderation/reports.ts'
import { settleReport } from '../../domain/moderation/settle-reports.ts'
import type { Store } from '../../platform/db/store.ts'
import type { Actor } from '../../platform/db/tables/decisions.ts'
import { utcMinute } from '../../platform/lib/time.ts'
import { asJson, type Command, readLimit, readName, readReason, UsageError, withStore } from './command.ts'

export const reports: Command = {
  name: 'reports',
  usage: '[--limit N]',
  does: 'list open reports, the most serious first',
  options: ['limit', 'json'],
  async run(given) {
    const count = readLimit(given)
    await withStore(store => showReports(store, count, asJson(given)))
  },
}

export const settle: Command = {
  name: 'settle',
  usage: 'REPORT_ID --reason TEXT',
  does: 'close a report, and record what you did about it',
  words: 1,
  options: ['reason', 'as', 'json'],
  async run(given, id = '') {
    if (!/^[1-9]\d{0,14}$/.test(id)) throw new UsageError('settle needs the number of a report')
    const reason = readReason('settle', given)
    const name = readName(given)
    await withStore(store => settleAndPrint(store, Number(id), reason, operatorNamed(name), asJson(given)))
  },
}

async function showReports(store: Store, count: number, asJson: boolean): Promise<void> {
  const reports = await openReports(store, count)
  if (asJson) {
    for (const report of reports) console.log(JSON.stringify(report))
    return
  }
  if (reports.length === 0) return void console.log('There are no open reports.')
  for (const { id, createdAt, slug, reason, details, contact } of reports) {
    console.log(`${id}  ${utcMinute(createdAt)}  ${slug}  ${reason}`)
    if (details) console.log(`    ${details}`)
    if (contact) console.log(`    contact: ${contact}`)
  }
}

/** Closes a report. @throws Error if there is no such report */
async function settleAndPrint(
  store: Store,
  id: number,
  settlement: string,
  actor: Actor,
  asJson: boolean,
): Promise<void> {
  const settled = await settleReport(store, id, settlement, Date.now(), actor)
  if (!settled) throw new Error(`there is no report ${id}; "reports" shows the open ones`)
  if (asJson) return void console.log(JSON.stringify({ id, ...settled }))
  console.log(
    settled.changed
      ? `Report ${id} about ${settled.slug} is settled.`
      : `Report ${id} about ${settled.slug} was already settled: ${settled.settlement}`,
  )
}

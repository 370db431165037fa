import { operatorNamed } from '../../domain/decisions/record.ts'
import { openReports } from '../../domain/moderation/reports.ts'
import { settleReport } from '../../domain/moderation/settle-reports.ts'
import { utcMinute } from '../../platform/lib/time.ts'
import { listCommand, settleCommand } from './command.ts'

export const reports = listCommand({
  name: 'reports',
  does: 'list open reports, the most serious first',
  none: 'There are no open reports.',
  read: openReports,
  print({ id, createdAt, slug, reason, details, contact }) {
    console.log(`${id}  ${utcMinute(createdAt)}  ${slug}  ${reason}`)
    if (details) console.log(`    ${details}`)
    if (contact) console.log(`    contact: ${contact}`)
  },
})

export const settle = settleCommand({
  name: 'settle',
  usage: 'REPORT_ID --reason TEXT',
  what: 'report',
  settle: (store, id, settlement, by) => settleReport(store, id, settlement, Date.now(), operatorNamed(by)),
})

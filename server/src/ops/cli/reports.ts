import { openReports } from '../../domain/moderation/reports.ts'
import { type Settled, settleReport } from '../../domain/moderation/settle-reports.ts'
import type { Store } from '../../platform/db/store.ts'
import { utcMinute } from '../../platform/lib/time.ts'
import { type Decision, decisionCommand, listCommand, UsageError } from './command.ts'

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
  settle: (store, { subject, reason, now, actor }) => settleReport(store, subject, reason, now, actor),
})

interface SettleCommand {
  name: string
  usage: string
  what: 'report' | 'finding'
  settle(store: Store, decision: Decision<number>): Promise<Settled | undefined>
}

/** Creates a command that closes a report or a finding by its number. */
export function settleCommand({ name, usage, what, settle }: SettleCommand) {
  return decisionCommand({
    name,
    usage,
    does: `close a ${what}, and record what you did about it`,
    subject(id = '') {
      if (!/^[1-9]\d{0,14}$/.test(id)) throw new UsageError(`${name} needs the number of a ${what}`)
      return Number(id)
    },
    async act(store, decision) {
      const { subject: id } = decision
      const settled = await settle(store, decision)
      if (!settled) throw new Error(`there is no ${what} ${id}; "${what}s" shows the open ones`)
      const which = `${what === 'report' ? 'Report' : 'Finding'} ${id} about ${settled.slug}`
      const text = settled.changed ? `${which} is settled.` : `${which} was already settled: ${settled.settlement}`
      return [{ id, ...settled }, text]
    },
  })
}

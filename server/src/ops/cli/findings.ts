import { findingText, openFindings, settleFinding } from '../../domain/moderation/findings.ts'
import type { Evidence } from '../../domain/review/verdict.ts'
import { utcMinute } from '../../platform/lib/time.ts'
import { listCommand } from './command.ts'
import { settleCommand } from './reports.ts'

export const findings = listCommand({
  name: 'findings',
  does: 'list open findings of reviewers and rechecks, the most serious first',
  none: 'There are no open findings.',
  read: (store, count) => openFindings(store, count),
  print({ id, firstSeenAt, slug, url, kind, evidence }) {
    console.log(`${id}  ${utcMinute(firstSeenAt)}  ${slug}  ${kind}: ${findingText(kind)}.`)
    console.log(`    ${url}  ${inWords(evidence)}`)
  },
})

export const settleFindingCommand = settleCommand({
  name: 'settle-finding',
  usage: 'ID --reason TEXT',
  what: 'finding',
  settle: (store, { subject, reason, name, now }) => settleFinding(store, subject, reason, name, now),
})

export const inWords = (evidence: Evidence): string =>
  Object.entries(evidence)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(' ')

import { findingText, openFindings, settleFinding } from '../../domain/moderation/findings.ts'
import type { Evidence } from '../../domain/review/verdict.ts'
import { utcMinute } from '../../platform/lib/time.ts'
import { listCommand, settleCommand } from './command.ts'

export const findings = listCommand({
  name: 'findings',
  does: 'list open findings of reviewers and rechecks, the most serious first',
  none: 'There are no open findings.',
  read: openFindings,
  print({ id, firstSeenAt, slug, url, kind, evidence }) {
    console.log(`${id}  ${utcMinute(firstSeenAt)}  ${slug}  ${kind}: ${findingText(kind)}.`)
    console.log(`    ${url}  ${inWords(evidence)}`)
  },
})

export const settleFindingCommand = settleCommand({
  name: 'settle-finding',
  usage: 'ID --reason TEXT',
  what: 'finding',
  settle: (store, id, settlement, by) => settleFinding(store, id, settlement, by, Date.now()),
})

export const inWords = (evidence: Evidence): string =>
  Object.entries(evidence)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(' ')

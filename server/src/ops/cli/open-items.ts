import { operatorOf } from '../../domain/decisions/record.ts'
import {
  contestedIn,
  decideAppeal,
  listOpenAppeals,
  OUTCOMES,
  RESULTS,
} from '../../domain/moderation/appeals/decide-appeal.ts'
import { textIn } from '../../domain/moderation/appeals/statement.ts'
import { findingText, openFindings, settleFinding } from '../../domain/moderation/findings.ts'
import { openReports } from '../../domain/moderation/reports.ts'
import { type Settled, settleReport } from '../../domain/moderation/settle-reports.ts'
import type { Evidence } from '../../domain/review/verdict.ts'
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
function settleCommand({ name, usage, what, settle }: SettleCommand) {
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
  settle: (store, { subject, reason, name, now }) =>
    store.transact(trx => settleFinding(trx, subject, reason, name, now)),
})

export const inWords = (evidence: Evidence): string =>
  Object.entries(evidence)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(' ')

export const appeals = listCommand({
  name: 'appeals',
  does: 'list open appeals, oldest first',
  none: 'There are no open appeals.',
  read: async (store, count) => contestedIn(store, await listOpenAppeals(store, count)),
  print({ id, kind, reason, slug, hostname, actor, appeal }) {
    if (!appeal) return
    const by = operatorOf(actor) ?? actor
    console.log(`${id}  ${utcMinute(appeal.at)}  ${slug ?? hostname ?? '?'}  ${kind}: ${reason}  (by ${by})`)
    console.log(`    ${appeal.actor}: ${textIn(appeal, 'statement') ?? ''}`)
  },
  toJson: ({ secretHash: _, ...each }) => each,
})

const isResult = (word: string): word is keyof typeof RESULTS => Object.hasOwn(RESULTS, word)

export const decideAppealCommand = decisionCommand({
  name: 'decide-appeal',
  usage: 'ID uphold|reverse --reason TEXT',
  does: 'decide an appeal and carry out the result',
  argumentsMax: 2,
  subject(id, verdict = '') {
    if (id && isResult(verdict)) return { id, result: RESULTS[verdict] }
    throw new UsageError('decide-appeal needs the id of a decision, and then "uphold" or "reverse"')
  },
  /** @throws Error if there is no such appeal, or another operator must decide it */
  async act(store, { subject: { id, result }, reason: explanation, name, now }) {
    const decided = await decideAppeal(store, id, result, { name, explanation }, now)
    if (!decided) throw new Error(`there is no appeal against ${id}; "appeals" shows the open ones`)
    const { contested, changed } = decided
    const which = `The appeal against ${contested.id} (${contested.slug ?? contested.hostname ?? '?'})`
    const text = `${which} ${changed ? 'is' : 'was already'} ${OUTCOMES[decided.result]}.`
    return [{ id: contested.id, result: decided.result, changed }, text]
  },
})

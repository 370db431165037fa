import { findingText, openFindings, settleFinding } from '../../domain/moderation/findings.ts'
import type { Evidence } from '../../domain/review/verdict.ts'
import type { Store } from '../../platform/db/store.ts'
import { utcMinute } from '../../platform/lib/time.ts'
import { asJson, type Command, readLimit, readName, readReason, UsageError, withStore } from './command.ts'

export const findings: Command = {
  name: 'findings',
  usage: '[--limit N]',
  does: 'list open findings of reviewers and rechecks, the most serious first',
  options: ['limit', 'json'],
  async run(given) {
    const count = readLimit(given)
    await withStore(store => showFindings(store, count, asJson(given)))
  },
}

export const settleFindingCommand: Command = {
  name: 'settle-finding',
  usage: 'ID --reason TEXT',
  does: 'close a finding, and record what you did about it',
  words: 1,
  options: ['reason', 'as', 'json'],
  async run(given, id = '') {
    if (!/^[1-9]\d{0,14}$/.test(id)) throw new UsageError('settle-finding needs the number of a finding')
    const reason = readReason('settle-finding', given)
    const name = readName(given)
    await withStore(store => settleOne(store, Number(id), reason, name, asJson(given)))
  },
}

async function showFindings(store: Store, count: number, asJson: boolean): Promise<void> {
  const findings = await openFindings(store, count)
  if (asJson) for (const finding of findings) console.log(JSON.stringify(finding))
  else if (findings.length === 0) console.log('There are no open findings.')
  else {
    for (const { id, firstSeenAt, slug, url, kind, evidence } of findings) {
      console.log(`${id}  ${utcMinute(firstSeenAt)}  ${slug}  ${kind}: ${findingText(kind)}.`)
      console.log(`    ${url}  ${inWords(evidence)}`)
    }
  }
}

/** Closes a finding. @throws Error if there is no such finding */
async function settleOne(store: Store, id: number, settlement: string, by: string, asJson: boolean): Promise<void> {
  const settled = await settleFinding(store, id, settlement, by, Date.now())
  if (!settled) throw new Error(`there is no finding ${id}; "findings" shows the open ones`)
  if (asJson) return void console.log(JSON.stringify({ id, ...settled }))
  console.log(
    settled.changed
      ? `Finding ${id} about ${settled.slug} is settled.`
      : `Finding ${id} about ${settled.slug} was already settled: ${settled.settlement}`,
  )
}

export const inWords = (evidence: Evidence): string =>
  Object.entries(evidence)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(' ')

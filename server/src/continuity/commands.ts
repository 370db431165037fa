import type { Evidence } from '../destinations/verdict.ts'
import type { Store } from '../storage/store.ts'
import { utcMinute } from '../time.ts'
import { openFindings, settleFinding } from './findings.ts'
import type { LookedAgain } from './look-again.ts'
import { FINDING_KINDS } from './score-change.ts'

/** Prints the open findings, oldest first, or one line of JSON for each. Their texts are already plain. */
export async function showFindings(store: Store, count: number, asJson: boolean): Promise<void> {
  const findings = await openFindings(store, count)
  if (asJson) for (const finding of findings) console.log(JSON.stringify(finding))
  else if (findings.length === 0) console.log('There are no open findings.')
  else {
    for (const { id, firstSeenAt, slug, url, kind, evidence } of findings) {
      console.log(`${id}  ${utcMinute(firstSeenAt)}  ${slug}  ${kind}: ${FINDING_KINDS[kind]}.`)
      console.log(`    ${url}  ${inWords(evidence)}`)
    }
  }
}

/** Closes a finding with what was done about it. @throws Error if there is no such finding */
export async function settleOne(store: Store, id: number, settlement: string, by: string): Promise<void> {
  const settled = await settleFinding(store, id, settlement, by, Date.now())
  if (!settled) throw new Error(`there is no finding ${id}; "findings" shows the open ones`)
  console.log(
    settled.changed
      ? `Finding ${id} about ${settled.slug} is settled.`
      : `Finding ${id} about ${settled.slug} was already settled: ${settled.settlement}`,
  )
}

/** Prints what came of a look. */
export function showLook(looked: LookedAgain, asJson: boolean): void {
  if (asJson) return void console.log(JSON.stringify(looked))
  if ('unsure' in looked) return void console.log(`${looked.slug}  could not be looked at: ${looked.unsure}`)
  const { slug, verdict, findings, hidden } = looked
  console.log(`${slug}  ${verdict.replace('_', ' ')}${hidden ? ', and hidden' : ''}`)
  for (const { kind, evidence } of findings) console.log(`    ${kind}: ${inWords(evidence)}`)
}

const inWords = (evidence: Evidence): string =>
  Object.entries(evidence)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(' ')

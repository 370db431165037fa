import { operatorOf } from '../decisions/record.ts'
import type { Store } from '../storage/store.ts'
import { utcMinute } from '../time.ts'
import { contestedIn, decideAppeal, listOpenAppeals, type Result } from './decide-appeal.ts'
import { textIn } from './statement.ts'

/** Prints the open appeals, oldest first, or one line of JSON for each. Their texts are already plain. */
export async function showAppeals(store: Store, count: number, asJson: boolean): Promise<void> {
  const contested = await contestedIn(store, await listOpenAppeals(store, count))
  if (asJson) {
    for (const { secretHash: _, ...each } of contested) console.log(JSON.stringify(each))
    return
  }
  if (contested.length === 0) return void console.log('There are no open appeals.')
  for (const { id, kind, reason, slug, hostname, actor, appeal } of contested) {
    if (!appeal) continue
    const by = operatorOf(actor) ?? actor
    console.log(`${id}  ${utcMinute(appeal.at)}  ${slug ?? hostname ?? '?'}  ${kind}: ${reason}  (by ${by})`)
    console.log(`    ${appeal.actor}: ${textIn(appeal, 'statement') ?? ''}`)
  }
}

/** Decides an appeal. @throws Error if there is none, or another operator has to decide it */
export async function decide(
  store: Store,
  id: string,
  result: Result,
  by: { name: string; explanation: string },
  asJson: boolean,
): Promise<void> {
  const decided = await decideAppeal(store, id, result, by, Date.now())
  if (!decided) throw new Error(`there is no appeal against ${id}; "appeals" shows the open ones`)
  const { contested, changed } = decided
  if (asJson) return void console.log(JSON.stringify({ id: contested.id, result: decided.result, changed }))
  const which = `The appeal against ${contested.id} (${contested.slug ?? contested.hostname ?? '?'})`
  console.log(
    changed ? `${which} is decided: ${decided.result}.` : `${which} was already decided: ${decided.result}.`,
  )
}

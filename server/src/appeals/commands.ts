import { operatorOf } from '../decisions/record.ts'
import type { Store } from '../storage/store.ts'
import { utcMinute } from '../time.ts'
import { decideAppeal, openAppeals, type Result } from './decide-appeal.ts'
import { textIn } from './statement.ts'

/** Prints the open appeals, oldest first. Their texts are already plain. */
export async function showAppeals(store: Store, count: number): Promise<void> {
  const contested = await openAppeals(store, count)
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
): Promise<void> {
  const decided = await decideAppeal(store, id, result, by, Date.now())
  if (!decided) throw new Error(`there is no appeal against ${id}; "appeals" shows the open ones`)
  const { contested, changed } = decided
  const which = `The appeal against ${contested.id} (${contested.slug ?? contested.hostname ?? '?'})`
  console.log(
    changed ? `${which} is decided: ${decided.result}.` : `${which} was already decided: ${decided.result}.`,
  )
}

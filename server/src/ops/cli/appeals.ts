import { operatorOf } from '../../domain/decisions/record.ts'
import {
  contestedIn,
  decideAppeal,
  listOpenAppeals,
  RESULTS,
  type Result,
} from '../../domain/moderation/appeals/decide-appeal.ts'
import { textIn } from '../../domain/moderation/appeals/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import { utcMinute } from '../../platform/lib/time.ts'
import { asJson, type Command, listCommand, readName, readReason, UsageError, withStore } from './command.ts'

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

export const decideAppealCommand: Command = {
  name: 'decide-appeal',
  usage: 'ID uphold|reverse --reason TEXT',
  does: 'decide an appeal and carry out the result',
  words: 2,
  options: ['reason', 'as'],
  async run(given, id, verdict = '') {
    if (!id || !isResult(verdict)) {
      throw new UsageError('decide-appeal needs the id of a decision, and then "uphold" or "reverse"')
    }
    const explanation = readReason('decide-appeal', given)
    const name = readName(given)
    await withStore(store => decide(store, id, RESULTS[verdict], { name, explanation }, asJson(given)))
  },
}

const isResult = (word: string): word is keyof typeof RESULTS => Object.hasOwn(RESULTS, word)

/** Decides an appeal and prints the result. @throws Error if there is none, or another operator must decide it */
async function decide(
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
  console.log(changed ? `${which} is decided: ${decided.result}.` : `${which} was already decided: ${decided.result}.`)
}

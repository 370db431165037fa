import { operatorOf } from '../../domain/decisions/record.ts'
import { contestedIn, decideAppeal, listOpenAppeals, RESULTS } from '../../domain/moderation/appeals/decide-appeal.ts'
import { textIn } from '../../domain/moderation/appeals/statement.ts'
import { utcMinute } from '../../platform/lib/time.ts'
import { decisionCommand, listCommand, UsageError } from './command.ts'

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
  words: 2,
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
    const text = `${which} ${changed ? 'is' : 'was already'} decided: ${decided.result}.`
    return [{ id: contested.id, result: decided.result, changed }, text]
  },
})

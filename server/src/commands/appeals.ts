import { decide, showAppeals } from '../appeals/commands.ts'
import { RESULTS } from '../appeals/decide-appeal.ts'
import { asJson, type Command, readLimit, readName, readReason, UsageError } from './command.ts'
import { withStore } from './with-store.ts'

export const appeals: Command = {
  name: 'appeals',
  usage: '[--limit N]',
  does: 'open appeals, oldest first',
  options: ['limit', 'json'],
  async run(given) {
    const count = readLimit(given)
    await withStore(store => showAppeals(store, count, asJson(given)))
  },
}

export const decideAppeal: Command = {
  name: 'decide-appeal',
  usage: 'ID uphold|reverse --reason TEXT',
  does: 'decide an appeal, and carry it out',
  words: 2,
  options: ['reason', 'as', 'json'],
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

import { proveBoards, showUnplaced } from '../payments/operator-commands.ts'
import { asJson, type Command, readLimit, UsageError } from './command.ts'
import { withStore } from './with-store.ts'

export const payments: Command = {
  name: 'payments',
  usage: '--unplaced',
  does: 'payments credited to nobody, and why',
  options: ['unplaced', 'limit', 'json'],
  async run(given) {
    if (!given.unplaced) throw new UsageError('payments needs --unplaced')
    const count = readLimit(given)
    await withStore(store => showUnplaced(store, count, asJson(given)))
  },
}

export const reconcile: Command = {
  name: 'reconcile',
  does: 'prove that boards and payments follow from the recorded events',
  run: () => withStore(proveBoards),
}

import { proveBoards, settleOne, showUnplaced } from '../payments/operator-commands.ts'
import { asJson, type Command, needWord, readLimit, readName, readReason, UsageError } from './command.ts'
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

export const settlePayment: Command = {
  name: 'settle-payment',
  usage: 'PAYMENT_ID --reason TEXT',
  does: 'close a payment credited to nobody, saying what you did at the processor',
  words: 1,
  options: ['reason', 'as', 'json'],
  async run(given, word) {
    const id = needWord('settle-payment', 'the id of a payment that "payments --unplaced" shows', word)
    const reason = readReason('settle-payment', given)
    const name = readName(given)
    await withStore(store => settleOne(store, id, reason, name, asJson(given)))
  },
}

export const reconcile: Command = {
  name: 'reconcile',
  does: 'prove that boards and payments follow from the recorded events',
  run: () => withStore(proveBoards),
}

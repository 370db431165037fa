import { operatorNamed } from '../decisions/record.ts'
import { settle as settleReport, showReports } from '../moderation/report-commands.ts'
import { asJson, type Command, readLimit, readName, readReason, UsageError } from './command.ts'
import { withStore } from './with-store.ts'

export const reports: Command = {
  name: 'reports',
  usage: '[--limit N]',
  does: 'open reports, oldest first',
  options: ['limit', 'json'],
  async run(given) {
    const count = readLimit(given)
    await withStore(store => showReports(store, count, asJson(given)))
  },
}

export const settle: Command = {
  name: 'settle',
  usage: 'REPORT_ID --reason TEXT',
  does: 'close a report, saying what you did about it',
  words: 1,
  options: ['reason', 'as', 'json'],
  async run(given, id = '') {
    if (!/^[1-9]\d{0,14}$/.test(id)) throw new UsageError('settle needs the number of a report')
    const reason = readReason('settle', given)
    const name = readName(given)
    await withStore(store => settleReport(store, Number(id), reason, operatorNamed(name), asJson(given)))
  },
}

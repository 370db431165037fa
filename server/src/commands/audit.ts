import { auditDecisions } from '../decisions/audit-command.ts'
import { type Command, UsageError } from './command.ts'
import { withStore } from './with-store.ts'

export const audit: Command = {
  name: 'audit',
  usage: 'verify [--head HASH]',
  does: 'prove that no decision was changed; --head: a hash that an earlier proof printed',
  words: 1,
  options: ['head'],
  async run({ head }, word) {
    if (word !== 'verify') throw new UsageError('audit needs the word "verify"')
    if (head !== undefined && !/^[0-9a-f]{64}$/.test(head)) {
      throw new UsageError('--head must be a hash that "audit verify" printed')
    }
    await withStore(store => auditDecisions(store, head))
  },
}

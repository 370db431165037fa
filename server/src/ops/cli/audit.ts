import { verifyDecisions } from '../../domain/decisions/chain.ts'
import type { Store } from '../../platform/db/store.ts'
import { type Command, UsageError, withStore } from './command.ts'

export const audit: Command = {
  name: 'audit',
  usage: 'verify [--head HASH]',
  does: 'check that no decision was changed; --head: a hash that an earlier check printed',
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

/**
 * Verifies the chain of decisions and prints the result. The exit code is 1 if a decision was changed.
 *
 * @param known a hash that an earlier run printed
 */
async function auditDecisions(store: Store, known: string | undefined): Promise<void> {
  const { decisions, head, fault } = await verifyDecisions(store, Date.now(), known)
  const count = `${decisions} ${decisions === 1 ? 'decision' : 'decisions'}`
  if (fault === undefined) return void console.log(`${count}, chain whole, head ${head}`)
  console.log(`${count} proved, then: ${fault}`)
  process.exitCode = 1
}

import type { Store } from '../storage/store.ts'
import { verifyDecisions } from './verify.ts'

/**
 * Proves that the decisions are what they were when they were taken, and prints it; exit code 1 if not.
 *
 * @param known a hash that an earlier run printed
 */
export async function auditDecisions(store: Store, known: string | undefined): Promise<void> {
  const { decisions, head, fault } = await verifyDecisions(store, Date.now(), known)
  const count = `${decisions} ${decisions === 1 ? 'decision' : 'decisions'}`
  if (fault === undefined) return void console.log(`${count}, chain whole, head ${head}`)
  console.log(`${count} proved, then: ${fault}`)
  process.exitCode = 1
}

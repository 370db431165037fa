import { Problem } from '../http/problem.ts'

/** What the ledger says. @throws Problem payment_evidence_unavailable rather than a guess, where it cannot be read */
export async function readLedger<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (cause) {
    throw new Problem('payment_evidence_unavailable', { retryAfterSeconds: 5, cause })
  }
}

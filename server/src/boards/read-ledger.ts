import { Problem } from '../http/problem.ts'

/** Reads from the ledger. @throws Problem payment_evidence_unavailable if it cannot be read, instead of guessing */
export async function readLedger<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (cause) {
    throw new Problem('payment_evidence_unavailable', { retryAfterSeconds: 5, cause })
  }
}

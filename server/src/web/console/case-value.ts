import type { SeenCase } from '../../console/act.ts'
import type { Case } from '../../console/queue.ts'
import { isUuid } from '../../uuid.ts'

/** A case as a form carries it: which listing, and what its operator had seen of it. Short, since a form holds many. */
export const caseValue = ({ listing, lastReport, lastFinding, last }: Case): string =>
  [listing.id, lastReport, lastFinding, last?.id ?? ''].join('.')

/** @returns undefined if it is no such value */
export function readCaseValue(value: unknown): SeenCase | undefined {
  if (typeof value !== 'string') return undefined
  const [seen = '', ...numbers] = value.split('.').reverse()
  const areNumbers = numbers.length === 3 && numbers.every(number => /^\d{1,15}$/.test(number))
  if (!areNumbers || (seen !== '' && !isUuid(seen))) return undefined
  const [lastFinding = 0, lastReport = 0, listingId = 0] = numbers.map(Number)
  return { listingId, lastReport, lastFinding, seen: seen || null }
}

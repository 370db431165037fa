import { statement } from '../../platform/db/statement.ts'
import type { Store, Trx } from '../../platform/db/store.ts'
import type { DecisionKind } from '../../platform/db/tables/decisions.ts'
import type { Decision } from './record.ts'

type Counted = Pick<Decision, 'kind' | 'reason' | 'at'>

/** UTC month of a time, as YYYY-MM. */
const monthOf = (at: number): string => new Date(at).toISOString().slice(0, 7)

/** Returns the key under which a decision is counted, also for people. */
export const countKey = ({ at, kind, reason }: Counted): string => `${monthOf(at)} ${kind} ${reason}`

/** Adds decisions to the counts of their months. */
export async function countDecisions(trx: Trx, decisions: readonly Counted[]): Promise<void> {
  const groups = Map.groupBy(decisions, countKey)
  // In a fixed order, so that two transactions never deadlock.
  for (const [, group] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [{ at, kind, reason } = expected()] = group
    await addCount(trx, { month: monthOf(at), kind, reason, decisions: group.length })
  }
}

const expected = (): never => {
  throw new Error('a group is never empty')
}

const addCount = statement({ month: 'text', kind: 'text', reason: 'text', decisions: 'bigint' }, (count, db) =>
  db
    .insertInto('decision_count')
    .values(count as never)
    .onConflict(conflict =>
      conflict.columns(['month', 'kind', 'reason']).doUpdateSet(each => ({
        decisions: each('decision_count.decisions', '+', each.ref('excluded.decisions')),
      })),
    ),
)

/** How long something took, in whole seconds. */
export interface Lasting {
  median: number
  p95: number
}

export interface MonthOfDecisions {
  month: string
  accepted: number
  /** By reason. */
  refused: Record<string, number>
  hidden: Record<string, number>
  /** Listings withdrawn by their owners. */
  withdrawn: number
  /** Listings that an operator ended early. */
  endedEarly: number
  /** Without those that their owners showed again. */
  restored: number
  reports: Record<string, number>
  reportsSettled: number
  appeals: number
  appealsUpheld: number
  appealsReversed: number
  /** From a report to its outcome; null if there was none. */
  secondsToSettle: Lasting | null
  /** From an appeal to its outcome. */
  secondsToDecideAppeal: Lasting | null
}

/** Every month with a decision, newest first. */
export async function readMonths(store: Store): Promise<MonthOfDecisions[]> {
  const rows = await store.db.selectFrom('decision_count').selectAll().orderBy('month', 'desc').execute()
  const [settled, decided] = [await lasting(store, 'settle'), await lasting(store, 'outcome')]
  return [...Map.groupBy(rows, ({ month }) => month)].map(([month, counts]) => {
    const of = (kind: DecisionKind, isWanted = (_reason: string) => true) =>
      counts.filter(each => each.kind === kind && isWanted(each.reason))
    const sum = (some: typeof counts) => some.reduce((total, { decisions }) => total + decisions, 0)
    const byReason = (some: typeof counts) =>
      Object.fromEntries(
        some.map(({ reason, decisions }) => [reason, decisions] as const).sort(([, a], [, b]) => b - a),
      )
    return {
      month,
      accepted: sum(of('accept')),
      refused: byReason(of('refuse')),
      hidden: byReason(of('hide', reason => reason !== 'withdrawn')),
      withdrawn: sum(of('hide', reason => reason === 'withdrawn')),
      endedEarly: sum(of('term', reason => reason === 'ended')),
      restored: sum(of('restore', reason => reason !== 'reopened')),
      reports: byReason(of('report')),
      reportsSettled: sum(of('settle')),
      appeals: sum(of('appeal')),
      appealsUpheld: sum(of('outcome', reason => reason === 'upheld')),
      appealsReversed: sum(of('outcome', reason => reason === 'reversed')),
      secondsToSettle: lastingOf(settled.get(month)),
      secondsToDecideAppeal: lastingOf(decided.get(month)),
    }
  })
}

/** Returns how long answers took, by the month of the answer. It uses an index without publications. */
async function lasting(store: Store, kind: 'settle' | 'outcome'): Promise<Map<string, number[]>> {
  const rows = await store.db
    .selectFrom('decision as answer')
    .innerJoin('decision as asked', join =>
      kind === 'settle'
        ? join.onRef('asked.id', '=', 'answer.about')
        : join.onRef('asked.about', '=', 'answer.about').on('asked.kind', '=', 'appeal'),
    )
    .select(['answer.at', 'asked.at as askedAt'])
    .where('answer.about', 'is not', null)
    .where('answer.kind', '=', kind)
    .where('answer.position', 'is not', null)
    .execute()
  const months = new Map<string, number[]>()
  for (const { at, askedAt } of rows) {
    const month = monthOf(at)
    const seconds = months.get(month) ?? []
    // Appended in place: copying a list of ten thousands for each would block everything else.
    seconds.push(Math.max(0, Math.round((at - askedAt) / 1000)))
    months.set(month, seconds)
  }
  return months
}

function lastingOf(seconds: number[] | undefined): Lasting | null {
  if (!seconds) return null
  const sorted = seconds.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.ceil(sorted.length * part) - 1] ?? 0
  return { median: at(0.5), p95: at(0.95) }
}

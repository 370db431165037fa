import type { Reconciled } from '../payments/reconcile.ts'
import type { Header } from './format.ts'

/** Says what is in a copy, and whether its boards follow from its events. */
export function showMoved(
  what: string,
  { tables, schema }: Pick<Header, 'tables' | 'schema'>,
  { differences, payments, totals }: Reconciled,
  print: (line: string) => void = console.log,
): void {
  const rows = tables.reduce((sum, each) => sum + each.rows, 0)
  const listings = tables.find(({ table }) => table === 'listing')?.rows ?? 0
  print(
    `${what}: ${rows} rows in ${tables.length} tables (schema ${schema}), listings: ${listings}. Every row is in.`,
  )
  for (const { what, detail } of differences) print(`${what}: ${detail}`)
  if (differences.length > 0) process.exitCode = 1
  print(
    differences.length > 0
      ? `Differences: ${differences.length}. The copy is like the original: find the cause there, with reconcile.`
      : `No difference: ${payments} payments and ${totals} board totals follow from the recorded events.`,
  )
}

import { type RawBuilder, sql } from 'kysely'

/**
 * How serious reports are, by reason. The lowest number comes first. Appeals and payments come between reasons that
 * harm visitors and the rest, because a person waits for an answer.
 */
const REPORTED: Readonly<Record<string, number>> = {
  scam: 0,
  malicious: 1,
  failed_review: 3,
  misleading: 3,
  adult: 3,
  copyright: 4,
  unwanted: 4,
  other: 5,
}
export const AWAITED = 2

/** How serious findings are: by the review reason in their evidence, else by kind. A flag without either is a 3. */
const FOUND_FOR: Readonly<Record<string, number>> = { malicious: 1 }
const FOUND: Readonly<Record<string, number>> = { taken_over: 1, moved: 4, rewritten: 4, gone: 5, contested: 2 }
const USUAL = 3

/** SQL for the seriousness of a row of `report`. */
export const reportSeriousness: RawBuilder<number> = sql`case ${cases(REPORTED, reason => sql`report.reason = ${sql.lit(reason)}`)} else ${sql.lit(5)} end`

/** SQL for the seriousness of a row of `finding`. In JSON, every quotation mark in a page's text is escaped. */
export const findingSeriousness: RawBuilder<number> = sql`case
  ${cases(FOUND_FOR, reason => sql`finding.evidence like ${sql.lit(`%"reason":"${reason}"%`)}`)}
  ${cases(FOUND, kind => sql`finding.kind = ${sql.lit(kind)}`)} else ${sql.lit(USUAL)} end`

function cases(table: Readonly<Record<string, number>>, when: (name: string) => RawBuilder<unknown>) {
  const rows = Object.entries(table).map(([name, number]) => sql`when ${when(name)} then ${sql.lit(number)}`)
  return sql.join(rows, sql` `)
}

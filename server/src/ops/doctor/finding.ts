/** The result of one check. */
export interface Finding {
  /** What was checked, in a word or two. */
  about: string
  state: 'ok' | 'warning' | 'failed'
  /** What was found, and what to do. Never a secret. */
  says: string
}

type Said = Omit<Finding, 'about'>

export const ok = (says: string): Said => ({ state: 'ok', says })
export const warning = (says: string): Said => ({ state: 'warning', says })
export const failed = (says: string): Said => ({ state: 'failed', says })

/** One check. An error it throws is its finding. */
export interface Check {
  about: string
  run(): Promise<Said | Said[]>
}

/** Runs one check after the other, so that none slows another. Never throws. */
export async function findingsOf(checks: readonly Check[]): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const { about, run } of checks) {
    const said = await run().catch(error => failed(oneLine(error)))
    findings.push(...[said].flat().map(each => ({ about, ...each })))
  }
  return findings
}

/** Returns the message of an error and of its cause, in one line. */
function oneLine(error: unknown): string {
  const { message, cause } = error as Error
  const why = cause instanceof Error && !message.includes(cause.message) ? `: ${cause.message}` : ''
  return `${message}${why}`.replace(/\s+/g, ' ')
}

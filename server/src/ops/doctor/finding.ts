/** What one look showed. */
export interface Finding {
  /** What was looked at, in a word or two. */
  about: string
  state: 'ok' | 'warning' | 'failed'
  /** What was found, and what to do about it. Never a secret. */
  says: string
}

type Said = Omit<Finding, 'about'>

export const ok = (says: string): Said => ({ state: 'ok', says })
export const warning = (says: string): Said => ({ state: 'warning', says })
export const failed = (says: string): Said => ({ state: 'failed', says })

/** One look. An error it throws is what it found. */
export interface Look {
  about: string
  look(): Promise<Said | Said[]>
}

/** Looks at one thing after the other, so that none slows another. Never throws. */
export async function findingsOf(looks: readonly Look[]): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const { about, look } of looks) {
    const said = await look().catch(error => failed(oneLine(error)))
    findings.push(...[said].flat().map(each => ({ about, ...each })))
  }
  return findings
}

/** The message of an error, with that of its cause, in one line. */
function oneLine(error: unknown): string {
  const { message, cause } = error as Error
  const why = cause instanceof Error && !message.includes(cause.message) ? `: ${cause.message}` : ''
  return `${message}${why}`.replace(/\s+/g, ' ')
}

import { diskAdvice } from '../../platform/db/failures.ts'
import { SECOND_MS, within } from '../../platform/lib/time.ts'

/** The result of one check. */
export interface Finding {
  /** What was checked, in a word or two. */
  about: string
  state: 'ok' | 'warning' | 'failed'
  /** What was found, and what to do. Never a secret. */
  says: string
}

type Result = Omit<Finding, 'about'>

export const ok = (says: string): Result => ({ state: 'ok', says })
export const warning = (says: string): Result => ({ state: 'warning', says })
export const failed = (says: string): Result => ({ state: 'failed', says })

/** One check. An error it throws is its finding. It changes nothing. */
export interface Check {
  about: string
  /** Other checks. If one of them failed, this one is left out, because it would only report the same cause. */
  needs?: readonly string[]
  /** The default is half a minute. */
  maxMs?: number
  run(hasFailed: (about: string) => boolean): Promise<Result | Result[]>
}

/** How errors begin that have their cause in DNS. */
const NO_ANSWER_OF_DNS = /getaddrinfo|EAI_AGAIN|ENOTFOUND|the resolver did not answer/

const CHECK_MAX_MS = 30 * SECOND_MS

/** Runs one check after the other, so that none slows another. Reports each failure once. Never throws. */
export async function findingsOf(checks: readonly Check[]): Promise<Finding[]> {
  const findings: Finding[] = []
  const hasFailed = (about: string) => findings.some(each => each.about === about && each.state === 'failed')
  for (const { about, needs = [], maxMs = CHECK_MAX_MS, run } of checks) {
    if (needs.some(hasFailed)) continue
    const late = () => failed(`this check has no result after ${maxMs / SECOND_MS} s: run it again, and see the log`)
    const results = await within<Result | Result[]>(maxMs, run(hasFailed), late).catch(error => failed(oneLine(error)))
    const isNew = ({ says }: Result) =>
      findings.every(each => each.state !== 'failed' || each.says !== says) &&
      !(hasFailed('DNS') && NO_ANSWER_OF_DNS.test(says))
    findings.push(...[results].flat().flatMap(each => (isNew(each) ? { about, ...each } : [])))
  }
  return findings
}

/** Returns the message of an error and of its cause, in one line. */
function oneLine(error: unknown): string {
  const { message, cause } = error as Error
  const { code, message: why = '' } = (cause ?? {}) as NodeJS.ErrnoException
  const isIncluded = message.includes(why) || (code !== undefined && message.includes(code))
  return `${message}${isIncluded ? '' : `: ${why}`}${diskAdvice(error)}`.replace(/\s+/g, ' ')
}

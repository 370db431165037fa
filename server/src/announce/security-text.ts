import type { Links } from '../http/links.ts'
import { PATHS } from './facts.ts'

/** RFC 9116 wants less than a year. */
const VALID_MONTHS = 6

/** Whom to tell of a vulnerability (RFC 9116). It changes once a month, so its ETag lasts. @param now Unix milliseconds */
export function securityText({ base, support }: Links, now: number): string {
  const day = new Date(now)
  const expires = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1 + VALID_MONTHS))
  return `Contact: ${support}
Expires: ${expires.toISOString()}
Preferred-Languages: en
Canonical: ${base}${PATHS.securityText}
`
}

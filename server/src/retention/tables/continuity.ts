import { forgetSettledFindings } from '../../continuity/findings.ts'
import type { ContinuityTables } from '../../storage/schema/continuity.ts'
import { AS_ITS_LISTING, FOR_GOOD, forDays, type Kept, LOOKED_UP_DAYS } from '../kept.ts'

export const CONTINUITY: Record<keyof ContinuityTables, readonly Kept[]> = {
  seen_page: [
    {
      what: 'What a listed page looked like when we last read it: its title, a fingerprint and some words of its text, its certificate, and the websites it links to',
      ...AS_ITS_LISTING,
      why: 'We read listed pages again, and see by it whether somebody else has taken one over.',
    },
  ],
  finding: [
    {
      what: 'Something for the operator to see about a listed page, until it is settled',
      ...FOR_GOOD,
      why: 'The operator decides what it means.',
    },
    {
      what: 'One that is settled',
      ...forDays(LOOKED_UP_DAYS, ' after it was settled', forgetSettledFindings),
      why: 'It can be looked up, and is not told again.',
    },
  ],
}

import type { TellingTables } from '../../storage/schema/telling.ts'
import { forgetWarnings } from '../../warnings/forget-warnings.ts'
import { FOR_GOOD, forDays, type Kept } from '../kept.ts'

export const TELLING: Record<keyof TellingTables, readonly Kept[]> = {
  told: [
    {
      what: 'How far the operator was told what waits, by webhook or mail',
      ...FOR_GOOD,
      why: 'Nothing is told twice. There is one row for each way.',
    },
    {
      what: 'A message to the operator',
      kept: 'until it is delivered, or for a day',
      why: 'It is sent again if it could not be delivered.',
    },
  ],
  warning: [
    {
      what: 'That something went wrong which a person has to look at',
      ...forDays(7, ' after it last happened', forgetWarnings),
      why: 'The operator is told, and not again for a day.',
    },
  ],
}

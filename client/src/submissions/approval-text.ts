import { DISPLAY_DAYS } from '@placard/contract/plain'
import { plain } from '../service/text.ts'
import type { Wanted } from './submission.ts'

/** What the customer is asked to approve, in lines. */
export const approvalText = ({ destination, category, service }: Wanted): string[] =>
  [
    'This puts a free listing on a public board:',
    '',
    `  Destination  ${destination}`,
    `  Category     ${category}`,
    `  Board        ${service} (anybody can see it, for ${DISPLAY_DAYS} days)`,
    `  Terms        ${service}/rules`,
  ].map(plain)

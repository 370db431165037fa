import { forgetLinks, forgetSessions } from '../../console/entry.ts'
import type { ConsoleTables } from '../../storage/schema/console.ts'
import { forDays, type Kept } from '../kept.ts'

export const CONSOLE: Record<keyof ConsoleTables, readonly Kept[]> = {
  console_link: [
    {
      what: 'The hash of a link that opens the console, and whom it is for',
      ...forDays(1, ' after it ended, unless it was used', forgetLinks),
      why: 'The operator enters with it, once. Using it deletes it.',
    },
  ],
  console_session: [
    {
      what: 'The hash of an operator’s session in the console, and what was done last in it',
      ...forDays(1, ' after it ended', forgetSessions),
      why: 'The operator acts in it, and can undo the last act. Ending it deletes it.',
    },
  ],
  console_operator: [
    {
      what: 'The name of an operator who was given a link to the console',
      kept: 'until `console-end`',
      why: 'Where there are two operators, one does not decide the appeal against a decision of their own.',
    },
  ],
}

import { BOARDS, CATEGORIES } from '@placard/contract/plain'

export const OPTIONS = {
  service: { value: 'URL', help: "the site's address (or PLACARD_SERVICE); https, except on loopback" },
  journal: { value: 'FILE', help: 'file with all submissions (or PLACARD_JOURNAL); see below' },
  category: { value: 'C', choices: CATEGORIES, help: 'an English category ID, such as "Developer Tools"' },
  board: { value: 'B', choices: BOARDS, help: 'all or today' },
  target: { value: 'USD', help: 'your total on the board after paying, in whole US dollars' },
  wait: { value: 'SECONDS', help: 'stop retrying after this time (120)' },
  statement: { value: 'TEXT', help: 'why the decision is wrong; - reads it from standard input' },
  every: { value: 'SECONDS', help: 'how often to ask (60)' },
  cursor: { value: 'CURSOR', help: 'show only what follows the event with this cursor' },
  key: { value: 'VKEY', help: 'a key of the log that you trust; separate several with commas' },
  witness: { value: 'VKEY', help: 'a witness that must have cosigned the log; separate several with commas' },
  once: { help: 'show what happened so far, and end' },
  'user-approved': { help: 'the customer said yes: do not ask again; saved in the journal' },
  'ask-as': { value: 'NAME', help: 'ask the customer in a browser, under this name of yours' },
  'approved-by': { value: 'NAME', help: 'who said yes; saved in the journal' },
  'dry-run': { help: 'only check: publish nothing' },
  'show-secret-link': { help: 'print the private link even if the output is not a terminal' },
  'trust-model': { help: 'accept the model’s word as the customer’s yes (or PLACARD_TRUST_MODEL=1)' },
  json: { help: 'output for programs; an error is one JSON line on stderr' },
  help: { help: 'this help' },
  version: { help: 'print the version' },
} as const satisfies Record<string, { value?: string; choices?: readonly string[]; help: string }>

export type OptionName = keyof typeof OPTIONS

/** Options that every command has. */
export const EVERYWHERE: readonly OptionName[] = ['json', 'help', 'version']

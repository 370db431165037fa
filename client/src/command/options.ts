import { BOARDS, CATEGORIES } from '@placard/contract/plain'

/** Every option: its value's name in the help, if it takes one, the values to complete, and what it means. */
export const OPTIONS = {
  service: { value: 'URL', help: 'the service (or PLACARD_SERVICE); https, except on loopback' },
  journal: { value: 'FILE', help: 'where submissions are kept (or PLACARD_JOURNAL); see below' },
  category: { value: 'C', choices: CATEGORIES, help: 'an English category ID, such as "Developer Tools"' },
  board: { value: 'B', choices: BOARDS, help: 'all or today' },
  target: { value: 'USD', help: 'the wanted total on the board, in whole US dollars' },
  wait: { value: 'SECONDS', help: 'keep trying this long (120)' },
  statement: { value: 'TEXT', help: 'why the decision is wrong; - reads it from standard input' },
  'user-approved': { help: 'the customer said yes: do not ask again; kept in the journal' },
  'approved-by': { value: 'NAME', help: 'who said yes; kept in the journal' },
  'dry-run': { help: 'only check: publish nothing' },
  'show-secret-link': { help: 'print the private link although this is no terminal' },
  'trust-model': { help: 'the model’s word is the customer’s yes (or PLACARD_TRUST_MODEL=1)' },
  json: { help: 'output for programs; an error is one JSON line on stderr' },
  help: { help: 'this help' },
  version: { help: 'the version of this program' },
} as const satisfies Record<string, { value?: string; choices?: readonly string[]; help: string }>

export type OptionName = keyof typeof OPTIONS

/** Options that every command has. */
export const EVERYWHERE: readonly OptionName[] = ['json', 'help', 'version']

import { capabilities } from './commands/capabilities.ts'
import { check } from './commands/check.ts'
import { completion } from './commands/completion.ts'
import { exportJournal, importJournal } from './commands/journal.ts'
import { link } from './commands/link.ts'
import { list } from './commands/list.ts'
import { publish } from './commands/publish.ts'
import { quote } from './commands/quote.ts'
import { resume } from './commands/resume.ts'
import { status } from './commands/status.ts'
import type { Command } from './context.ts'

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  capabilities,
  check,
  quote,
  publish,
  status,
  link,
  list,
  resume,
  exportJournal,
  importJournal,
  completion,
]

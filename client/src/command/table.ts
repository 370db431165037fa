import { appeal } from './commands/appeal.ts'
import { approve } from './commands/approve.ts'
import { capabilities } from './commands/capabilities.ts'
import { check } from './commands/check.ts'
import { completion } from './commands/completion.ts'
import { decision } from './commands/decision.ts'
import { exportJournal, importJournal } from './commands/journal.ts'
import { link } from './commands/link.ts'
import { list } from './commands/list.ts'
import { mcp } from './commands/mcp.ts'
import { proof } from './commands/proof.ts'
import { publish } from './commands/publish.ts'
import { quote } from './commands/quote.ts'
import { resume } from './commands/resume.ts'
import { status } from './commands/status.ts'
import { verify } from './commands/verify.ts'
import { watch } from './commands/watch.ts'
import type { Command } from './context.ts'

export const COMMANDS: readonly Command[] = [
  capabilities,
  check,
  quote,
  publish,
  status,
  watch,
  link,
  list,
  resume,
  decision,
  appeal,
  proof,
  verify,
  mcp,
  approve,
  exportJournal,
  importJournal,
  completion,
]

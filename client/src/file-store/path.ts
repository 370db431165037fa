import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { usageError } from '../error.ts'

/**
 * Returns the journal's default path: `$PLACARD_JOURNAL`, or a file in `$XDG_STATE_HOME` or `~/.local/state`. Throws
 * `journal_unusable` if there is no home folder either.
 */
export function defaultJournalPath(env: Readonly<Record<string, string | undefined>> = process.env): string {
  if (env?.PLACARD_JOURNAL) return env.PLACARD_JOURNAL
  const given = env?.XDG_STATE_HOME ?? ''
  // A relative path counts as none, as its specification says: each working folder would have a journal.
  const state = isAbsolute(given) ? given : join(homeFolder(), '.local', 'state')
  return join(state, 'placard', 'journal.jsonl')
}

function homeFolder(): string {
  try {
    const home = homedir()
    if (isAbsolute(home)) return home
  } catch {
    // Unknown users have none.
  }
  throw usageError(
    'journal_unusable',
    'There is no home folder for the journal.',
    'Name a file with PLACARD_JOURNAL or --journal, or pass a path to fileStore.',
    'store',
  )
}

import { ERRORS, type ErrorCode, REVIEW_REASONS } from '@placard/contract'
import { RETENTION } from '../server/dist/retention/retention.js'
import { describeSettings } from '../server/dist/settings/settings.js'

/** The docs made from tables in the code, by file name. `npm run docs` writes them, and a test compares. */
export const PAGES: Record<string, string> = {
  'errors.md': errorsPage(),
  'retention.md': retentionPage(),
  'settings.md': settingsPage(),
}

function errorsPage(): string {
  const codes = Object.keys(ERRORS) as ErrorCode[]
  return `# Errors

Made from \`contract/src/errors.ts\` by \`npm run docs\`.

Every error reply, also to an unknown address or method, is JSON with \`code\`, \`error\` (what to do next) and
\`chargeCreated: false\`; with \`field\` on most 400 replies and \`reason\` on 422. 429 and 503 carry \`Retry-After\` in
seconds. A person who opens an address outside \`/api/\` in a browser gets the same as a page.

${table(
  ['status', 'code', 'what it says'],
  codes.map(code => [String(ERRORS[code].status), `\`${code}\``, ERRORS[code].error]),
)}

## Reasons of \`review_rejected\`

${table(
  ['reason', 'what it says'],
  Object.entries(REVIEW_REASONS).map(([reason, meaning]) => [`\`${reason}\``, meaning]),
)}
`
}

function settingsPage(): string {
  return `# Settings

Made from \`server/src/settings/\` by \`npm run docs\`.

All settings are environment variables. An empty one counts as not set. A bad one stops the start with one line that
names it. A variable that is nearly named like a setting, such as \`BASEURL\`, is warned of in one line at start.

${table(
  ['variable', 'default', 'meaning'],
  describeSettings().map(({ name, fallback, meaning }) => [`\`${name}\``, fallback, meaning]),
)}
`
}

function retentionPage(): string {
  return `# What is kept, and for how long

Made from \`server/src/retention/retention.ts\` by \`npm run docs\`. The service deletes by the same table.

Once an hour, one process looks for rows that are kept no longer. It deletes them a few hundred at a time, in short
transactions, and rests in between, so nobody waits for it. A stop or a crash loses nothing: another process, or the next
start, goes on. What was deleted stands in the log.

${table(
  ['table', 'what', 'kept', 'why'],
  Object.entries(RETENTION).flatMap(([name, rules]) =>
    rules.map(({ what, kept, why }) => [`\`${name}\``, what, kept, why]),
  ),
)}

SQLite keeps the room of deleted rows for new ones: the file does not shrink by itself. Backups hold what was there when
they were made.
`
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

import { ERROR_HELP, ERRORS, type ErrorCode, REVIEW_REASONS, UNAVAILABLE_REASONS } from '@placard/contract'
import { describeSettings } from '../server/dist/platform/config/settings.js'
import { RETENTION_RULES } from '../server/dist/platform/db/tables/index.js'
import { mirrorPage } from './mirror-page.ts'

/** The docs made from tables in the code, by file name. `npm run docs` writes them, and a test compares. */
export const PAGES: Record<string, string> = {
  'errors.md': errorsPage(),
  'mirror.md': mirrorPage(),
  'retention.md': retentionPage(),
  'settings.md': settingsPage(),
}

function errorsPage(): string {
  const codes = Object.keys(ERRORS) as ErrorCode[]
  return `# Errors

After reading this page, you can handle every error of the API. \`npm run docs\` writes it.

Every error reply is JSON, also for an unknown address or method:

- \`code\` identifies the error.
- \`error\` says what is wrong and what to do next.
- \`chargeCreated\` is always \`false\`.
- \`documentationUrl\` explains the code on the service itself: \`/errors/CODE\`, and as Markdown \`/errors/CODE.md\`.
- \`field\` names the field or header at fault.
- \`reason\` says why, on 422 and 503. On a site that sells no places, a quote gets 503 with the
  reason \`payments_off\`: do not repeat it.
- \`retryAfterSeconds\` is the time to wait before the same request, on 429 and 503, and also the header \`Retry-After\`.
- \`decisionId\` and \`decisionUrl\` name the recorded decision behind a refusal.
- \`productUrl\` is the public listing that already has the destination, on 409.

A person who opens an address outside \`/api/\` in a browser gets the error as a page.

${table(
  ['status', 'code', 'what it means', 'what to do'],
  codes.map(code => {
    const { means, steps } = ERROR_HELP[code]
    return [String(ERRORS[code].status), `\`${code}\``, means, steps.join(' ')]
  }),
)}

## Reasons of \`review_rejected\`

${table(
  ['reason', 'what it says'],
  Object.entries(REVIEW_REASONS).map(([reason, meaning]) => [`\`${reason}\``, meaning]),
)}

## Reasons of 503

${table(
  ['reason', 'what it says'],
  Object.entries(UNAVAILABLE_REASONS).map(([reason, meaning]) => [`\`${reason}\``, meaning]),
)}
`
}

function settingsPage(): string {
  return `# Settings

After reading this page, you know every setting of Placard. \`npm run docs\` writes it.

All settings are environment variables. An empty one counts as not set. If a setting is invalid, Placard exits and
names it in a one-line error. If a variable looks like a misspelt setting, such as \`BASEURL\`, Placard warns at the
start.

\`npx placard settings\` lists the values in force in these groups, and where each one comes from. Of a secret, it
says only whether it is set. With \`--json\`, it prints one line per setting.

${describeSettings()
  .map(
    ({ title, about, settings }) => `## ${title}

${about}

${table(
  ['variable', 'default', 'meaning'],
  settings.map(({ name, fallback, meaning }) => [`\`${name}\``, fallback, meaning]),
)}`,
  )
  .join('\n\n')}
`
}

function retentionPage(): string {
  return `# What is kept, and for how long

After reading this page, you know what Placard stores, and for how long. \`npm run docs\` writes it from the table by
which Placard deletes.

Once an hour, a background job deletes rows whose retention period has ended: a few hundred at a time, in short
transactions, with pauses. After a stop or a crash, another process or the next start continues. The log says what was
deleted.

${table(
  ['table', 'what', 'kept', 'why'],
  RETENTION_RULES.map(({ table, what, kept, why }) => [`\`${table}\``, what, kept, why]),
)}

SQLite reuses the space of deleted rows, so the file doesn't shrink on its own. Backups contain what was there when they
were made.
`
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

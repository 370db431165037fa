/**
 * A process that reads strangers' pages, one after another. Each page arrives as a message, and the result returns as
 * one. The service kills the process if a page takes too long.
 */
import { hash } from 'node:crypto'
import { endFirst } from '../apart.ts'
import { type CannotTell, cannotTell, type Reject } from '../destinations/verdict.ts'
import type { Read } from '../reading/page.ts'
import { readPage } from '../reading/read-page.ts'
import { judge } from './judge.ts'
import type { UnreadPage } from './page-readers.ts'

endFirst()
// Ignore a stop signal sent to the whole group: the service acts on it, and still needs its readers.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
process.once('disconnect', () => process.exit())
process.on('message', (page: UnreadPage) => process.send?.(answerTo(page)))
process.send?.('ready')

function answerTo({ body, url, headers }: UnreadPage): Read | Reject | CannotTell {
  try {
    const read = readPage(body, new URL(url), headers)
    if (read.verdict === 'reject') return read
    return {
      verdict: 'pass',
      page: { ...read.page, judged: judge(read.page) },
      bodyHash: hash('sha256', body),
    }
  } catch (error) {
    // Send where it failed, but not its message, which may contain the page's text.
    const { name, stack = '' } = error as Error
    return cannotTell(`the page cannot be read: ${name}${/\n( +at .*)/.exec(stack)?.[1] ?? ''}`)
  }
}

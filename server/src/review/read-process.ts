/**
 * A process in which pages of strangers are read, one after the other: each comes as a message, and what it says goes
 * back as one. The service kills it when a page takes too long.
 */
import { endFirst } from '../apart.ts'
import { type CannotTell, cannotTell, type Reject } from '../destinations/verdict.ts'
import type { Fetched } from '../reading/page.ts'
import { readPage } from '../reading/read-page.ts'
import type { UnreadPage } from './page-readers.ts'
import { judgePage } from './page-rules.ts'

endFirst()
// A stop that reaches all processes of a group is for the service to heed: it still needs its readers.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
process.once('disconnect', () => process.exit())
process.on('message', (page: UnreadPage) => process.send?.(answerTo(page)))
process.send?.('ready')

function answerTo({ body, url, headers }: UnreadPage): Fetched | Reject | CannotTell {
  try {
    const read = readPage(body, new URL(url), headers)
    if (read.verdict === 'reject') return read
    return { verdict: 'pass', page: { ...read.page, ruling: judgePage(read.page) } }
  } catch (error) {
    // Where it failed, and not its message, in which the page may speak.
    const { name, stack = '' } = error as Error
    return cannotTell(`the page cannot be read: ${name}${/\n( +at .*)/.exec(stack)?.[1] ?? ''}`)
  }
}

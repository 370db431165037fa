/**
 * A process that parses strangers' pages, one after another. Each page arrives as a message, and the result returns as
 * one. The service kills the process if a page takes too long.
 */
import { hash } from 'node:crypto'
import type { Read } from '../../domain/review/page.ts'
import type { UnreadPage } from '../../domain/review/page-parser/page-readers.ts'
import { readPage } from '../../domain/review/page-parser/read-page.ts'
import { judge } from '../../domain/review/reviewers/page-rules.ts'
import { type CannotTell, cannotTell, type Reject } from '../../domain/review/verdict.ts'
import { endFirst, leaveSignalsToTheService } from '../../platform/lib/child-process.ts'

endFirst()
leaveSignalsToTheService()
process.once('disconnect', () => process.exit())
process.on('message', (page: UnreadPage) => process.send?.(answerTo(page)))
process.send?.('ready')

function answerTo({ body, url, headers }: UnreadPage): Read | Reject | CannotTell {
  try {
    const read = readPage(body, new URL(url), headers)
    if (read.verdict !== 'pass') return read
    return {
      verdict: 'pass',
      page: { ...read.page, judged: judge(read.page) },
      bodyHash: hash('sha256', body),
    }
  } catch (error) {
    // Sends where it failed, but not its message, which may contain the page's text.
    const { name, stack = '' } = error as Error
    return cannotTell(`the page cannot be parsed: ${name}${/\n( +at .*)/.exec(stack)?.[1] ?? ''}`)
  }
}

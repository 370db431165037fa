/** The worst possible reader. The page's address says what it does. */
import type { UnreadPage } from '../../../../src/domain/review/page-parser/page-readers.ts'

const MISDEEDS: Record<string, () => unknown> = {
  '/backtrack': () => /^\s*(?:|x(?:\s*;.*)?)\s*$/.test(`x;${' '.repeat(1_000_000)}\nx`),
  '/loop': () => {
    for (;;) Math.random()
  },
  // At once, and in one piece: a thread that does this ends the process, whatever its limit.
  '/allocate': () => {
    for (const all = []; ; ) all.push(new Array(30_000_000).fill(1.5))
  },
  '/throw': () => {
    throw new Error('what the page says')
  },
  '/exit': () => process.exit(3),
  '/pid': () => process.pid,
}
/** The page that gets no answer, and takes no processor time. */
const SILENT = '/silent'

process.once('disconnect', () => process.exit())
process.on('message', ({ url }: UnreadPage) => {
  const { pathname } = new URL(url)
  if (pathname !== SILENT) process.send?.(MISDEEDS[pathname]?.())
})
process.send?.('ready')

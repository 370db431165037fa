import { openSync, readSync } from 'node:fs'
import { createHistogram } from 'node:perf_hooks'

/**
 * Measures how long the event loop of this process takes from one turn to the next, apart from waiting until a processor is
 * free: what the process itself does, and its waiting for the disk. Linux only.
 *
 * @returns a function that gives the 99th percentile since the last call, in milliseconds
 */
export function watchOwnDelay(): () => number {
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  const text = Buffer.alloc(100)
  /** Milliseconds for which the first thread was ready to run, and did not. */
  const waitedMs = () =>
    Number(text.toString('latin1', 0, readSync(file, text, 0, 100, 0)).split(' ')[1]) / 1e6
  const delays = createHistogram()
  let before = { at: performance.now(), waitedMs: waitedMs() }
  setInterval(() => {
    const now = { at: performance.now(), waitedMs: waitedMs() }
    const ownMs = now.at - before.at - (now.waitedMs - before.waitedMs)
    delays.record(Math.max(1, Math.round(ownMs * 1000)))
    before = now
  }, 1).unref()
  return () => {
    const p99Ms = delays.percentile(99) / 1000
    delays.reset()
    return p99Ms
  }
}

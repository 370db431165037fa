import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { median, quantile } from '../load.ts'
import { History } from './history.ts'
import { startInstances } from './instances.ts'
import type { Outcome } from './outcome.ts'
import { proofOf } from './proof.ts'

const FSYNC_MS = 300
const SECONDS = 10
const LANES = 8

/**
 * Makes each fsync of the service take long, on SQLite, where a commit holds up the process: it becomes slow, and stays
 * right. Needs strace. Full and read-only disks: server/test/platform/db/disk.test.ts.
 */
export async function slowDisk(folder: string): Promise<Outcome> {
  const instances = await startInstances(folder, 1, {})
  const history = new History('slow')
  const [url = ''] = instances.urls
  try {
    const before = await publishFor(url, history)
    const inject = `inject=fsync,fdatasync:delay_exit=${FSYNC_MS}ms`
    const pid = `${instances.all[0]?.pid}`
    const args = ['-f', '-qq', '-o', '/dev/null', '-p', pid, '-e', 'trace=fsync,fdatasync', '-e', inject]
    const tracer = spawn('strace', args, { stdio: ['ignore', 'ignore', 'inherit'] })
    await once(tracer, 'spawn')
    await sleep(500)
    const during = await publishFor(url, history)
    tracer.kill('SIGKILL')
    await once(tracer, 'exit')
    const isSlow = median(during) >= FSYNC_MS
    await history.settle(instances.urls)
    await Promise.all(instances.all.map(each => each.stop()))
    const faults = await instances.withStore(store => proofOf(store, { history }))
    const inWords = (times: number[]) =>
      `${times.length} publishes, median ${median(times).toFixed(0)} ms, p99 ${quantile(times, 0.99).toFixed(0)}`
    return {
      figures: `${inWords(before)}; with ${FSYNC_MS} ms an fsync ${inWords(during)}; ${history.counts()}`,
      faults: [
        ...faults,
        ...(isSlow ? [] : ['the disk was not slow']),
        ...(history.unanswered > 0 ? ['a publish was not answered'] : []),
      ],
    }
  } finally {
    await instances.stop()
  }
}

/** @returns how long each took, in milliseconds */
async function publishFor(url: string, history: History): Promise<number[]> {
  const times: number[] = []
  const end = performance.now() + SECONDS * 1000
  const lane = async () => {
    while (performance.now() < end) {
      const startedAt = performance.now()
      await history.send(url, history.submission())
      times.push(performance.now() - startedAt)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return times
}

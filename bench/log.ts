import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { leafHash } from '@placard/contract/log'
import { LogService } from '../client/test/log-service.ts'
import { heading, report } from './measure.ts'

const PAYMENTS = 10_000
const PAYMENTS_PER_LISTING = 10
const DAYS = 30

/**
 * Verifies logs with `placard-agent verify board`, as a program of its own: one of 10,000 payments, and one of `entries`
 * entries. Then again, when only the last entries are new.
 */
export async function logFigures(folder: string, entries: number): Promise<void> {
  await figuresOf(join(folder, 'payments'), 2 * PAYMENTS, { seconds: 3 })
  await figuresOf(join(folder, 'entries'), entries, { seconds: 60, megabytes: 200 })
}

async function figuresOf(folder: string, entries: number, wanted: { seconds: number; megabytes?: number }) {
  heading(`verify board, ${entries.toLocaleString('en')} entries`)
  const service = await LogService.start()
  service.begin()
  fillWithPayments(service, entries)
  await service.publish()
  const journal = join(folder, 'journal.jsonl')
  const all = await verify(service, journal)
  report('seconds', [all.seconds], { atMost: wanted.seconds })
  report('megabytes', [all.megabytes], wanted.megabytes === undefined ? undefined : { atMost: wanted.megabytes })
  fillWithPayments(service, service.entries.length + 1000)
  await service.publish()
  const again = await verify(service, journal)
  report('seconds, with 1,000 new entries', [again.seconds], undefined)
  report('megabytes, with 1,000 new entries', [again.megabytes], undefined)
  report(
    'megabytes kept',
    [statSync(join(folder, `logs/127.0.0.1_${new URL(service.url).port}.json`)).size / 1e6],
    undefined,
  )
  await service.stop()
}

/** Adds payments of two entries each, and an accepted listing for every tenth, up to a size. */
function fillWithPayments(service: LogService, size: number): void {
  for (let payment = service.entries.length; service.entries.length < size; payment++) {
    const listing = 1 + ((Math.imul(payment, 2_654_435_761) >>> 0) % Math.ceil(size / 2 / PAYMENTS_PER_LISTING))
    const day = new Date(Date.UTC(2026, 9, 23 + (payment % DAYS))).toISOString().slice(0, 10)
    if (payment % PAYMENTS_PER_LISTING === 0) {
      service.add({ kind: 'listed', listing, private: leafHash(String(payment)).toString('base64') })
    }
    service.count(listing, 500 + (payment % 97) * 100, day)
  }
}

/** Runs the command. @returns what it took, and the most memory that it used */
async function verify(service: LogService, journal: string) {
  const program = new URL('../client/bin/placard-agent.js', import.meta.url).pathname
  const words = ['verify', 'board', '--service', service.url, '--journal', journal, '--wait', '0']
  const startedAt = performance.now()
  const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = once(child, 'exit')
  let megabytes = 0
  while (child.exitCode === null) {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
    megabytes = Math.max(megabytes, Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024)
    await Promise.race([ended, sleep(50)])
  }
  const [code] = await ended
  if (code !== 0) throw new Error(`verify board ended with ${code}`)
  return { seconds: (performance.now() - startedAt) / 1000, megabytes }
}

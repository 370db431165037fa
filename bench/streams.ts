import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { LISTING_STREAM_PATH } from '@placard/contract'
import type { Filled } from './fill.ts'
import { heading, inTurns, report } from './measure.ts'
import { type Program, startPlacard } from './programs.ts'
import { quote } from './requests.ts'

const STREAMS = 5
const QUOTES_PER_SECOND = 250
const SLICE_MS = 1000
const MEMORY_EVERY_MS = 50

/** How fast all listings are streamed, how much memory that takes, and how much it delays quotes. */
export async function streamFigures({ dataDir, count }: Filled): Promise<void> {
  heading(`A stream of ${count.toLocaleString('en')} listings as gzip, to a client that reads as fast as it can`)
  const service = await startPlacard({ DATA_DIR: dataDir })
  try {
    // The first request of each kind loads what it needs.
    await quotesFor(service, SLICE_MS)
    const megabytes = service.megabytes()
    await read(service)
    const [rates, cpu, more]: [number[], number[], number[]] = [[], [], []]
    for (let nth = 0; nth < STREAMS; nth++) {
      const before = { at: performance.now(), cpu: service.cpuMicros() }
      const peak = await peakDuring(service, read(service))
      rates.push((count / (performance.now() - before.at)) * 1000)
      cpu.push((service.cpuMicros() - before.cpu) / count)
      more.push(peak - megabytes)
    }
    report('rows per second', rates, { atLeast: 30_000 })
    report('µs CPU per row', cpu, undefined)
    report('MB more than before the first', more, { atMost: 50 })

    const [alone, beside] = await inTurns(
      () => quotesFor(service, SLICE_MS),
      async () => {
        const stream = again(service)
        const p99 = await quotesFor(service, SLICE_MS)
        stream.stop()
        return p99
      },
    )
    const later = beside.map((each, round) => each - (alone[round] ?? Number.NaN))
    report(`ms later: the slowest hundredth of ${QUOTES_PER_SECOND} quotes a second beside a stream`, later, {
      atMost: 2,
    })
    report('ms, the slowest hundredth alone', alone, undefined)
  } finally {
    await service.stop()
  }
}

/** Reads a stream, and drops what it reads. */
function read({ url }: Program) {
  const sent = request(url + LISTING_STREAM_PATH, { agent: false, headers: { 'accept-encoding': 'gzip' } }).end()
  return once(sent, 'response').then(async ([response]) => {
    if (response.statusCode !== 200) throw new Error(`the stream answered ${response.statusCode}`)
    await once(response.resume(), 'end')
  })
}

/** Reads one stream after another, in a process of its own, which does not delay the quotes of this one. */
function again({ url }: Program) {
  const streams = Array<string>(100).fill(url + LISTING_STREAM_PATH)
  const options = ['--silent', '--header', 'accept-encoding: gzip', '--write-out', '']
  const child = spawn('curl', [...options, ...streams.flatMap(each => ['--output', '/dev/null', each])])
  return { stop: () => void child.kill('SIGKILL') }
}

async function peakDuring(service: Program, ended: Promise<void>): Promise<number> {
  let [peak, isOver] = [0, false]
  const end = ended.finally(() => {
    isOver = true
  })
  while (!isOver) {
    peak = Math.max(peak, service.megabytes())
    await Promise.race([sleep(MEMORY_EVERY_MS), end])
  }
  await end
  return peak
}

/** Sends quotes at a steady rate, whether earlier ones are answered or not. @returns the 99th percentile in ms */
async function quotesFor({ url }: Program, forMs: number): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  const { path, body, ...options } = quote()
  const times: Promise<number>[] = []
  const startedAt = performance.now()
  for (let at = 0; at < forMs; at += 1000 / QUOTES_PER_SECOND) {
    const waitMs = startedAt + at - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    times.push(timed())
  }
  async function timed() {
    const sentAt = performance.now()
    const sent = request(url + path, { ...options, agent }).end(body)
    const [response] = await once(sent, 'response')
    await once(response.resume(), 'end')
    return performance.now() - sentAt
  }
  const all = (await Promise.all(times)).sort((one, other) => one - other)
  agent.destroy()
  return all[Math.floor(all.length * 0.99)] ?? Number.NaN
}

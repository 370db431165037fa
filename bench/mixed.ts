import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { BOARDS_PATH, CAPABILITIES_PATH } from '@placard/contract'
import { openStore } from '../server/dist/platform/db/open.js'
import { startSites } from '../server/test/support/sites.ts'
import { type Filled, hostAt, randomNumbers, slugAt, wordAt } from './fill.ts'
import { heading, report } from './measure.ts'
import { delivery, openCheckouts, STRIPE_ENV } from './payments.ts'
import { type Program, startPlacard } from './programs.ts'
import { publish, quote, type Sent, visit } from './requests.ts'

// Visitors, agents and payments together, at a constant rate that leaves the service time to idle.

const PER_SECOND = 50
/** Parts that only answer are measured at this rate, which leaves time to idle, too. */
const ALONE_PER_SECOND = 25
const [WARM_UP_SECONDS, ALONE_SECONDS, IDLE_SECONDS] = [20, 6, 12]
/** Pages are rendered and share pictures drawn after the last request, until the service uses less of a processor. */
const SETTLED_SHARE = 0.05
const SETTLE_SECONDS_MAX = 60
/** Longer than the pauses between the times when places are drawn. */
const SETTLE_STEP_SECONDS = 6
const [PAID_HOSTS, SHOWN, SHARED] = [200, 600, 40]
/** Memory at the end is compared with that after a fifth of the time, when caches are full. */
const WARM_SHARE = 0.2
/** `monitorEventLoopDelay` of the metrics measures from tick to tick. */
const TICK_MS = 10

interface Part {
  /** How many of a hundred requests. */
  share: number
  send: () => Sent
  status?: number
}

/** What the mix costs, next to its parts alone; how late its event loop is, and whether its memory grows. */
export async function mixedFigures({ dataDir, count }: Filled, seconds: number): Promise<void> {
  const random = randomNumbers()
  const nextOf = (length: number) => Math.floor(length * random())
  const sites = await startSites()
  const store = await openStore({ databaseUrl: undefined, dataDir })
  const payments = Math.ceil(PER_SECOND * 0.05 * (seconds + WARM_UP_SECONDS + 2 * ALONE_SECONDS))
  const order = () => ({ host: hostAt(nextOf(PAID_HOSTS)), dollars: 5 + nextOf(45) })
  const events = await openCheckouts(store, Array.from({ length: payments }, order))
  await store.close()
  const metricsPort = await freePort()
  const service = await startPlacard({
    ...STRIPE_ENV,
    DATA_DIR: dataDir,
    TRUSTED_PROXIES: '127.0.0.1',
    FETCH_CONNECT_TO: sites.connectTo,
    METRICS_PORT: String(metricsPort),
  })
  const replay = publish('http://replayed.com')
  const listing = (among = SHOWN) => slugAt(count - 1 - nextOf(among))
  const pictureOf = (slug: string) => visit(`/picture/${slug}/share.png`)
  let hosts = 0
  const parts: Record<string, Part> = {
    home: { share: 22, send: () => visit('/') },
    'page of a listing': { share: 28, send: () => visit(`/product/${listing()}`) },
    'page of a board': { share: 8, send: () => visit('/board/all') },
    search: { share: 8, send: () => visit(`/search?q=${wordAt(nextOf(500))}`) },
    'share picture': { share: 4, send: () => pictureOf(listing(SHARED)) },
    capabilities: { share: 6, send: () => visit(CAPABILITIES_PATH) },
    quote: { share: 10, send: () => quote() },
    'board as JSON': { share: 3, send: () => visit(`${BOARDS_PATH}/all`) },
    replay: { share: 4, send: () => replay },
    publish: { share: 2, status: 201, send: () => publish(`http://mixed-${++hosts}.com`) },
    payment: { share: 5, send: () => delivery(events.pop() ?? fail('no checkout is left to pay')) },
  }
  try {
    // After the start, a job writes the history into the log.
    await settle(service)
    await send(service, replay, 201)
    for (let nth = 0; nth < SHARED; nth++) await send(service, pictureOf(slugAt(count - 1 - nth)))
    const mix = shuffled(Object.values(parts).flatMap(part => Array<Part>(part.share).fill(part)))
    await pace(service, mix, PER_SECOND, WARM_UP_SECONDS)
    await settle(service)
    const idle = cpuMicrosOf(service.pid)
    await sleep(IDLE_SECONDS * 1000)
    const idleMicros = (cpuMicrosOf(service.pid) - idle) / IDLE_SECONDS
    /** CPU time of a request, without that of the idle service. */
    const cost = async (cycle: readonly Part[], perSecond: number, forSeconds: number) => {
      const [before, startedAt] = [cpuMicrosOf(service.pid), performance.now()]
      const answered = await pace(service, cycle, perSecond, forSeconds)
      await settle(service)
      const elapsedSeconds = (performance.now() - startedAt) / 1000
      return (cpuMicrosOf(service.pid) - before - idleMicros * elapsedSeconds) / answered
    }

    heading(
      `Mixed traffic at ${PER_SECOND}/s for ${seconds} s: 70 visitors, 25 agents, 5 payments, with ${count} listings`,
    )
    let sum = 0
    for (const [name, part] of Object.entries(parts)) {
      // Publishes and payments cause other work, which depends on their rate.
      const hasRate = ['publish', 'payment'].includes(name)
      const perSecond = hasRate ? (PER_SECOND * part.share) / 100 : ALONE_PER_SECOND
      const micros = await cost([part], perSecond, ALONE_SECONDS)
      sum += (micros * part.share) / 100
      console.log(`    ${part.share} of 100 ${name}: ${micros.toFixed(0)} µs alone`)
    }
    const loopDelayMs = async () => {
      const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
      return Number(/^nodejs_eventloop_lag_p99_seconds ([\d.e-]+)/m.exec(metrics)?.[1]) * 1000 - TICK_MS
    }
    const megabytes: number[] = []
    const sampling = setInterval(() => megabytes.push(service.megabytes()), 1000)
    // Reading the metrics begins a new measurement.
    await loopDelayMs()
    const mixed = await cost(mix, PER_SECOND, seconds).finally(() => clearInterval(sampling))
    const lateMs = await loopDelayMs()
    const warm = Math.floor(megabytes.length * WARM_SHARE)
    const [first = [], last = []] = [megabytes.slice(warm, warm + 10), megabytes.slice(-10)]
    report('CPU of a request of the mix, of the sum of its parts', [mixed / sum], { atMost: 1.1 })
    report('ms that the event loop is late at p99', [lateMs], { atMost: 5 })
    report('memory at the end, of that after a fifth of the time', [mean(last) / mean(first)], { atMost: 1.05 })
    report('requests answered otherwise', [failures.length], { atMost: 0 })
    for (const failure of failures.slice(0, 3)) console.log(`    ${failure}`)
    const used = `${mixed.toFixed(0)} µs against ${sum.toFixed(0)} µs; idle ${(idleMicros / 1000).toFixed(1)} ms a second`
    console.log(`    ${used}; ${mean(first).toFixed(0)} MB, then ${mean(last).toFixed(0)} MB`)
  } finally {
    await service.stop()
    await sites.close()
  }
}

/** Requests that were answered otherwise than wanted. */
const failures: string[] = []

async function settle(service: Program): Promise<void> {
  let share = 1
  for (let waited = 0; share > SETTLED_SHARE && waited < SETTLE_SECONDS_MAX; waited += SETTLE_STEP_SECONDS) {
    const before = cpuMicrosOf(service.pid)
    await sleep(SETTLE_STEP_SECONDS * 1000)
    share = (cpuMicrosOf(service.pid) - before) / (SETTLE_STEP_SECONDS * 1e6)
  }
}

const connections = new Agent({ keepAlive: true })
let clients = 0

/** Sends one request as a client of its own. @throws Error on an unexpected status */
function send(service: Program, { method, path, headers, body }: Sent, status = 200): Promise<void> {
  const { hostname, port } = new URL(service.url)
  const nth = ++clients
  const from = { 'x-forwarded-for': `9.${(nth >> 8) & 255}.${nth & 255}.1`, 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    request({ agent: connections, hostname, port, method, path, headers: { ...headers, ...from } }, response => {
      text(response).then(answer => {
        if (response.statusCode === status) resolve()
        else
          reject(new Error(`${method} ${path}: wanted ${status}, got ${response.statusCode} ${answer.slice(0, 100)}`))
      }, reject)
    })
      .once('error', reject)
      .end(body)
  })
}

/** Sends requests of a cycle at a constant rate, whether or not the last ones are answered. @returns how many */
async function pace(service: Program, cycle: readonly Part[], perSecond: number, seconds: number): Promise<number> {
  const startedAt = performance.now()
  const underWay = new Set<Promise<void>>()
  let sent = 0
  for (let ms = 0; ms < seconds * 1000; ms = performance.now() - startedAt) {
    for (; sent < (ms * perSecond) / 1000; sent++) {
      const part = cycle[sent % cycle.length] as Part
      const answered = send(service, part.send(), part.status).catch(error => void failures.push(String(error)))
      underWay.add(answered)
      void answered.then(() => underWay.delete(answered))
    }
    await sleep(1000 / perSecond)
  }
  await Promise.all(underWay)
  return sent
}

/** The same order each time. */
function shuffled<T>(all: readonly T[]): T[] {
  const random = randomNumbers()
  return all
    .map(one => ({ one, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one)
}

/** Of a process and all processes that it started, with ended threads and processes, to a hundredth of a second. */
function cpuMicrosOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10_000, 0)
    const threads = readdirSync(`/proc/${pid}/task`)
    const children = threads.flatMap(id => readFileSync(`/proc/${pid}/task/${id}/children`, 'utf8').split(' '))
    return children.filter(Boolean).reduce((sum, child) => sum + cpuMicrosOf(Number(child)), own)
  } catch {
    // A thread ended meanwhile, or the process: then its parent has its time.
    return existsSync(`/proc/${pid}`) ? cpuMicrosOf(pid) : 0
  }
}

const mean = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length

function fail(message: string): never {
  throw new Error(message)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return port
}

import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { heading, median, quantile, report } from './measure.ts'
import { type Program, startHelper, startPlacard } from './programs.ts'
import { publish, type Sent } from './requests.ts'

// Publishes from end to end, of websites with pages of 60 KB.

const [SECONDS, WARM_UP_SECONDS, RUNS] = [10, 4, 3]
/** As many publish websites that never answer beside 64 others that 5% of all websites are silent. */
const SILENT_AGENTS = 48

/** How long slow websites take, as in `slow-sites.ts`. */
const SLOW_MS = 5000

interface Agents {
  service: Program
  count: number
  seconds?: number
  /** What the hosts' names begin with: see `slow-sites.ts`. */
  kind?: 'usual' | 'slow' | 'silent'
  send?: (host: string) => Sent
}

let hosts = 0

/** Agents of different networks that each publish one website after another. @returns publishes a second, and ms each */
async function agents({ service, count, seconds = SECONDS, kind = 'usual', send = publishing }: Agents) {
  const { hostname, port } = new URL(service.url)
  const connections = new Agent({ keepAlive: true })
  const endsAt = performance.now() + seconds * 1000
  const times: number[] = []
  const publishOnce = ({ method, path, headers, body }: Sent, network: number) =>
    new Promise<number | undefined>((resolve, reject) => {
      const from = {
        'x-forwarded-for': `9.${network >> 8}.${network & 255}.1`,
        'content-length': Buffer.byteLength(body),
      }
      request({ agent: connections, hostname, port, method, path, headers: { ...headers, ...from } }, response => {
        response.resume().once('end', () => resolve(response.statusCode))
      })
        .once('error', reject)
        .end(body)
    })
  const startedAt = performance.now()
  const agent = async (_: unknown, network: number) => {
    // They do not all send, and so do not all wait to be read, at the same time.
    if (kind === 'slow') await sleep((network / count) * SLOW_MS)
    while (performance.now() < endsAt) {
      const sentAt = performance.now()
      const status = await publishOnce(send(`http://${kind}-${++hosts}.com`), network + 1)
      if (kind === 'usual' && status !== 201) throw new Error(`wanted 201, got ${status}`)
      times.push(performance.now() - sentAt)
    }
  }
  await Promise.all(Array.from({ length: count }, agent))
  connections.destroy()
  return { perSecond: (times.length * 1000) / (performance.now() - startedAt), p95: quantile(times, 0.95) }
}

const publishing = (host: string) => publish(host)
const reading = (host: string): Sent => ({
  method: 'POST',
  path: `/?host=${new URL(host).host}`,
  headers: {},
  body: '',
})

/** Publishes of websites that take half a second to answer, as most of the web does. */
export async function waitingFigures(folder: string): Promise<void> {
  const sites = await startHelper('slow-sites', {})
  const bare = await startHelper('bare-reader', { SITES: sites.url })
  const env = { DATA_DIR: folder, TRUSTED_PROXIES: '127.0.0.1', FETCH_CONNECT_TO: `:80:${new URL(sites.url).host}` }
  const service = await startPlacard(env)
  const rates = (count: number) => agents({ service, count }).then(({ perSecond }) => perSecond)
  try {
    await agents({ service, count: 64, seconds: WARM_UP_SECONDS })
    await agents({ service: bare, count: 64, seconds: WARM_UP_SECONDS, send: reading })
    const figures = { of64: [] as number[], of256: [] as number[], bare: [] as number[], beside: [] as number[] }
    const lone = { alone: [] as number[], beside: [] as number[] }
    for (let run = 0; run < RUNS; run++) {
      figures.of64.push(await rates(64))
      figures.bare.push((await agents({ service: bare, count: 64, send: reading })).perSecond)
      figures.of256.push(await rates(256))
      const silent = agents({ service, count: SILENT_AGENTS, kind: 'silent' })
      figures.beside.push(await rates(64))
      await silent
      lone.alone.push((await agents({ service, count: 1, seconds: 2 * SECONDS })).p95)
      const slow = agents({ service, count: 200, seconds: 2 * SECONDS, kind: 'slow' })
      lone.beside.push((await agents({ service, count: 1, seconds: 2 * SECONDS })).p95)
      await slow
    }
    heading('Publishes a second, from end to end; websites answer after 500 ms with 60 KB')
    report('256 agents', figures.of256, { atLeast: 150 })
    report('64 agents, for whom 128 are possible', figures.of64, undefined)
    const share = (ones: number[], others: number[]) => ones.map((one, run) => one / (others[run] ?? Number.NaN))
    report('64 agents, of bare undici and htmlparser2', share(figures.of64, figures.bare), { atLeast: 0.6 })
    report('64 agents beside 5% of silent websites, of without', share(figures.beside, figures.of64), { atLeast: 0.9 })
    report('p95 of one agent beside 200 slow publishes, of alone', share(lone.beside, lone.alone), { atMost: 1.3 })
    console.log(`    bare ${median(figures.bare).toFixed(0)}/s; p95 alone ${median(lone.alone).toFixed(0)} ms`)
  } finally {
    await Promise.all([service, bare, sites].map(each => each.stop()))
  }
}

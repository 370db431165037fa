import { join } from 'node:path'
import { startSites } from '../server/test/support/sites.ts'
import type { Filled } from './fill.ts'
import { compare, heading, load, report, type Target } from './measure.ts'
import { startPostgres } from './postgres.ts'
import { type Env, startPlacard } from './programs.ts'
import { publish, quote, type Sent } from './requests.ts'

const STARTS = 5
const AHEAD = 16
const QUOTES = 1_000_000

/** How long a start takes, how much memory it needs, and whether that grows with the requests. */
export async function startFigures(folder: string, { dataDir, count }: Filled): Promise<void> {
  heading('Start to /readyz, in seconds, and the memory of the idle service, in MB')
  await starts('on an empty store', join(folder, 'empty'), [0.6, 120])
  const among = `with ${count.toLocaleString('en')} paid listings`
  await starts(among, dataDir, [1.5, 200])
  const service = await startPlacard({ DATA_DIR: dataDir })
  try {
    const megabytes: number[] = []
    const target = { service, request: quote(), ahead: AHEAD }
    for (let answered = 0; answered < QUOTES; megabytes.push(service.megabytes())) {
      answered += (await load(target, 5)).answered
    }
    report(`MB during ${QUOTES.toLocaleString('en')} quotes ${among}`, megabytes, { atMost: 200 })
    console.log(`    the first ${megabytes[0]?.toFixed(0)} MB, the last ${megabytes.at(-1)?.toFixed(0)} MB`)
  } finally {
    await service.stop()
  }
}

async function starts(where: string, dataDir: string, [secondsMax, megabytesMax]: [number, number]) {
  const [seconds, megabytes]: [number[], number[]] = [[], []]
  for (let round = 0; round <= STARTS; round++) {
    const startedAt = performance.now()
    const service = await startPlacard({ DATA_DIR: dataDir })
    const { status } = await fetch(`${service.url}/readyz`)
    if (status !== 200) throw new Error(`/readyz answered ${status}`)
    seconds.push((performance.now() - startedAt) / 1000)
    megabytes.push(service.megabytes())
    await service.stop()
  }
  // The first one makes the database.
  report(`seconds ${where}`, seconds.slice(1), { atMost: secondsMax })
  report(`MB ${where}`, megabytes.slice(1), { atMost: megabytesMax })
}

/** What a second process adds, and what it costs that processes count requests together. */
export async function workersFigures(folder: string): Promise<void> {
  heading('CPU time of a request with one worker as a share of that with two')
  const sites = await startSites()
  const env = { FETCH_CONNECT_TO: sites.connectTo }
  await withTwo(
    { ...env, WORKERS: '2', DATA_DIR: join(folder, 'two') },
    { ...env, WORKERS: '1', DATA_DIR: join(folder, 'one') },
    async (two, one) => {
      const replay = publish('http://replayed.com')
      for (const { service } of [two, one]) await fetch(service.url + replay.path, replay)
      for (const [name, request] of Object.entries({ quote: quote(), replay })) {
        await compare(name, { ...two, request }, { ...one, request }, { atLeast: 0.8 })
      }
    },
  )
  await sites.close()

  heading('Quotes by clients with 12 requests each, which processes count together, against one without a limit')
  const postgres = await startPostgres()
  const database = await postgres.database('leases')
  for (const [name, store] of Object.entries({ 'through the primary': {}, 'through PostgreSQL': database })) {
    const shared = { ...store, DATA_DIR: join(folder, name), TRUSTED_PROXIES: '127.0.0.1', WORKERS: '2' }
    await withTwo({ ...shared, LIMIT_QUOTES_PER_MINUTE_PER_IP: '120' }, shared, async (counted, free) => {
      let nth = 0
      const request = () => quoteOf(Math.floor(nth++ / 12))
      await compare(name, { ...counted, request }, { ...free, request: quoteOf(0) })
    })
  }
  await postgres.stop()
}

/** A quote for one of many clients. */
function quoteOf(client: number): Sent {
  const post = quote()
  const address = `10.${client >> 16}.${(client >> 8) & 255}.${client & 255}`
  return { ...post, headers: { ...post.headers, 'x-forwarded-for': address } }
}

type Loaded = Pick<Target, 'service' | 'ahead'>

async function withTwo(env: Env, otherEnv: Env, work: (one: Loaded, other: Loaded) => Promise<void>) {
  const [one, other] = [await startPlacard(env), await startPlacard(otherEnv)]
  try {
    await work({ service: one, ahead: AHEAD }, { service: other, ahead: AHEAD })
  } finally {
    await Promise.all([one.stop(), other.stop()])
  }
}

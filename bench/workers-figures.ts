import { join } from 'node:path'
import { PUBLISH_PATH, QUOTE_PATH } from '@placard/contract'
import { heading, inSeconds, report } from './compare.ts'
import { median } from './load.ts'
import { type Answered, pipelined, postText } from './pipelined.ts'
import { startPostgres } from './postgres.ts'
import { credentials, publishBody, quoteBody, WIDE_ENV } from './requests.ts'
import { startServer } from './server-process.ts'
import { startWhole, type WholeService } from './whole-service.ts'

const ROUNDS = 40
const SLICE_SECONDS = 0.25
const WARM_UP_SECONDS = 3

interface Asked {
  service: WholeService
  requestAt: (nth: number) => string
}

type Measured = Answered & { cpuMicros: number }

/** What a second process adds, and what it costs that processes count requests together. */
export async function workersFigures(folder: string): Promise<void> {
  await twoAgainstOne(folder)
  await leases(folder)
}

async function twoAgainstOne(folder: string): Promise<void> {
  const sites = await startServer('sites', [])
  const start = (workers: number) =>
    startWhole({
      ...WIDE_ENV,
      WORKERS: String(workers),
      DATA_DIR: join(folder, `of-${workers}`),
      FETCH_CONNECT_TO: sites.url,
    })
  const [two, one] = [await start(2), await start(1)]
  try {
    heading(
      'Two workers against one. By CPU time: what two full cores would serve, of which the load takes nothing; by the clock: on this machine, with the load and all others on it',
    )
    const quote = postText(QUOTE_PATH, quoteBody)
    await compareRates(
      'quote',
      { service: two, requestAt: () => quote },
      { service: one, requestAt: () => quote },
    )
    const headers = credentials()
    const body = publishBody('http://replayed-once.com')
    for (const { url } of [two, one]) await fetch(url + PUBLISH_PATH, { method: 'POST', headers, body })
    const { 'content-type': _, ...ofSubmission } = headers
    const replay = postText(PUBLISH_PATH, body, ofSubmission)
    await compareRates(
      'replay',
      { service: two, requestAt: () => replay },
      { service: one, requestAt: () => replay },
    )
  } finally {
    await Promise.all([two.stop(), one.stop(), sites.stop()])
  }
}

async function compareRates(name: string, two: Asked, one: Asked): Promise<void> {
  const [twos, ones] = await inTurns(two, one)
  const pairs = twos.map((each, round) => [each, ones[round] as Measured] as const)
  report(
    `${name}, by CPU time`,
    pairs.map(([ofTwo, ofOne]) => (2 * ofOne.cpuMicros) / ofTwo.cpuMicros),
    { atLeast: 1.6 },
  )
  report(
    `${name}, by the clock`,
    pairs.map(([ofTwo, ofOne]) => ofTwo.perSecond / ofOne.perSecond),
    undefined,
  )
  const side = (all: Measured[]) =>
    `${inSeconds(median(all.map(each => each.perSecond)))}, ${median(all.map(each => each.cpuMicros)).toFixed(0)} µs CPU and ${median(all.map(each => each.loaderMicros)).toFixed(0)} µs of the load`
  console.log(`    ${side(twos)}  against  ${side(ones)}`)
}

const REQUESTS_OF_CLIENT = 12

async function leases(folder: string): Promise<void> {
  heading(
    `What counting together adds to a quote, in µs of CPU time: clients with ${REQUESTS_OF_CLIENT} requests each, of 120, against one with no limit to speak of`,
  )
  const postgres = await startPostgres()
  const env = { ...WIDE_ENV, TRUSTED_PROXIES: '127.0.0.1', WORKERS: '2' }
  const narrow = { ...env, LIMIT_QUOTES_PER_MINUTE_PER_IP: '120' }
  try {
    for (const [name, store] of [
      ['through the primary', { DATA_DIR: join(folder, 'leases') }],
      [
        'through PostgreSQL',
        { DATA_DIR: join(folder, 'leases-postgres'), ...(await postgres.database('leases')) },
      ],
    ] as const) {
      const [shared, wide] = [
        await startWhole({ ...narrow, ...store }),
        await startWhole({ ...env, ...store }),
      ]
      try {
        const [counted, free] = await inTurns(
          { service: shared, requestAt: nth => quoteOf(Math.floor(nth / REQUESTS_OF_CLIENT) + clients) },
          { service: wide, requestAt: () => quoteOf(0) },
        )
        const added = counted.map((each, round) => each.cpuMicros - (free[round]?.cpuMicros ?? Number.NaN))
        report(name, added, { atMost: 100 })
      } finally {
        await Promise.all([shared.stop(), wide.stop()])
      }
    }
  } finally {
    await postgres.stop()
  }
}

/** How many clients earlier slices have had. */
let clients = 0

const quoteOf = (client: number) =>
  postText(QUOTE_PATH, quoteBody, {
    'X-Forwarded-For': `10.${client >> 16}.${(client >> 8) & 255}.${client & 255}`,
  })

/** Loads two in turns, in short slices, once they are warm. */
async function inTurns(one: Asked, other: Asked): Promise<[Measured[], Measured[]]> {
  const measured: [Measured[], Measured[]] = [[], []]
  for (const asked of [one, other]) await measure(asked, WARM_UP_SECONDS)
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, asked] of [one, other].entries()) {
      measured[index as 0 | 1].push(await measure(asked, SLICE_SECONDS))
    }
  }
  return measured
}

async function measure({ service, requestAt }: Asked, seconds: number): Promise<Measured> {
  const before = service.cpuMicros()
  const answered = await pipelined(service.url, requestAt, { status: 200, seconds })
  clients += Math.ceil(answered.answered / REQUESTS_OF_CLIENT)
  return { ...answered, cpuMicros: (service.cpuMicros() - before) / answered.answered }
}

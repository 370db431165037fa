import { BOARDS_PATH, CAPABILITIES_PATH, QUOTE_PATH } from '@placard/contract'
import { heading, inSeconds, report } from './compare.ts'
import type { FilledListings } from './fill-listings.ts'
import { median } from './load.ts'
import { pipelined, postText } from './pipelined.ts'
import { quoteBody, WIDE_ENV } from './requests.ts'
import { startWhole, type WholeService } from './whole-service.ts'

const ROUNDS = 10
const SLICE_SECONDS = 0.5
/** A machine that is busier than this keeps visitors waiting. */
const BUSY_SHARE = 0.7
const PREDICTED = [1, 2, 4, 8]

type Requests = Record<string, (nth: number) => string>
/** How many of a hundred requests are of which kind. */
type Mix = Record<string, number>

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/html\r\n\r\n`

const requestsTo = ({ slugs }: FilledListings): Requests => ({
  capabilities: () => get(CAPABILITIES_PATH),
  quote: () => postText(QUOTE_PATH, quoteBody),
  board: () => get(`${BOARDS_PATH}/all`),
  home: () => get('/'),
  product: nth => get(`/product/${slugs[nth % slugs.length]}`),
})

const MIXES: Record<string, Mix> = {
  visitors: { home: 25, product: 60, board: 15 },
  agents: { capabilities: 20, quote: 60, board: 20 },
}

/**
 * The utilization law: a machine serves what its cores have time for, so its rate is the cores over the CPU time of the
 * average request. (Lazowska et al., Quantitative System Performance, 1984, chapter 3.) Measures what each kind of
 * request takes by itself, predicts two mixes from that, and measures those too.
 */
export async function modelFigures(listings: FilledListings): Promise<void> {
  heading(
    `Load model with ${listings.count.toLocaleString('en')} listings: CPU time by kind of request, in µs`,
  )
  const requests = requestsTo(listings)
  const service = await startWhole({ ...WIDE_ENV, DATA_DIR: listings.dataDir })
  try {
    const demands: Record<string, number> = {}
    for (const [kind, requestAt] of Object.entries(requests)) {
      demands[kind] = median(await cpuMicros(service, requestAt))
      console.log(`  ${kind}: ${demands[kind]?.toFixed(0)}`)
    }
    for (const [name, mix] of Object.entries(MIXES)) {
      const predicted = Object.entries(mix).reduce(
        (sum, [kind, count]) => sum + ((demands[kind] ?? Number.NaN) * count) / 100,
        0,
      )
      const measured = await cpuMicros(service, mixed(mix, requests))
      report(
        `${name}: predicted / measured CPU time`,
        measured.map(each => predicted / each),
        undefined,
      )
      console.log(`    predicted ${predicted.toFixed(0)} µs, measured ${median(measured).toFixed(0)} µs`)
      const rates = PREDICTED.map(cores => `${cores}: ${inSeconds((cores * BUSY_SHARE * 1e6) / predicted)}`)
      console.log(`    so by cores, at ${100 * BUSY_SHARE} % of them: ${rates.join(', ')}`)
    }
  } finally {
    await service.stop()
  }
}

/** The requests of a mix, spread evenly. */
function mixed(mix: Mix, requests: Requests): (nth: number) => string {
  const hundred = Object.entries(mix)
    .flatMap(([kind, count]) => Array.from({ length: count }, (_, index) => ({ kind, at: index / count })))
    .sort((one, other) => one.at - other.at)
  return nth => {
    const kind = hundred[nth % hundred.length]?.kind ?? ''
    return requests[kind]?.(nth) ?? ''
  }
}

/** CPU time of the service per request, slice by slice. */
async function cpuMicros(service: WholeService, requestAt: (nth: number) => string): Promise<number[]> {
  const load = () => pipelined(service.url, requestAt, { status: 200, seconds: SLICE_SECONDS })
  await load()
  const all: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const before = service.cpuMicros()
    const { answered } = await load()
    all.push((service.cpuMicros() - before) / answered)
  }
  return all
}

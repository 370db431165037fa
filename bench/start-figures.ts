import { join } from 'node:path'
import { QUOTE_PATH } from '@placard/contract'
import { heading, LONG_ROUNDS, report } from './compare.ts'
import type { FilledBoard } from './fill-board.ts'
import { pipelined, postText } from './pipelined.ts'
import { quoteBody, WIDE_ENV } from './requests.ts'
import { startWhole } from './whole-service.ts'

const REQUESTS = 1_000_000
const SLICE_SECONDS = 5

/** How long a start takes, how much memory it needs, and whether that grows with the requests. */
export async function startFigures(folder: string, { dataDir, destinations }: FilledBoard): Promise<void> {
  const count = destinations.toLocaleString('en')
  heading('Start to /readyz, in seconds, and the memory of the idle service, in MB')
  const empty = await starts(join(folder, 'empty'))
  report('seconds on an empty store', empty.seconds, { atMost: 0.6 })
  report('MB on an empty store', empty.megabytes, { atMost: 120 })
  const filled = await starts(dataDir)
  report(`seconds with ${count} paid listings`, filled.seconds, { atMost: 1.5 })
  report(`MB with ${count} paid listings`, filled.megabytes, { atMost: 200 })
  await memoryUnderLoad(dataDir, count)
}

async function starts(dataDir: string): Promise<{ seconds: number[]; megabytes: number[] }> {
  const seconds: number[] = []
  const megabytes: number[] = []
  // The first one makes the database.
  for (let round = 0; round <= LONG_ROUNDS; round++) {
    const startedAt = performance.now()
    const service = await startWhole({ ...WIDE_ENV, DATA_DIR: dataDir })
    const { status } = await fetch(`${service.url}/readyz`)
    const took = (performance.now() - startedAt) / 1000
    if (round > 0 && status === 200) {
      seconds.push(took)
      megabytes.push(service.megabytes())
    }
    await service.stop()
  }
  return { seconds, megabytes }
}

async function memoryUnderLoad(dataDir: string, count: string): Promise<void> {
  const service = await startWhole({ ...WIDE_ENV, DATA_DIR: dataDir })
  try {
    const quote = postText(QUOTE_PATH, quoteBody)
    const megabytes: number[] = []
    for (let answered = 0; answered < REQUESTS; ) {
      answered += (await pipelined(service.url, () => quote, { status: 200, seconds: SLICE_SECONDS }))
        .answered
      megabytes.push(service.megabytes())
    }
    report(`MB during ${REQUESTS.toLocaleString('en')} quotes among ${count}`, megabytes, { atMost: 200 })
    const [first = Number.NaN, last = Number.NaN] = [megabytes[0], megabytes.at(-1)]
    console.log(`    ${first.toFixed(0)} MB after the first, ${last.toFixed(0)} MB after the last`)
  } finally {
    await service.stop()
  }
}

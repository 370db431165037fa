import { PUBLISH_PATH } from '@placard/contract'
import {
  heading,
  inSeconds,
  inTurns,
  noise,
  ratios,
  report,
  SLICE_SECONDS,
  WARM_UP_SECONDS,
} from './compare.ts'
import { wordAt } from './fill-search.ts'
import { bareTransactions } from './inserts.ts'
import { load, median, type Target } from './load.ts'
import { credentials, publishBody, WIDE_ENV } from './requests.ts'
import { startServer } from './server-process.ts'

/** The cost of accepting a publish. */
export async function publishFigures(folder: string): Promise<void> {
  heading('Accepting a publish as a share of bare SQLite transactions of three inserts, synchronous=FULL')
  const server = await startServer('placard', [], { ...WIDE_ENV, DATA_DIR: folder })
  let count = 0
  const target: Target = {
    server,
    path: PUBLISH_PATH,
    method: 'POST',
    status: 201,
    setupRequest: request => ({
      ...request,
      headers: { ...request.headers, ...credentials() },
      body: publishBody(`http://${wordAt(++count)}-site.com`),
    }),
  }
  let answered = 0
  const publish = async () => {
    const measured = await load(target, SLICE_SECONDS)
    answered = measured.answered
    return measured.perSecond
  }
  try {
    await load(target, WARM_UP_SECONDS)
    const [publishes, transactions] = await inTurns(publish, () => bareTransactions(folder, answered))
    report('publish / bare transaction', ratios(publishes, transactions), { atLeast: 0.5 })
    const [published, bare] = [median(publishes), median(transactions)].map(inSeconds)
    console.log(`    ${published} publishes  against  ${bare} transactions; ${noise(publishes)}`)
  } finally {
    await server.stop()
  }
}

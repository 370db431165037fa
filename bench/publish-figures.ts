import { join } from 'node:path'
import { CAPABILITIES_PATH, PUBLISH_PATH, QUOTE_PATH } from '@placard/contract'
import { compare, heading, inSeconds, ROUNDS, report, SECONDS } from './compare.ts'
import { wordAt } from './fill-search.ts'
import { bareTransactions } from './inserts.ts'
import { load, median, type Target } from './load.ts'
import { credentials, json, publishBody, quoteBody, WIDE_ENV } from './requests.ts'
import { type ServerProcess, startServer } from './server-process.ts'

const STARTS = 5

/** Free listings: the cost of an answer, a refusal, a publish and a start. */
export async function publishFigures(folder: string): Promise<void> {
  const placard = await startServer('placard', [], { ...WIDE_ENV, DATA_DIR: folder })
  const narrow = await startServer('placard', [], {
    ...WIDE_ENV,
    DATA_DIR: join(folder, 'narrow'),
    LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: '1',
  })
  const capabilities = await (await fetch(placard.url + CAPABILITIES_PATH)).text()
  const bare = await startServer('bare', [capabilities])
  try {
    await rates(placard, bare)
    await refusals(placard, narrow, bare)
    await publishing(placard, folder)
    await starting(folder)
  } finally {
    await Promise.all([placard.stop(), narrow.stop(), bare.stop()])
  }
}

async function rates(placard: ServerProcess, bare: ServerProcess): Promise<void> {
  heading('Rate of the service as a share of bare Fastify (requests per second; CPU per request)')
  const bareQuote: Target = {
    server: bare,
    path: QUOTE_PATH,
    method: 'POST',
    headers: json,
    body: quoteBody,
    status: 200,
  }
  await compare(
    'capabilities / bare route, same bytes',
    { server: placard, path: CAPABILITIES_PATH, status: 200 },
    { server: bare, path: '/capabilities', status: 200 },
    { atLeast: 0.8 },
  )
  await compare('quote / bare route, same schemas', { ...bareQuote, server: placard }, bareQuote, {
    atLeast: 0.6,
  })

  const submission = {
    method: 'POST' as const,
    headers: credentials(),
    body: publishBody('http://replayed.com'),
  }
  await fetch(placard.url + PUBLISH_PATH, submission)
  const replay: Target = { ...submission, server: placard, path: PUBLISH_PATH, status: 200 }
  await compare('replay / bare quote route', replay, bareQuote, { atLeast: 0.4 })
}

async function refusals(placard: ServerProcess, narrow: ServerProcess, bare: ServerProcess): Promise<void> {
  heading('Cost of a refusal as a multiple of a bare 404 for the same request')
  const post = { method: 'POST' as const, headers: credentials(), body: publishBody('http://refused.com') }
  await fetch(narrow.url + PUBLISH_PATH, post)
  const cases: [name: string, target: Target][] = [
    ['over the limit', { ...post, server: narrow, path: PUBLISH_PATH, status: 429 }],
    [
      'oversized',
      { ...post, server: placard, path: PUBLISH_PATH, body: post.body.padEnd(4097), status: 413 },
    ],
    [
      'cross-origin',
      {
        ...post,
        server: placard,
        path: PUBLISH_PATH,
        headers: { ...post.headers, origin: 'null' },
        status: 403,
      },
    ],
  ]
  for (const [name, target] of cases) {
    const bare404: Target = { ...target, server: bare, path: '/nothing', status: 404 }
    await compare(`bare 404 / ${name}`, bare404, target, { atMost: 1.3 })
  }
}

async function publishing(placard: ServerProcess, folder: string): Promise<void> {
  heading('Accepting a publish as a share of bare SQLite transactions of three inserts, synchronous=FULL')
  let count = 0
  const target: Target = {
    server: placard,
    path: PUBLISH_PATH,
    method: 'POST',
    status: 201,
    setupRequest: request => ({
      ...request,
      headers: { ...request.headers, ...credentials() },
      body: publishBody(`http://${wordAt(++count)}-site.com`),
    }),
  }
  await load(target, SECONDS)
  const ratios: number[] = []
  const rates: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    const { answered, perSecond } = await load(target, SECONDS)
    const transactions = bareTransactions(folder, answered)
    ratios.push(perSecond / transactions)
    rates[0].push(perSecond)
    rates[1].push(transactions)
  }
  report('publish / bare transaction', ratios, { atLeast: 0.5 })
  console.log(`    ${inSeconds(median(rates[0]))} publishes, ${inSeconds(median(rates[1]))} transactions`)
}

async function starting(folder: string): Promise<void> {
  heading('Start to /readyz on an empty store')
  const seconds: number[] = []
  for (let round = 0; round < STARTS; round++) {
    const startedAt = performance.now()
    const server = await startServer('placard', [], { ...WIDE_ENV, DATA_DIR: join(folder, `start-${round}`) })
    const { status } = await fetch(`${server.url}/readyz`)
    if (status === 200) seconds.push((performance.now() - startedAt) / 1000)
    await server.stop()
  }
  report('seconds', seconds, { atMost: 1 })
}

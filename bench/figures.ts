import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CAPABILITIES_PATH, PUBLISH_PATH, QUOTE_PATH } from '@placard/contract'
import { bareTransactions } from './inserts.ts'
import { load, type Measured, median, type Target } from './load.ts'
import { type ServerProcess, startServer } from './server-process.ts'

const ROUNDS = 5
const SECONDS = 1
const STARTS = 5

const WIDE_ENV = {
  PORT: '0',
  LOG_LEVEL: 'info',
  LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: '1000000000',
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: '1000000000',
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_HOST: '1000000000',
  LIMIT_NEW_ATTEMPTS_PER_DAY_GLOBAL: '1000000000',
  LIMIT_QUOTES_PER_MINUTE_PER_IP: '1000000000',
}

const json = { 'content-type': 'application/json' }
const quoteBody = JSON.stringify({
  destination: 'https://bakery.com/',
  category: 'Games',
  board: 'all',
  targetBid: 25,
})
const publishBody = (destination: string) =>
  JSON.stringify({
    destination,
    category: 'Games',
    approval: { scope: 'free_listing_publish', userApproved: true, rulesVersion: '2026-09-06' },
  })
const credentials = () => ({
  ...json,
  'idempotency-key': randomUUID(),
  'x-submission-secret': randomBytes(32).toString('hex'),
})

/** Every figure, each a ratio of two measurements taken in turns in this one run. */
export async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'placard-bench-'))
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
    rmSync(folder, { recursive: true, force: true })
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
      body: publishBody(`http://site-${++count}.com`),
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

type Wanted = { atLeast: number } | { atMost: number }

/** Two targets in turns; the ratio of their rates, round by round. */
async function compare(name: string, one: Target, other: Target, wanted: Wanted): Promise<void> {
  await load(one, SECONDS)
  await load(other, SECONDS)
  const ones: Measured[] = []
  const others: Measured[] = []
  for (let round = 0; round < ROUNDS; round++) {
    ones.push(await load(one, SECONDS))
    others.push(await load(other, SECONDS))
  }
  report(
    name,
    ones.map((each, round) => each.perSecond / (others[round]?.perSecond ?? Number.NaN)),
    wanted,
  )
  const side = (all: Measured[]) =>
    `${inSeconds(median(all.map(each => each.perSecond)))}, ${median(all.map(each => each.cpuMicros)).toFixed(0)} µs CPU`
  console.log(`    ${side(ones)}  against  ${side(others)}`)
}

const heading = (text: string) => console.log(`\n${text}`)
const inSeconds = (rate: number) => `${Math.round(rate).toLocaleString('en')}/s`

function report(name: string, values: readonly number[], wanted: Wanted): void {
  const value = median(values)
  const [met, want] =
    'atLeast' in wanted
      ? [value >= wanted.atLeast, `at least ${wanted.atLeast}`]
      : [value <= wanted.atMost, `at most ${wanted.atMost}`]
  const range = `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`
  console.log(`  ${met ? 'met ' : 'MISS'}  ${name}: ${value.toFixed(2)} (${range}; wanted ${want})`)
}

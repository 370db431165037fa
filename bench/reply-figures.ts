import { join } from 'node:path'
import { CAPABILITIES_PATH, PUBLISH_PATH, QUOTE_PATH } from '@placard/contract'
import { compare, heading } from './compare.ts'
import type { FilledBoard } from './fill-board.ts'
import type { Target } from './load.ts'
import { credentials, json, publishBody, quoteBody, WIDE_ENV } from './requests.ts'
import { type ServerProcess, startServer } from './server-process.ts'

const QUOTE = { method: 'POST', path: QUOTE_PATH, headers: json, body: quoteBody, status: 200 } as const

export async function capabilitiesFigures(dataDir: string): Promise<void> {
  headRates()
  await besideBare({ DATA_DIR: dataDir }, async (placard, bare) => {
    await compare(
      'capabilities / bare route, same bytes',
      { server: placard, path: CAPABILITIES_PATH, status: 200 },
      { server: bare, path: '/capabilities', status: 200 },
      { atLeast: 0.95 },
    )
  })
}

export async function quoteFigures({ dataDir, destinations }: FilledBoard): Promise<void> {
  headRates()
  await besideBare({ DATA_DIR: dataDir }, async (placard, bare) => {
    await compare(
      `quote with ${destinations.toLocaleString('en')} paid / bare route, same schemas`,
      { ...QUOTE, server: placard },
      { ...QUOTE, server: bare },
      { atLeast: 0.6 },
    )
  })
}

export async function replayFigures(dataDir: string): Promise<void> {
  headRates()
  await besideBare({ DATA_DIR: dataDir }, async (placard, bare) => {
    const submission = post('http://replayed.com')
    await fetch(placard.url + PUBLISH_PATH, submission)
    const replay: Target = { ...submission, server: placard, path: PUBLISH_PATH, status: 200 }
    await compare('replay / bare quote route', replay, { ...QUOTE, server: bare }, { atLeast: 0.45 })
  })
}

/** Refusals for which nothing is looked up. */
export async function refusalFigures(dataDir: string): Promise<void> {
  heading('Cost of a refusal as a multiple of a bare 404 for the same request')
  const request = post('http://refused.com')
  const oversized = { ...request, body: request.body.padEnd(4097) }
  const foreign = { ...request, headers: { ...request.headers, origin: 'null' } }
  await besideBare({ DATA_DIR: dataDir }, async (placard, bare) => {
    await refusal('oversized', { ...oversized, server: placard, path: PUBLISH_PATH, status: 413 }, bare)
    await refusal('cross-origin', { ...foreign, server: placard, path: PUBLISH_PATH, status: 403 }, bare)
  })
  const narrow = {
    DATA_DIR: join(dataDir, 'narrow'),
    LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: '1',
  }
  await besideBare(narrow, async (placard, bare) => {
    await fetch(placard.url + PUBLISH_PATH, request)
    await refusal('over the limit', { ...request, server: placard, path: PUBLISH_PATH, status: 429 }, bare)
  })
}

const refusal = (name: string, refused: Target, bare: ServerProcess) =>
  compare(`bare 404 / ${name}`, { ...refused, server: bare, path: '/nothing', status: 404 }, refused, {
    atMost: 1.2,
  })

const headRates = () =>
  heading('Rate of the service as a share of bare Fastify (requests per second; CPU per request)')

const post = (destination: string) => ({
  method: 'POST' as const,
  headers: credentials(),
  body: publishBody(destination),
})

/** Runs the service and bare Fastify, which gets the bytes of the service's capabilities. */
async function besideBare(
  env: Record<string, string>,
  measure: (placard: ServerProcess, bare: ServerProcess) => Promise<void>,
): Promise<void> {
  const placard = await startServer('placard', [], { ...WIDE_ENV, ...env })
  const bare = await startServer('bare', [await (await fetch(placard.url + CAPABILITIES_PATH)).text()])
  try {
    await measure(placard, bare)
  } finally {
    await Promise.all([placard.stop(), bare.stop()])
  }
}

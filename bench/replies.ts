import { BOARDS_PATH, CAPABILITIES_PATH, PUBLISH_PATH } from '@placard/contract'
import { query } from '../server/test/support/postgres.ts'
import { type Filled, hostAt, slugAt } from './fill.ts'
import { compare, heading, load, type Target } from './measure.ts'
import { startPostgres } from './postgres.ts'
import { type Env, type Program, startHelper } from './programs.ts'
import { publish, quote, type Sent, visit, WIDE_ENV } from './requests.ts'

type Sides = Record<'placard' | 'bare', Program>

/** What replies cost next to bare Fastify. @param wanted of each kind, the least */
export async function replyFigures(
  env: Env,
  wanted: Partial<Record<'capabilities' | 'quote' | 'replay', number>>,
): Promise<void> {
  const query = env.DATABASE_URL ? ' after the same query through bare pg' : ''
  heading(`Replies in the CPU time of one by bare Fastify, which answers the same${query}`)
  await besideBare(env, async ({ placard, bare }, replay) => {
    const requests = { capabilities: visit(CAPABILITIES_PATH), quote: quote(), replay }
    for (const [name, atLeast] of Object.entries(wanted)) {
      const request = requests[name as keyof typeof requests]
      await compare(name, { service: placard, request }, { service: bare, request }, { atLeast })
    }
  })
}

export async function postgresFigures(dataDir: string): Promise<void> {
  const postgres = await startPostgres()
  try {
    const settings = await postgres.database('replies')
    await replyFigures({ DATA_DIR: dataDir, ...settings }, { quote: 1.2, replay: 0.55 })
  } finally {
    await postgres.stop()
  }
}

/** What a publish writes, in this order. */
const WRITTEN = ['attempt', 'listing', 'picture', 'seen_page', 'decision', 'claim']

/** Accepting a publish whose page is already read, on PostgreSQL. */
export async function postgresPublishFigures(dataDir: string): Promise<void> {
  const postgres = await startPostgres()
  const settings = await postgres.database('publishes')
  const placard = await startHelper('stub-fetch', { ...WIDE_ENV, DATA_DIR: dataDir, ...settings })
  let count = 0
  const request = () => publish(`http://${hostAt(++count)}`)
  try {
    heading('Accepting a publish in the CPU time of bare Fastify and pg, which write the same rows')
    await load({ service: placard, request, status: 201 })
    const rows: Record<string, object> = {}
    for (const table of WRITTEN) {
      rows[table] = (await query(settings.DATABASE_URL, `select * from ${table} limit 1`))[0] ?? {}
      await query(settings.DATABASE_URL, `create table bare_${table} (like ${table} including all excluding generated)`)
    }
    const bare = await startHelper('baseline', { ...settings, ROWS: JSON.stringify(rows) })
    const sides = [
      { service: placard, request, status: 201 },
      { service: bare, request: { ...publish('http://pie.com'), path: '/rows' }, status: 201 },
    ] as const
    await compare('publish', ...sides, { atLeast: 0.6 }).finally(() => bare.stop())
  } finally {
    await placard.stop()
    await postgres.stop()
  }
}

/** Refusals for which nothing is looked up. */
export async function refusalFigures(dataDir: string): Promise<void> {
  heading('CPU time of a refusal as a multiple of a bare 404 for the same request')
  const compareWith404 = async (name: string, { placard, bare }: Sides, request: Sent, status: number) => {
    const missing = { service: bare, request: { ...request, path: '/nothing' }, status: 404 }
    await compare(name, missing, { service: placard, request, status }, { atMost: 1.2 })
  }
  await besideBare({ DATA_DIR: dataDir }, async (sides, { headers, ...request }) => {
    await compareWith404('oversized', sides, { ...request, headers, body: request.body.padEnd(4097) }, 413)
    await compareWith404('cross-origin', sides, { ...request, headers: { ...headers, origin: 'null' } }, 403)
  })
  const narrow = { DATA_DIR: dataDir, LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: '2' }
  await besideBare(narrow, async (sides, request) => {
    await fetch(sides.placard.url + request.path, request)
    await compareWith404('over the limit', sides, request, 429)
  })
}

/** As many are shown among 1,000, so that both sizes ask for as many pages, and find them rendered. */
const SLUGS = 600
const PAGES: Record<string, (filled: Filled) => Target['request']> = {
  home: () => visit('/'),
  'board as JSON': () => visit(`${BOARDS_PATH}/all`),
  'page of a listing':
    ({ count }) =>
    nth =>
      visit(`/product/${slugAt(count - 1 - (nth % SLUGS))}`),
}

/** What pages cost: the same among many listings as among few. */
export async function pageFigures(many: Filled, few: Filled): Promise<void> {
  const start = ({ dataDir }: Filled) => startHelper('stub-fetch', { ...WIDE_ENV, DATA_DIR: dataDir })
  const [withMany, withFew] = [await start(many), await start(few)]
  try {
    heading(`Pages with ${many.count.toLocaleString('en')} listings in the CPU time of one with ${few.count}`)
    for (const [name, page] of Object.entries(PAGES)) {
      const target = { service: withMany, request: page(many) }
      await compare(name, target, { service: withFew, request: page(few) }, { atLeast: 0.9 })
    }
  } finally {
    await Promise.all([withMany.stop(), withFew.stop()])
  }
}

/** Runs the service and bare Fastify, which gives the same answers. @param work also gets a publish that was answered */
async function besideBare(env: Env, work: (sides: Sides, replay: Sent) => Promise<void>): Promise<void> {
  const placard = await startHelper('stub-fetch', { ...WIDE_ENV, ...env })
  const answer = async (path: string, init?: RequestInit) => (await fetch(placard.url + path, init)).text()
  const replay = publish('http://replayed.com')
  const bare = await startHelper('baseline', {
    ...(env.DATABASE_URL && { DATABASE_URL: env.DATABASE_URL }),
    CAPABILITIES: await answer(CAPABILITIES_PATH),
    QUOTED: await answer(quote().path, quote()),
    RECEIPT: await answer(PUBLISH_PATH, replay),
    IDEMPOTENCY_KEY: replay.headers['idempotency-key'] ?? '',
  })
  try {
    await work({ placard, bare }, replay)
  } finally {
    await Promise.all([placard.stop(), bare.stop()])
  }
}

import { randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { buildApp } from '../../src/app.ts'
import { configFrom } from '../../src/config.ts'
import { createPageFetcher } from '../../src/fetcher/fetch-page.ts'
import { createGuardedFetcher } from '../../src/fetcher/guarded-fetcher.ts'
import { Links } from '../../src/http/links.ts'
import { Traffic } from '../../src/listings/traffic.ts'
import { createSiteProofChecker } from '../../src/ownership/check-site-proof.ts'
import type { ProcessorEvent, SessionOrder } from '../../src/payments/processor.ts'
import { Sandbox } from '../../src/payments/sandbox/sandbox.ts'
import { Secret } from '../../src/secret.ts'
import { openStore } from '../../src/storage/open.ts'
import { type EmptyDatabase, emptyDatabase } from '../support/engines.ts'
import { serviceKeys } from '../support/keys.ts'
import { readers } from '../support/readers.ts'
import { NOON } from '../support/service.ts'

/** One delivery as it reached the webhook. */
interface Received {
  body: Buffer
  signature: string
}

/**
 * The whole app, with a sandbox that the test controls: `startService` would start its own, which delivers whenever it
 * likes. A server in front intercepts the webhook and only records what it receives.
 *
 * @param options.database a longer-lived one, already used by sandboxes of earlier tests
 */
export async function startSandbox(options: { database?: EmptyDatabase } = {}) {
  const database = options.database ?? (await emptyDatabase('sqlite'))
  const config = configFrom({ ...database.env, LOG_LEVEL: 'silent' })
  const store = await openStore(config)
  const links = new Links(config)
  const clock = { now: NOON }
  const serviceKey = new Secret(randomBytes(32))
  const received: Received[] = []
  /** How the webhook answers: a status, no answer, or one that waits until it is released. */
  const webhook: { answer: number | 'cut off' | 'hold' } = { answer: 200 }
  let release = () => {}
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  let clockReads = 0
  const sandboxes: Sandbox[] = []

  function readClock(): number {
    clockReads++
    return clock.now
  }

  /** Another sandbox on the same store: after a restart, or as a second instance. */
  function newSandbox(key = serviceKey): Sandbox {
    const sandbox = new Sandbox({ store, links, serviceKey: key, clock: readClock })
    sandboxes.push(sandbox)
    return sandbox
  }
  const sandbox = newSandbox()

  /** Forgets all sessions and what was delivered. */
  async function reset(): Promise<void> {
    for (const table of ['sandbox_event', 'sandbox_session'] as const)
      await store.db.deleteFrom(table).execute()
    received.length = 0
    webhook.answer = 200
    clock.now = NOON
  }
  await reset()

  const { dnsServers, connectTo } = config
  const fetcher = createGuardedFetcher({ dnsServers, connectTo, links, version: 'test' })
  const traffic = new Traffic({ store, clock: () => clock.now })
  async function startApp() {
    const app = await buildApp({
      config,
      links,
      store,
      serviceKeys: serviceKeys(serviceKey),
      clock: () => clock.now,
      fetchPage: createPageFetcher(fetcher, readers),
      fetchPageAgain: createPageFetcher(fetcher, readers),
      checkSiteProof: createSiteProofChecker({ fetcher, readers, dnsServers }),
      processor: sandbox,
      traffic,
      reviewers: [],
    })
    await app.ready()
    return app
  }
  /** Started with the first page: most tests of deliveries need none. */
  let app: ReturnType<typeof startApp> | undefined

  async function answerAsService(request: IncomingMessage, response: ServerResponse): Promise<void> {
    app ??= startApp()
    const { routing } = await app
    routing(request, response)
  }

  async function writeDown(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request)
    received.push({ body, signature: String(request.headers['stripe-signature']) })
    const { answer } = webhook
    if (answer === 'cut off') return void request.socket.destroy()
    if (answer === 'hold') await released
    // Where a redirect leads, everything is accepted.
    response.writeHead(answer === 'hold' ? 200 : answer, { location: '/elsewhere' }).end('{}')
  }

  const front = createServer((request, response) => {
    if (request.url === '/webhooks/sandbox') void writeDown(request, response)
    else if (request.url === '/elsewhere') response.end('{}')
    else void answerAsService(request, response)
  })
  await new Promise<void>(resolve => front.listen(0, '127.0.0.1', resolve))
  const { port } = front.address() as AddressInfo
  links.listeningOn('127.0.0.1', port)
  const url = `http://127.0.0.1:${port}`

  return {
    url,
    store,
    clock,
    received,
    webhook,
    /** Answers everything held, and stops holding. */
    release: () => release(),
    clockReads: () => clockReads,
    sandbox,
    newSandbox,
    reset,
    /** What the deliveries so far say, verified and read. */
    events: (): (ProcessorEvent | undefined)[] =>
      received.map(({ body, signature }) => sandbox.readEvent(body, signature, clock.now)),
    order: (fields: Partial<SessionOrder> = {}): SessionOrder => {
      const checkoutId = randomUUID()
      return {
        checkoutId,
        board: 'all',
        createdAt: clock.now,
        amountCents: 2500,
        description: 'Sunrise Bakery on the board of all time',
        successUrl: `${url}/checkout/${checkoutId}`,
        cancelUrl: `${url}/checkout/${checkoutId}?cancelled=1`,
        ...fields,
      }
    },
    get: (path: string) => fetch(url + path, { headers: { accept: 'text/html' }, redirect: 'manual' }),
    /** Sends a form like a page of the service. */
    post: (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      fetch(url + path, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { accept: 'text/html', 'sec-fetch-site': 'same-origin', ...headers },
        redirect: 'manual',
      }),
    async stop() {
      release()
      await Promise.all(sandboxes.map(each => each.close()))
      front.closeAllConnections()
      await new Promise(resolve => front.close(resolve))
      await (await app)?.close()
      await traffic.close()
      await store.close()
      if (!options.database) await database.remove()
    },
  }
}

export type SandboxApp = Awaited<ReturnType<typeof startSandbox>>

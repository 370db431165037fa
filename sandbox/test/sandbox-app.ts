import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import Fastify from 'fastify'
import { createStripe, type SessionOrder } from '../../server/src/domain/payments/stripe.ts'
import type { ProcessorEvent } from '../../server/src/domain/payments/stripe-events.ts'
import { Secret } from '../../server/src/platform/lib/secret.ts'
import { NOON } from '../../server/test/support/service.ts'
import { startApi } from '../src/api.ts'
import { sandboxPages } from '../src/pages/routes.ts'
import { Sandbox } from '../src/sandbox.ts'

/** One delivery as it reached the webhook. */
interface Received {
  body: Buffer
  signature: string
}

const SECRET_KEY = 'sk_test_of_the_tests'

const secretOf = (text: string) => new Secret(Buffer.from(text))

/**
 * The sandbox with its API and its pages, asked by the service's own client of Stripe. In front stands a server that takes
 * the webhook for itself and only writes down what it receives.
 */
export async function startSandbox() {
  const folder = mkdtempSync(join(tmpdir(), 'placard-sandbox-'))
  const clock = { now: NOON }
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

  /** One more on the same file: after a restart, or as a second process. */
  function newSandbox(): Sandbox {
    const sandbox = new Sandbox({
      file: join(folder, 'sandbox.db'),
      baseUrl: () => url,
      webhook: { url: () => `${url}/webhooks/stripe`, secret: 'whsec_of_the_tests' },
      clock: readClock,
    })
    sandboxes.push(sandbox)
    return sandbox
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
    if (request.url === '/webhooks/stripe') void writeDown(request, response)
    else if (request.url === '/elsewhere') response.end('{}')
    else pages.routing(request, response)
  })
  await new Promise<void>(resolve => front.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
  const sandbox = newSandbox()
  const pages = Fastify()
  await pages.register(sandboxPages(sandbox))
  await pages.ready()
  const api = await startApi(sandbox, { secretKey: SECRET_KEY })
  const account = (webhookSecret = 'whsec_of_the_tests') =>
    createStripe({
      name: 'sandbox',
      secretKey: secretOf(SECRET_KEY),
      webhookSecret: secretOf(webhookSecret),
      apiUrl: api.url,
    })
  const stripe = account()

  return {
    url,
    api,
    clock,
    received,
    webhook,
    /** Answers all that is held, and holds nothing any more. */
    release: () => release(),
    clockReads: () => clockReads,
    sandbox,
    newSandbox,
    stripe,
    /** One that has another signing secret. */
    stranger: account('whsec_of_nobody'),
    /** What the deliveries so far say, verified and read. */
    events: (): (ProcessorEvent | undefined)[] =>
      received.map(({ body, signature }) => stripe.readEvent(body, signature, clock.now)),
    order: (fields: Partial<SessionOrder> = {}): SessionOrder => {
      const checkoutId = randomUUID()
      return {
        checkoutId,
        board: 'all',
        createdAt: clock.now,
        amountCents: 2500,
        description: 'Sunrise Bakery on the all-time board',
        successUrl: `${url}/checkout/${checkoutId}`,
        cancelUrl: `${url}/checkout/${checkoutId}?cancelled=1`,
        ...fields,
      }
    },
    get: (path: string) => fetch(url + path, { headers: { accept: 'text/html' }, redirect: 'manual' }),
    /** Sends a form as a page of the service does. */
    post: (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      fetch(url + path, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { accept: 'text/html', 'sec-fetch-site': 'same-origin', ...headers },
        redirect: 'manual',
      }),
    /** Asks the API as it is, with the right key unless another is given. */
    ask: (path: string, { method = 'GET', key = SECRET_KEY, headers = {}, body = '' } = {}) =>
      fetch(`${api.url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body && { 'content-type': 'application/x-www-form-urlencoded' }),
          ...headers,
        },
        ...(body && { body }),
      }),
    async stop() {
      release()
      await api.close()
      await Promise.all(sandboxes.map(each => each.close()))
      front.closeAllConnections()
      await new Promise(resolve => front.close(resolve))
      await pages.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export type SandboxApp = Awaited<ReturnType<typeof startSandbox>>

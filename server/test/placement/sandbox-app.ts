import { randomBytes, randomUUID } from 'node:crypto'
import Fastify, { type FastifyRequest } from 'fastify'
import { configFrom } from '../../src/config.ts'
import { replyToErrors } from '../../src/http/error-reply.ts'
import { acceptOnlyJson } from '../../src/http/json-body.ts'
import { Links } from '../../src/http/links.ts'
import { findAsset } from '../../src/pages/assets.ts'
import { sandboxRoutes } from '../../src/pages/sandbox-routes.ts'
import type { ProcessorEvent, SessionOrder } from '../../src/placement/processors/processor.ts'
import { Sandbox } from '../../src/placement/processors/sandbox.ts'
import { Secret } from '../../src/secret.ts'
import { openStore } from '../../src/storage/open.ts'
import type { Engine } from '../../src/storage/store.ts'
import { emptyDatabase } from '../support/engines.ts'
import { NOON } from '../support/service.ts'

/** One delivery as it reached the webhook. */
interface Received {
  body: Buffer
  signature: string
}

/** The sandbox with its pages, and a webhook that only writes down what it receives. */
export async function startSandbox({ engine = 'sqlite' }: { engine?: Engine } = {}) {
  const database = await emptyDatabase(engine)
  const store = await openStore(configFrom(database.env))
  const links = new Links({ baseUrl: undefined, supportUrl: undefined })
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

  /** One more on the same store: after a restart, or as a second instance. */
  function newSandbox(key = serviceKey): Sandbox {
    const sandbox = new Sandbox({ store, links, serviceKey: key, clock: readClock })
    sandboxes.push(sandbox)
    return sandbox
  }
  const sandbox = newSandbox()

  const app = Fastify({ forceCloseConnections: true })
  replyToErrors(app, links)
  acceptOnlyJson(app)
  await app.register(async context => {
    context.removeAllContentTypeParsers()
    context.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    )
    context.post('/webhooks/sandbox', async (request, reply) => {
      const signature = String(request.headers['stripe-signature'])
      received.push({ body: request.body as Buffer, signature })
      const { answer } = webhook
      if (answer === 'cut off') return void request.raw.socket.destroy()
      if (answer === 'hold') await released
      // Where a redirect leads, everything is accepted.
      reply.code(answer === 'hold' ? 200 : answer).header('location', '/elsewhere')
      return {}
    })
    context.all('/elsewhere', () => ({}))
  })
  app.get('/assets/:name', (request: FastifyRequest<{ Params: { name: string } }>, reply) => {
    const asset = findAsset(request.params.name)
    return asset ? reply.type(asset.mediaType).send(asset.body) : reply.code(404).send()
  })
  await app.register(sandboxRoutes, { sandbox, links, clock: () => clock.now })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  links.listeningOn('127.0.0.1', port)
  const url = `http://127.0.0.1:${port}`

  return {
    url,
    store,
    clock,
    received,
    webhook,
    /** Answers all that is held, and holds nothing any more. */
    release: () => release(),
    clockReads: () => clockReads,
    sandbox,
    newSandbox,
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
    /** Sends a form as a page of the service does. */
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
      await app.close()
      await store.close()
      await database.remove()
    },
  }
}

export type SandboxApp = Awaited<ReturnType<typeof startSandbox>>

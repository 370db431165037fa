import { join } from 'node:path'
import { type Fault, Sandbox, type SandboxApi, startApi, type WebhookEndpoint } from '@placard/sandbox'
import type { Env } from '../../src/platform/config/settings.ts'
import { type Form, nested } from './form-fields.ts'
import { NOON, type TestService } from './service.ts'
import { type StripeEvent, WEBHOOK_SECRET } from './stripe-events.ts'

export const SECRET_KEY = 'sk_live_of_the_tests_51Hq'

interface HeardRequest {
  method: string
  path: string
  headers: Record<string, string | string[] | undefined>
  form: Form
}

/**
 * The sandbox in the part of a Stripe that tells of real money. It delivers nothing: tests deliver its events.
 *
 * @param options.livemode what its payment pages say of their money
 */
export async function startStripeApi({ clock = () => NOON, livemode = true } = {}) {
  const heard: HeardRequest[] = []
  const sandbox = new Sandbox({
    file: ':memory:',
    baseUrl: () => 'https://checkout.stripe.com',
    webhook: { url: () => 'http://127.0.0.1:1/', secret: WEBHOOK_SECRET },
    clock,
    livemode,
  })
  const listen = (port: number): Promise<SandboxApi> =>
    startApi(sandbox, {
      secretKey: SECRET_KEY,
      port,
      webhookEndpoints: () => api.webhookEndpoints,
      onRequest({ form, ...request }): Fault | undefined {
        heard.push({ ...request, form: nested(form) })
        if (api.mood !== 'well') return api.mood
        return api.refuseExpiry && request.path.endsWith('/expire') ? 'refused' : undefined
      },
    })
  let listening = await listen(0)
  const { url } = listening
  const session = (id: string) => {
    const found = sandbox.findSession(id)
    if (!found) throw new Error(`no session ${id}`)
    return found
  }
  const api = {
    url,
    /** The settings of a service that asks this API. */
    env: {
      PAYMENTS: 'stripe',
      STRIPE_SECRET_KEY: SECRET_KEY,
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      STRIPE_API_URL: url,
    } satisfies Env,
    sandbox,
    /** Every request so far. */
    heard: heard as readonly HeardRequest[],
    /** Where it says that it sends events. */
    webhookEndpoints: [] as WebhookEndpoint[],
    /** How requests are answered. */
    mood: 'well' as 'well' | Fault,
    /** Refuses to close any session, also an open one. */
    refuseExpiry: false,
    session,
    /** A person pays. @returns the event that Stripe then sends */
    async complete(id: string): Promise<StripeEvent> {
      if (!(await sandbox.act(id, { name: 'pay' }, 'by_hand'))) {
        throw new Error(`session ${id} is ${session(id).status}`)
      }
      const [event] = sandbox.eventsOf({ id })
      return JSON.parse(event?.payload ?? '')
    },
    /** Refuses connections from now on, until `comeBack`. */
    goDown: () => listening.close(),
    async comeBack() {
      listening = await listen(Number(new URL(url).port))
    },
    async close() {
      await listening.close()
      await sandbox.close()
    },
  }
  return api
}

export type StripeApi = Awaited<ReturnType<typeof startStripeApi>>

/** Opens what the sandbox of a service has stored, to look at it. */
export const openSandbox = ({ database, url }: TestService) =>
  new Sandbox({
    file: join(database.dataDir, 'sandbox.db'),
    baseUrl: () => url,
    webhook: { url: () => url, secret: '' },
  })

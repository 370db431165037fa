import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Sandbox, type SandboxOptions, sandboxPages, startApi } from '@placard/sandbox'
import type { FastifyBaseLogger } from 'fastify'
import { WEBHOOK_PATH } from './domain/payments/webhook.ts'
import type { Config, StripeConfig } from './platform/config/config.ts'
import type { Links } from './platform/http/links.ts'
import { Secret } from './platform/lib/secret.ts'

/**
 * Starts the sandbox, which replaces Stripe, in this process. Its API has its own loopback port, because Stripe's
 * client takes a host and a port but no path. Its pages are mounted in the service, so that a browser needs only one
 * address.
 */
export async function startSandbox(
  { dataDir, sandboxFrom }: Pick<Config, 'dataDir' | 'sandboxFrom'>,
  { links, serviceKey, clock }: { links: Links; serviceKey: Secret; clock: () => number },
) {
  const webhookSecret = webhookSecretFrom(serviceKey)
  const sandbox = openIn(dataDir, {
    baseUrl: () => links.base,
    webhook: { url: () => links.base + WEBHOOK_PATH, secret: webhookSecret },
    clock,
    from: sandboxFrom,
  })
  // Only this process knows it, and the next start makes another.
  const secretKey = `sk_test_${randomBytes(24).toString('hex')}`
  const api = await startApi(sandbox, { secretKey })
  const account: StripeConfig = {
    name: 'sandbox',
    secretKey: new Secret(Buffer.from(secretKey)),
    webhookSecret: new Secret(Buffer.from(webhookSecret)),
    apiUrl: api.url,
  }
  return {
    account,
    pages: sandboxPages(sandbox),
    /** Starts to deliver events. Call it after the service listens. */
    start: (log: FastifyBaseLogger) => sandbox.start(log),
    async close(): Promise<void> {
      await api.close()
      await sandbox.close()
    },
  }
}

function openIn(dataDir: string, options: Omit<SandboxOptions, 'file'>): Sandbox {
  const file = join(dataDir, 'sandbox.db')
  try {
    return new Sandbox({ ...options, file })
  } catch (error) {
    throw new Error(`DATA_DIR ${dataDir} cannot store sandbox.db: ${(error as Error).message}`)
  }
}

/** Derived, so that it needs no setting, and processes that share a database agree. It looks like Stripe's. */
const webhookSecretFrom = (serviceKey: Secret): string =>
  `whsec_${serviceKey.derive('placard sandbox webhook').reveal().toString('base64url')}`

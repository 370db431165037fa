import type { FastifyInstance } from 'fastify'
import { type AppDependencies, buildApp } from './app.ts'
import type { Config } from './config.ts'
import { createPageFetcher } from './destinations/fetch-page.ts'
import { Links } from './http/links.ts'
import { pageRules } from './review/page-rules.ts'
import { loadServiceKey } from './service-key.ts'
import { openStore } from './storage/open.ts'
import { VERSION } from './version.ts'

export interface RunningService {
  app: FastifyInstance
  /** The port it listens on, also where `PORT=0` let the system pick. */
  port: number
  /** Finishes what is under way, then closes the store. */
  stop(): Promise<void>
}

/**
 * Starts the service on real parts.
 *
 * @param replaced parts that a benchmark or a test sets: the clock, or the page fetcher
 * @throws Error in one line when a setting, the store or the port cannot be used
 */
export async function startService(
  config: Config,
  replaced: Partial<Pick<AppDependencies, 'clock' | 'fetchPage'>> = {},
): Promise<RunningService> {
  const links = new Links(config)
  const serviceKey = loadServiceKey(config)
  const store = await openStore(config)
  const fetchPage = createPageFetcher({
    dnsServers: config.dnsServers,
    connectTo: config.connectTo,
    links,
    version: VERSION,
  })
  const app = await buildApp({
    config,
    links,
    store,
    serviceKey,
    clock: Date.now,
    fetchPage,
    reviewers: [pageRules],
    ...replaced,
  })
  app.addHook('onClose', () => store.close())
  if (config.connectTo.length > 0) {
    app.log.warn(
      { connectTo: config.connectTo },
      'FETCH_CONNECT_TO is set: the page fetcher skips DNS and the address check for these hosts. Never set it in production.',
    )
  }
  if (config.port !== 0) links.listeningOn(config.host, config.port)
  try {
    await app.listen({
      host: config.host,
      port: config.port,
      listenTextResolver: address => `listening on ${address}`,
    })
  } catch (error) {
    await app.close()
    throw new Error(
      `HOST ${config.host} PORT ${config.port} cannot be listened on: ${(error as Error).message}`,
    )
  }
  const port = (app.server.address() as { port: number }).port
  links.listeningOn(config.host, port)
  app.log.info(
    { url: links.base, port, engine: store.engine },
    `Placard ${VERSION} is ready at ${links.base}`,
  )
  return { app, port, stop: () => app.close() }
}

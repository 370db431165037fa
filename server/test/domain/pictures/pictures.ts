import type { RequestListener } from 'node:http'
import sharp from 'sharp'
import { parseDestination } from '../../../src/domain/destinations/destination.ts'
import { addListing } from '../../../src/domain/listings/add-listing.ts'
import { PictureMaker } from '../../../src/domain/pictures/picture-process.ts'
import { createGuardedFetcher } from '../../../src/domain/review/fetcher/guarded-fetcher.ts'
import { NO_METADATA } from '../../../src/domain/review/page.ts'
import { fetchPictures, PICTURE_FETCH_LIMITS } from '../../../src/ops/jobs/fetch-pictures.ts'
import type { Step } from '../../../src/ops/jobs/job.ts'
import { configFrom } from '../../../src/platform/config/config.ts'
import type { Env } from '../../../src/platform/config/settings.ts'
import type { Engine } from '../../../src/platform/db/tables/index.ts'
import { Links } from '../../../src/platform/http/links.ts'
import { migratedDatabase } from '../../support/engines.ts'
import { NOON } from '../../support/service.ts'
import { startSites } from '../../support/sites.ts'

export const MINUTE_MS = 60_000

const links = new Links({ baseUrl: 'http://our-board.com', supportUrl: undefined })

/** 1200×630: red above, green below. */
export const BANDS = Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630"><rect width="1200" height="630" fill="#0a0"/><rect width="1200" height="315" fill="#c00"/></svg>`,
)
export const image = () => sharp(BANDS)

export const sends =
  (body: Buffer | string, type = 'image/png', status = 200): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': type }).end(body)

/** What a test of the worker needs: a store, websites, a clock, and any number of workers. */
export async function startPictures(engine: Engine) {
  const sites = await startSites()
  const database = await migratedDatabase(engine)
  const store = await database.openStore()
  const clock = { now: NOON }
  const workers: Step[] = []
  const { connectTo } = configFrom({ ...database.env, FETCH_CONNECT_TO: sites.connectTo })

  return {
    sites,
    store,
    clock,
    database,
    /** @param dnsServers resolvers to ask, instead of directing everything to the sites */
    startWorker(dnsServers?: string[], env: Env = {}) {
      const fetcher = createGuardedFetcher({
        dnsServers: dnsServers ?? [],
        connectTo: dnsServers ? [] : connectTo,
        links,
        version: 'test',
        limits: PICTURE_FETCH_LIMITS,
      })
      const worker = fetchPictures.start({
        config: configFrom({ ...database.env, ...env }),
        fetchers: { pictures: fetcher },
        links,
        clock: () => clock.now,
        // With a lower priority, it would get little processor time beside other tests.
        maker: new PictureMaker(0, 200_000),
      })
      workers.push(worker)
      return {
        fetchDue: (signal = new AbortController().signal) => worker({ store, signal, isFirst: false }),
      }
    },
    /** Adds a listing whose page names an image. @returns its id */
    async list(name: string, imageUrl: string | null): Promise<number> {
      const destination = parseDestination(`http://${name}.com/`)
      const metadata = { ...NO_METADATA, title: name, imageUrl }
      const listing = await store.transact(trx => addListing(trx, destination, 'Design', metadata, clock.now))
      return listing?.id ?? 0
    },
    rowOf: (id: number) =>
      store.db.selectFrom('picture').selectAll().where('listingId', '=', id).executeTakeFirstOrThrow(),
    async stop() {
      for (const worker of workers) await worker.close?.()
      await store.close()
      await database.remove()
      await sites.close()
    },
  }
}

export type Pictures = Awaited<ReturnType<typeof startPictures>>

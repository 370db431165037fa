import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BODY_MAX_BYTES, CONTRACT_VERSION, DEFAULT_PUBLISH_LIMITS, DISPLAY_DAYS } from '@placard/contract'
import Fastify from 'fastify'
import type { Insertable } from 'kysely'
import { createPageFetcher } from '../../src/destinations/fetch-page.ts'
import { createGuardedFetcher } from '../../src/destinations/guarded-fetcher.ts'
import { replyToErrors } from '../../src/http/error-reply.ts'
import { acceptOnlyJson } from '../../src/http/json-body.ts'
import { Links } from '../../src/http/links.ts'
import { openapi } from '../../src/http/openapi.ts'
import { searchText } from '../../src/listings/search-text.ts'
import { Traffic } from '../../src/listings/traffic.ts'
import { createSiteProofChecker } from '../../src/ownership/check-site-proof.ts'
import { hashOf, ownerTokenText } from '../../src/ownership/owner-token.ts'
import { Sessions } from '../../src/ownership/session.ts'
import { pages } from '../../src/pages/routes.ts'
import { Sandbox } from '../../src/placement/processors/sandbox.ts'
import { pageRules } from '../../src/review/page-rules.ts'
import { Secret } from '../../src/secret.ts'
import { openStore } from '../../src/storage/open.ts'
import type { ListingTable } from '../../src/storage/schema.ts'
import type { Store } from '../../src/storage/store.ts'
import { daysMs } from '../../src/time.ts'

/** 6 September 2026, 12:00 UTC. */
export const NOON = Date.UTC(2026, 8, 6, 12)

interface Options {
  submissionsEndAt?: number
  supportUrl?: string
  baseUrl?: string
}

/** A small service with nothing but the pages, over a database of its own. */
export async function startPages({ submissionsEndAt, supportUrl, baseUrl }: Options = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'placard-pages-'))
  const store = await openStore({ databaseUrl: undefined, dataDir })
  const links = new Links({ baseUrl, supportUrl })
  const time = { now: NOON }
  const log: string[] = []
  const app = Fastify({
    bodyLimit: BODY_MAX_BYTES,
    logger: { level: 'trace', stream: { write: line => void log.push(line) } },
  })
  replyToErrors(app, links)
  acceptOnlyJson(app)
  await openapi(app, links)
  const serviceKey = new Secret(randomBytes(32))
  const clock = () => time.now
  const fetcher = createGuardedFetcher({ dnsServers: [], connectTo: [], links, version: 'test' })
  await app.register(pages, {
    links,
    store,
    serviceKey,
    sessions: new Sessions(serviceKey),
    processor: new Sandbox({ store, links, serviceKey, clock }),
    fetchPage: createPageFetcher(fetcher),
    checkSiteProof: createSiteProofChecker({ fetcher, dnsServers: [] }),
    traffic: new Traffic({ store, clock }),
    reviewers: [pageRules],
    limits: { ...DEFAULT_PUBLISH_LIMITS, quotesPerMinutePerIp: 120, checkoutsPerTenMinutesPerIp: 1000 },
    submissionsEndAt,
    clock,
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  links.listeningOn('127.0.0.1', port)

  return {
    url: `http://127.0.0.1:${port}`,
    links,
    store,
    /** Settable clock. */
    time,
    /** Every log line so far. */
    log,
    get: (path: string, headers: Record<string, string> = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { accept: 'text/html', ...headers },
        redirect: 'manual',
      }),
    post: (path: string, body: string, headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body, headers, redirect: 'manual' }),
    addListing: (fields: Partial<Insertable<ListingTable>> = {}) => addListing(store, links, fields),
    async close() {
      await app.close()
      await store.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

export type Pages = Awaited<ReturnType<typeof startPages>>

let places = 0

/** Adds a listing with its attempt and claim. @returns where it is shown and managed */
async function addListing(store: Store, links: Links, fields: Partial<Insertable<ListingTable>>) {
  const slug = fields.slug ?? `site-${randomUUID()}`
  const [requestId, claimId, token] = [randomUUID(), randomUUID(), new Secret(randomBytes(32))]
  await store.db
    .insertInto('attempt')
    .values({
      request_id: requestId,
      idempotency_key: randomUUID(),
      secret_hash: '00',
      fingerprint: '00',
      hostname: 'sunrise-bakery.com',
      client_hash: '00',
      day: '2026-09-06',
      nth_of_day: ++places,
      nth_of_client: places,
      nth_of_hostname: places,
      state: 'published',
      lease_id: null,
      lease_until: null,
      code: null,
      reason: null,
      detail: null,
      created_at: NOON,
      settled_at: NOON,
    })
    .execute()
  const said = {
    hostname: 'www.sunrise-bakery.com',
    title: 'Sunrise Bakery: bread and cake since 1987',
    description: 'Sourdough, rye and Saturday cinnamon rolls, baked in the old mill by the river.',
    ...fields,
  }
  const { id } = await store.db
    .insertInto('listing')
    .values({
      slug,
      destination_key: `v1 ${slug}`,
      url: 'https://www.sunrise-bakery.com/menu',
      category: 'Food & Drink',
      site_name: 'Sunrise Bakery',
      language: 'en',
      image_url: null,
      published_at: NOON,
      expires_at: NOON + daysMs(DISPLAY_DAYS),
      hidden_at: null,
      hidden_by: null,
      hidden_reason: null,
      ...said,
      search_text: searchText(said),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await store.db
    .insertInto('claim')
    .values({
      id: claimId,
      listing_id: id,
      request_id: requestId,
      approval_scope: 'free_listing_publish',
      rules_version: CONTRACT_VERSION,
      approved_at: NOON,
      destination_as_sent: 'https://www.sunrise-bakery.com/menu',
      link_version: 1,
      owner_token_hash: hashOf(token),
    })
    .execute()
  return {
    slug,
    claimId,
    token: ownerTokenText(token),
    publicPath: `/product/${slug}`,
    privatePath: `/manage/${claimId}`,
    privateLink: links.manage(claimId, ownerTokenText(token)),
  }
}

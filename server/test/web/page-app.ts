import { randomBytes, randomUUID } from 'node:crypto'
import { CONTRACT_VERSION } from '@placard/contract'
import type { Insertable } from 'kysely'
import { hashOf, ownerTokenText } from '../../src/domain/ownership/owner-token.ts'
import { addToVocabulary } from '../../src/domain/search/vocabulary.ts'
import type { Store } from '../../src/platform/db/store.ts'
import type { Database } from '../../src/platform/db/tables/index.ts'
import { Secret } from '../../src/platform/lib/secret.ts'
import { listingRow } from '../support/listing-row.ts'
import { NOON, startTestService } from '../support/service.ts'

/** The real service, with its database open, for tests that store what a page should show. */
export async function startPages(options?: Parameters<typeof startTestService>[0]) {
  const service = await startTestService(options)
  const store = await service.database.openStore()
  const { url, clock } = service
  return {
    url,
    store,
    database: service.database,
    /** Settable clock. */
    time: clock,
    get: (path: string, headers: Record<string, string> = {}) =>
      fetch(url + path, { headers: { accept: 'text/html', ...headers }, redirect: 'manual' }),
    post: (path: string, body: string, headers: Record<string, string>) =>
      fetch(url + path, { method: 'POST', body, headers, redirect: 'manual' }),
    addListing: (fields: Partial<Omit<Insertable<Database['listing']>, 'searchText'>> = {}) =>
      addListing(store, url, fields),
    /** Closes the database too, whatever opened it. */
    close: () => service.stop(),
  }
}

export type Pages = Awaited<ReturnType<typeof startPages>>

let places = 0

/** Adds a listing with its attempt and claim. @returns its public and its private page */
async function addListing(
  store: Store,
  url: string,
  fields: Partial<Omit<Insertable<Database['listing']>, 'searchText'>>,
) {
  const slug = fields.slug ?? `site-${randomUUID()}`
  const [requestId, claimId, token] = [randomUUID(), randomUUID(), new Secret(randomBytes(32))]
  // One transaction, since that is when search indexes a listing.
  await store.transact(async trx => {
    await trx
      .insertInto('attempt')
      .values({
        requestId,
        idempotencyKey: randomUUID(),
        secretHash: '00',
        fingerprint: '00',
        hostname: 'sunrise-bakery.com',
        clientHash: '00',
        day: '2026-11-21',
        nthOfDay: ++places,
        nthOfClient: places,
        nthOfHostname: places,
        state: 'published',
        leaseId: null,
        leaseUntil: null,
        code: null,
        reason: null,
        detail: null,
        createdAt: NOON,
        settledAt: NOON,
      })
      .execute()
    const row = listingRow({
      url: 'https://www.sunrise-bakery.com/menu',
      hostname: 'www.sunrise-bakery.com',
      category: 'Food & Drink',
      title: 'Sunrise Bakery: bread and cake since 1987',
      description: 'Sourdough, rye and Saturday cinnamon rolls, baked in the old mill by the river.',
      siteName: 'Sunrise Bakery',
      ...fields,
      slug,
    })
    const { id } = await trx.insertInto('listing').values(row).returning('id').executeTakeFirstOrThrow()
    await addToVocabulary(trx, row.searchText)
    await trx
      .insertInto('claim')
      .values({
        id: claimId,
        listingId: id,
        requestId,
        approvalScope: 'free_listing_publish',
        rulesVersion: CONTRACT_VERSION,
        approvedAt: NOON,
        destinationAsSent: 'https://www.sunrise-bakery.com/menu',
        linkVersion: 1,
        ownerTokenHash: hashOf(token),
      })
      .execute()
  })
  const privatePath = `/manage/${claimId}`
  return {
    slug,
    claimId,
    token: ownerTokenText(token),
    publicPath: `/product/${slug}`,
    privatePath,
    privateLink: `${url}${privatePath}#owner=${ownerTokenText(token)}`,
  }
}

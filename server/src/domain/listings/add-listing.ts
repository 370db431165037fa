import { hash, randomBytes } from 'node:crypto'
import { DISPLAY_DAYS } from '@placard/contract'
import { statement, together } from '../../platform/db/statement.ts'
import type { Trx } from '../../platform/db/store.ts'
import { daysMs } from '../../platform/lib/time.ts'
import type { Destination } from '../destinations/destination.ts'
import { wantPicture } from '../pictures/preview-image.ts'
import type { PageMetadata } from '../review/page.ts'
import { searchText } from '../search/entries.ts'
import { addToVocabulary, addWords, newWords } from '../search/vocabulary.ts'
import { slugFor } from './listing.ts'

/**
 * Adds the listing of a reviewed page.
 *
 * @param seen the snapshot of its page, as JSON, and when to recheck; without it, the first recheck is soon
 * @param writeMore writes what else belongs to it, at the same time
 * @returns undefined if the destination was listed in the meantime
 */
export async function addListing<More extends object>(
  trx: Trx,
  destination: Destination,
  category: string,
  metadata: PageMetadata,
  now: number,
  seen: { snapshot: string | null; lookAt: number } = { snapshot: null, lookAt: now },
  writeMore?: (listingId: number) => Promise<More>,
): Promise<({ id: number; slug: string; expiresAt: number } & More) | undefined> {
  const expiresAt = now + daysMs(DISPLAY_DAYS)
  const { hostname } = destination
  const fields = pageFields(metadata, { hostname, category })
  const listing = {
    destinationKey: destination.key,
    url: destination.url,
    hostname,
    category,
    ...fields,
    publishedAt: now,
    expiresAt,
    updatedAt: now,
  }
  const [[row], words] = await together([putUnderFreeSlug(trx, destination, listing), newWords(trx, fields.searchText)])
  if (!row) return undefined
  const [more] = await together([
    writeMore?.(row.id) as Promise<More>,
    addWords(trx, words),
    wantPicture(trx, row.id, metadata.imageUrl, now),
    putSeenPage(trx, { listingId: row.id, ...seen }),
  ])
  return { ...row, expiresAt, ...more }
}

const putListing = statement(
  {
    slug: 'text',
    destinationKey: 'text',
    url: 'text',
    hostname: 'text',
    category: 'text',
    publishedAt: 'bigint',
    expiresAt: 'bigint',
    updatedAt: 'bigint',
    title: 'text',
    description: 'text',
    siteName: 'text',
    language: 'text',
    imageUrl: 'text?',
    searchText: 'text',
  },
  (listing, db) =>
    db
      .insertInto('listing')
      .values(listing)
      .onConflict(conflict => conflict.doNothing())
      .returning(['id', 'slug']),
)

/**
 * Inserts a listing under the plain slug or, if another listing has that, under one with a suffix: derived from the
 * destination, and at last a random one, because anybody can calculate the other and list a page whose plain slug it is.
 *
 * @returns no row if the destination is listed already
 */
async function putUnderFreeSlug(
  trx: Trx,
  destination: Destination,
  listing: Omit<Parameters<typeof putListing>[1], 'slug'>,
): ReturnType<typeof putListing> {
  const put = (suffix?: string) => putListing(trx, { slug: slugFor(destination, suffix), ...listing })
  const plain = await put()
  if (plain.length > 0) return plain
  const derived = await put(hash('sha256', destination.key).slice(0, 12))
  return derived.length > 0 ? derived : put(randomBytes(6).toString('hex'))
}

const putSeenPage = statement({ listingId: 'bigint', snapshot: 'text?', lookAt: 'bigint' }, (seen, db) =>
  db.insertInto('seen_page').values(seen),
)

/** Returns what a listing copies from its page. A page without a title is named by its host name and category. */
export function pageFields(metadata: PageMetadata, listing: { hostname: string; category: string }) {
  const title = metadata.title || metadata.siteName || listing.hostname
  return { ...metadata, title, searchText: searchText({ ...metadata, title, ...listing }) }
}

/** Updates a listing, and the words of search, to what its page says now. */
export async function copyFromPage(
  trx: Trx,
  listingId: number,
  fields: ReturnType<typeof pageFields>,
  now: number,
): Promise<void> {
  await trx
    .updateTable('listing')
    .set({ ...fields, updatedAt: now })
    .where('id', '=', listingId)
    .execute()
  await addToVocabulary(trx, fields.searchText)
}

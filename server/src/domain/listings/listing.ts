import { type Selectable, sql } from 'kysely'
import { statement } from '../../platform/db/statement.ts'
import type { Db, Runner, Store, Trx } from '../../platform/db/store.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import { OWNER_PROOF } from '../../platform/db/tables/ownership.ts'
import type { ListingStatus } from '../../platform/db/tables/publishing.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { Destination } from '../destinations/destination.ts'
import { type DatedRow, datedColumns, joinPicture } from './listed-row.ts'

export type Listing = Selectable<Database['listing']>

/** Computes the status of a listing: hidden outranks expired. */
export function statusOf(listing: Pick<Listing, 'hiddenAt' | 'expiresAt'>, now: number): ListingStatus {
  if (listing.hiddenAt !== null) return 'unavailable'
  if (listing.expiresAt !== null && listing.expiresAt <= now) return 'expired'
  return 'published'
}

/** Returns the listing with this slug, in any status. */
export async function findListing(db: Db, slug: string): Promise<Listing | undefined> {
  if (!isSlug(slug)) return undefined
  return db.selectFrom('listing').selectAll().where('slug', '=', slug).executeTakeFirst()
}

/** Returns a listing that is about to change, locked against a concurrent change. SQLite has one writer anyway. */
export const lockListing = (trx: Trx, id: number): Promise<Listing> =>
  trx
    .selectFrom('listing')
    .selectAll()
    .where('id', '=', id)
    .$if(trx.engine === 'postgres', query => query.forNoKeyUpdate())
    .executeTakeFirstOrThrow()

/** Returns the listing with this slug, which is about to change, locked as by `lockListing`. */
export async function lockListingAt(trx: Trx, slug: string): Promise<Listing | undefined> {
  const found = await findListing(trx, slug)
  return found && lockListing(trx, found.id)
}

/** Returns whether a destination has a listing, in any status. */
export const isListed = async (runner: Runner, destinationKey: string): Promise<boolean> =>
  (await findListed(runner, destinationKey)) !== undefined

/** The name of a destination's listing, and what determines its status. */
export type Listed = Pick<Listing, 'slug' | 'expiresAt' | 'hiddenAt'>

export async function findListed(runner: Runner, destinationKey: string): Promise<Listed | undefined> {
  const [listed] = await withKey(runner, { destinationKey })
  return listed
}

const withKey = statement({ destinationKey: 'text' }, ({ destinationKey }, db) =>
  db.selectFrom('listing').select(['slug', 'expiresAt', 'hiddenAt']).where('destinationKey', '=', destinationKey),
)

/** Records that something outside of its row changed what the public sees of a listing: its picture, its proven owner. */
export const noteUpdate = (trx: Trx, listingId: number, now: number) =>
  trx.updateTable('listing').set({ updatedAt: now }).where('id', '=', listingId).execute()

/** A listing for its public page. */
export interface Product extends DatedRow, Pick<Listing, 'destinationKey' | 'url' | 'hiddenAt'> {
  /** An agent, whose customer approved in a browser if it was asked there; an owner without an agent; or a payment. */
  listedBy: 'agent' | 'agent_after_approval' | 'owner' | 'payment'
  /** The UTC day on which it was last drawn by lot; null if it never was. */
  drawnOn: string | null
}

const productOf = statement(
  { slug: 'text' },
  ({ slug }) => sql<Product>`
    select ${datedColumns}, "destinationKey", url, "hiddenAt",
      case when claim."requestId" is null then 'payment' when claim."approvalScope" = ${OWNER_PROOF} then 'owner'
        when claim.approval is null then 'agent' else 'agent_after_approval' end as "listedBy",
      (select max(day) from drawn_listing where drawn_listing."listingId" = listing.id) as "drawnOn"
    from listing ${joinPicture} left join claim on claim."listingId" = listing.id
    where slug = ${slug}`,
)

/** Returns what the public page of a listing shows, in any status. */
export async function findProduct(store: Store, slug: string): Promise<Product | undefined> {
  if (!isSlug(slug)) return undefined
  const [product] = await productOf(store, { slug })
  return product
}

/** Returns the listing at an address with its status. @throws Problem not_found */
export async function productAt(
  store: Store,
  slug: string,
  now: number,
): Promise<{ product: Product; status: ListingStatus }> {
  const product = await findProduct(store, slug)
  if (!product) throw new Problem('not_found')
  return { product, status: statusOf(product, now) }
}

const MAX_LENGTH = 60

/**
 * Returns a readable name for a listing's address, such as `sunrise-bakery-com-menu`.
 *
 * @param suffix distinguishes two destinations with the same name
 */
export function slugFor({ url, hostname }: Destination, suffix?: string): string {
  const { pathname } = new URL(url)
  const words = (hostname.replace(/^www\./, '') + pathname)
    .replace(/%[0-9A-F]{2}/gi, '-')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LENGTH)
    .replace(/^-|-$/g, '')
  return suffix === undefined ? words : `${words}-${suffix}`
}

/** Returns whether a part of an address can be a slug. Check before a query: PostgreSQL rejects a NUL in any text. */
export const isSlug = (text: string): boolean => /^[a-z0-9-]{1,200}$/.test(text)

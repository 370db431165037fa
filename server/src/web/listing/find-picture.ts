import { statusOf } from '../../listings/listing.ts'
import { isSlug } from '../../listings/slug.ts'
import type { Shared } from '../../pictures/placarded.ts'
import { statement } from '../../storage/statement.ts'
import type { Store } from '../../storage/store.ts'

/** A listing's picture, or what to draw one from. */
export interface Pictured extends Shared {
  /** The stored picture, or null. */
  bytes: Buffer | null
}

const pictureOfSlug = statement({ slug: 'text' }, ({ slug }, db) =>
  db
    .selectFrom('listing')
    .leftJoin('picture', 'picture.listingId', 'listing.id')
    .select(['title', 'hostname', 'category', 'language', 'hiddenAt', 'expiresAt', 'version', 'bytes'])
    .where('slug', '=', slug),
)

/** The picture of a published listing; `gone` if the listing is down, undefined if there is no such listing. */
export async function findPicture(
  store: Store,
  slug: string,
  now: number,
): Promise<Pictured | 'gone' | undefined> {
  if (!isSlug(slug)) return undefined
  const [row] = await pictureOfSlug(store, { slug })
  if (!row) return undefined
  return statusOf(row, now) === 'published' ? { ...row, isPaidPlace: row.expiresAt === null } : 'gone'
}

import { sql } from 'kysely'
import { statement } from '../storage/statement.ts'
import type { Store } from '../storage/store.ts'
import type { Listing } from './listing.ts'
import { isSlug } from './slug.ts'

/** A listing as its public page shows it. Its texts come from the web and are hostile. */
export interface Product
  extends Pick<
    Listing,
    | 'id'
    | 'slug'
    | 'destinationKey'
    | 'url'
    | 'hostname'
    | 'category'
    | 'title'
    | 'description'
    | 'language'
    | 'publishedAt'
    | 'expiresAt'
    | 'hiddenAt'
  > {
  /** Null where no picture of its own is stored. */
  pictureVersion: string | null
  /** 1 where an agent published it; 0 where it was listed by a payment, and so has no claim. */
  byAgent: number
}

const productOf = statement(
  { slug: 'text' },
  ({ slug }) => sql<Product>`
    select listing.id, slug, "destinationKey", url, hostname, category, title, description, language, "publishedAt",
      "expiresAt", "hiddenAt", picture.version as "pictureVersion",
      case when claim.id is null then 0 else 1 end as "byAgent"
    from listing
      left join picture on picture."listingId" = listing.id and picture.state = 'stored'
      left join claim on claim."listingId" = listing.id
    where slug = ${slug}`,
)

/** The listing of a public page's address, whatever its status. */
export async function findProduct(store: Store, slug: string): Promise<Product | undefined> {
  if (!isSlug(slug)) return undefined
  const [product] = await productOf(store, { slug })
  return product
}

import { sql } from 'kysely'
import { statement } from '../storage/statement.ts'
import type { Store } from '../storage/store.ts'
import type { Listing } from './listing.ts'
import { isSlug } from './slug.ts'

/** A listing for its public page. Its texts come from the web: treat them as hostile. */
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
  /** Null if no picture is stored. */
  pictureVersion: string | null
  /** 1 if an agent published it; 0 if a payment listed it, so that it has no claim. */
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

/** The listing with this slug, in any status, with what its public page shows. */
export async function findProduct(store: Store, slug: string): Promise<Product | undefined> {
  if (!isSlug(slug)) return undefined
  const [product] = await productOf(store, { slug })
  return product
}

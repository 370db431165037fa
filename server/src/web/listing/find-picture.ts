import { sql } from 'kysely'
import { statement } from '../../storage/statement.ts'
import type { Store } from '../../storage/store.ts'

const pictureOf = statement(
  { listingId: 'bigint' },
  ({ listingId }) => sql<{ bytes: Buffer }>`
    select bytes from picture where "listingId" = ${listingId} and state = 'stored'`,
)

/** The stored picture of a listing, or null. */
export async function findPicture(store: Store, listingId: number): Promise<Buffer | null> {
  const [row] = await pictureOf(store, { listingId })
  return row?.bytes ?? null
}

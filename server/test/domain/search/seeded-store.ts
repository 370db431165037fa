import { WEBSITES } from '../../../../examples/seed/listings.ts'
import { addListing } from '../../../src/domain/listings/add-listing.ts'
import { NO_METADATA } from '../../../src/domain/review/page.ts'
import type { Store, Trx } from '../../../src/platform/db/store.ts'
import { NOON } from '../../support/service.ts'

interface Said {
  host: string
  title: string
  description?: string
  category?: string
  language?: string
}

/** Lists a website as publishing does, in a transaction. @returns its id */
export async function list(
  trx: Trx,
  { host, title, description = '', category = 'Games', language = 'en' }: Said,
  now = NOON,
): Promise<number> {
  const destination = { key: `2:${host}`, url: `https://${host}/`, hostname: host }
  const page = { ...NO_METADATA, title, description, language }
  const listed = await addListing(trx, destination, category, page, now)
  return listed?.id ?? Number.NaN
}

/** Lists the websites of the seed. */
export async function listSeed(store: Store): Promise<void> {
  await store.transact(async trx => {
    for (const website of WEBSITES) await list(trx, website)
  })
}

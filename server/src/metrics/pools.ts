import type { GuardedFetcher } from '../fetcher/guarded-fetcher.ts'
import type { PageReaders } from '../review/page-readers.ts'
import type { Store } from '../storage/store.ts'
import type { Use } from './measured.ts'

export interface Pools {
  store: Store
  /** By purpose. */
  fetchers: Record<string, GuardedFetcher>
  readers: PageReaders
}

/** The use of everything that is limited, by name. */
export const usesOf = ({ store, fetchers, readers }: Pools): Record<string, Use> => ({
  ...store.pools(),
  ...Object.fromEntries(
    Object.entries(fetchers).map(([purpose, fetcher]) => [`fetcher_${purpose}`, fetcher.use()]),
  ),
  page_readers: readers.use(),
})

import type { Store } from '../db/store.ts'
import type { Links } from './links.ts'

/** What most routes of the API read from: the database, the addresses of the site, and the time. */
export interface SiteParts {
  links: Links
  store: Store
  clock: () => number
}

import type { Store } from '../platform/db/store.ts'
import type { Links } from '../platform/http/links.ts'

/** What most routes of the API read from: the database, the addresses of the site, and the time. */
export interface SiteParts {
  links: Links
  store: Store
  clock: () => number
}

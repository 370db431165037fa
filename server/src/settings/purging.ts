import { PURGE_APIS, type PurgeApi } from '../edge/purge-apis.ts'
import type { Row } from './row.ts'
import { fetchedAddress, oneOf, token } from './values.ts'

/** Who is told what changed: `docs/caching.md`. */
export const PURGING_SETTINGS = {
  PURGE_URL: {
    unset: 'none',
    meaning:
      'Where a cache in front of the service is told what changed. That cache may then hold pages longer, those of listings too.',
    parse: fetchedAddress,
  },
  PURGE_API: {
    default: 'cloudflare',
    meaning: `What PURGE_URL takes: ${Object.keys(PURGE_APIS).join(', ')}.`,
    parse: oneOf(Object.keys(PURGE_APIS) as [PurgeApi, ...PurgeApi[]]),
  },
  PURGE_TOKEN: {
    unset: 'none',
    meaning: 'The secret by which PURGE_URL knows the service.',
    parse: token,
  },
} as const satisfies Record<string, Row>

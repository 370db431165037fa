import type { Row } from './row.ts'
import { addressAndPort, connectTo, listOf } from './values.ts'

/** How the guarded fetcher reaches websites. */
export const FETCHING_SETTINGS = {
  DNS_SERVERS: {
    unset: "the system's",
    meaning: 'Comma-separated `host:port` list of resolvers for the page fetcher.',
    parse: listOf(addressAndPort),
  },
  FETCH_CONNECT_TO: {
    unset: 'none',
    meaning:
      '`HOST1:PORT1:HOST2:PORT2,…`: connect to HOST2:PORT2 instead, without DNS or address check. Only for demos and tests.',
    parse: listOf(connectTo),
  },
} as const satisfies Record<string, Row>

import { sql } from 'kysely'
import type { Db } from '../../platform/db/store.ts'
import type { Listing } from '../listings/listing.ts'
import type { HostRange } from '../review/reviewers/blocked-hosts.ts'

/**
 * Returns the published listings of a host, newest first.
 *
 * @param host without `www.`
 * @param subdomains whether to include those of its subdomains
 */
export async function listingsOfHost(
  db: Db,
  { host, subdomains }: { host: string; subdomains: boolean },
  now: number,
  count: number,
): Promise<Listing[]> {
  const below = `%.${host}`
  const names = subdomains
    ? sql`hostname = ${host} or hostname like ${below}`
    : sql`hostname in (${host}, ${`www.${host}`})`
  // The index of the keys, which contain the host without www., is much smaller than the table.
  const { rows } = await sql<Listing>`
    select * from listing where (${names}) and "hiddenAt" is null and ("expiresAt" is null or "expiresAt" > ${now})
      and id in (select id from listing where "destinationKey" like ${`%${host}%`})
    order by id desc limit ${count}`.execute(db)
  return rows
}

/** Returns a host as text, with or without its subdomains. */
export const rangeText = ({ host, subdomains }: HostRange): string =>
  subdomains ? `${host} with its subdomains` : host

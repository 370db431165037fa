import type { ErrorCode, PublishLimits } from '@placard/contract'
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Destination } from '../destinations/destination.ts'
import { withoutWww } from '../destinations/hostname.ts'
import { clientHash, clientPrefix } from '../http/client-address.ts'
import { Problem } from '../http/problem.ts'
import type { ServiceKeys } from '../keys/service-keys.ts'
import type { AttemptTable } from '../storage/schema.ts'
import { statement } from '../storage/statement.ts'
import type { Store } from '../storage/store.ts'
import { secondsToMidnight, utcDay } from '../time.ts'

/** What a submission counts against: its client and its website. */
export interface CountedAs {
  hostname: string
  clientHash: string
}

/** The numbers of an attempt among those of its day: see docs/decisions/quota-places.md. */
export type Places = Pick<AttemptTable, 'nthOfClient' | 'nthOfHostname' | 'nthOfDay'>

export const countedAs = (
  request: FastifyRequest,
  destination: Destination,
  { newest }: ServiceKeys,
): CountedAs => ({
  hostname: withoutWww(destination.hostname),
  clientHash: clientHash(clientPrefix(request), newest.secret),
})

/** SQL for the places that the next attempt of a day takes. Each is found at the end of an index, a partial one for clients. */
export const nextPlaces = ({ day, clientHash, hostname }: CountedAs & { day: string }) => ({
  nthOfDay: sql<number>`(select coalesce(max("nthOfDay"), 0) + 1 from attempt where day = ${day})`,
  nthOfClient: sql<number>`(
    select coalesce(max("nthOfClient"), 0) + 1 from attempt
    where day = ${day} and "clientHash" = ${clientHash} and "clientHash" <> ''
  )`,
  nthOfHostname: sql<number>`(
    select coalesce(max("nthOfHostname"), 0) + 1 from attempt where day = ${day} and hostname = ${hostname}
  )`,
})

/** The places that an attempt would take now. Reserves nothing. */
export async function readNextPlaces(store: Store, from: CountedAs, now: number): Promise<Places> {
  const [places] = await placesOf(store, { ...from, day: utcDay(now) })
  return places as Places
}

const placesOf = statement({ hostname: 'text', clientHash: 'text', day: 'text' }, (from, db) => {
  const { nthOfDay, nthOfClient, nthOfHostname } = nextPlaces(from)
  return db.selectNoFrom([
    nthOfDay.as('nthOfDay'),
    nthOfClient.as('nthOfClient'),
    nthOfHostname.as('nthOfHostname'),
  ])
})

/** The error for an attempt at places past a limit, which also says what is left; undefined if it is within all. */
export function quotaProblem(places: Places, limits: PublishLimits, now: number): Problem | undefined {
  const code = quotaPast(places, limits)
  if (!code) return undefined
  const left = attemptsLeft(places, limits)
  const detail = `New submissions left today: ${left.newAttemptsPerDayPerIp} of ${limits.newAttemptsPerDayPerIp} for this address, ${left.newAttemptsPerDayPerHost} of ${limits.newAttemptsPerDayPerHost} for this website, ${left.newAttemptsPerDayGlobal} of ${limits.newAttemptsPerDayGlobal} in all.`
  return new Problem(code, { detail, retryAfterSeconds: secondsToMidnight(now) })
}

function quotaPast(places: Places, limits: PublishLimits): ErrorCode | undefined {
  if (places.nthOfClient > limits.newAttemptsPerDayPerIp) return 'quota_ip'
  if (places.nthOfHostname > limits.newAttemptsPerDayPerHost) return 'quota_host'
  if (places.nthOfDay > limits.newAttemptsPerDayGlobal) return 'quota_global'
  return undefined
}

/** How many attempts each quota still allows, counting the one that takes these places. */
export const attemptsLeft = (places: Places, limits: PublishLimits) => ({
  newAttemptsPerDayPerIp: Math.max(0, limits.newAttemptsPerDayPerIp - places.nthOfClient + 1),
  newAttemptsPerDayPerHost: Math.max(0, limits.newAttemptsPerDayPerHost - places.nthOfHostname + 1),
  newAttemptsPerDayGlobal: Math.max(0, limits.newAttemptsPerDayGlobal - places.nthOfDay + 1),
})

import type { CheckLimits, ErrorCode, PublishLimits } from '@placard/contract'
import type { FastifyRequest } from 'fastify'
import { type Selectable, sql } from 'kysely'
import { networkMax } from '../../platform/config/limits.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Runner, Store, Trx } from '../../platform/db/store.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import { clientHash, clientNetworks } from '../../platform/http/client-address.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { Allowances, Counter } from '../../platform/http/rate-limits/counter.ts'
import { daysMs, secondsToMidnight, utcDay } from '../../platform/lib/time.ts'
import type { Destination } from '../destinations/destination.ts'
import { withoutWww } from '../destinations/hostname.ts'
import type { ServiceKeys } from '../ownership/service-keys/service-keys.ts'

/** What a submission counts against: its website, its client and the client's broadest network. */
export interface CountedAs {
  hostname: string
  clientHash: string
  networkHash: string
}

/** The numbers of an attempt among those of its day: see docs/decisions/limits-and-quotas.md. */
export type Places = Pick<
  Selectable<Database['attempt']>,
  'nthOfClient' | 'nthOfNetwork' | 'nthOfHostname' | 'nthOfDay'
> & {
  /** Whether the client's network has tried the hostname before on that day. */
  hasTried: boolean
}

export const countedAs = (
  request: FastifyRequest,
  destination: Pick<Destination, 'hostname'>,
  { newest }: ServiceKeys,
): CountedAs => {
  const networks = clientNetworks(request)
  return {
    hostname: withoutWww(destination.hostname),
    clientHash: clientHash(networks.at(-1) as string, newest.secret),
    networkHash: clientHash(networks[0] as string, newest.secret),
  }
}

/** Excludes other reservations until the transaction ends. On SQLite, a transaction excludes all others anyway. */
export const lockQuotas = async (trx: Trx) => (trx.engine === 'postgres' ? takeLock(trx, {}) : [])

/** Any number that is the same on every instance. It names PostgreSQL's lock for reservations. */
const QUOTA_LOCK = 7_526_310
const takeLock = statement({}, () => sql`select pg_advisory_xact_lock(${sql.lit(QUOTA_LOCK)})`)

/**
 * SQL for the places of a day's next attempt. Each is found at the end of an index; the index for clients and networks
 * is partial.
 */
export const nextPlaces = ({ day, clientHash, networkHash, hostname }: CountedAs & { day: string }) => ({
  nthOfDay: sql<number>`(select coalesce(max("nthOfDay"), 0) + 1 from attempt where day = ${day})`,
  nthOfClient: sql<number>`(
    select coalesce(max("nthOfClient"), 0) + 1 from attempt
    where day = ${day} and "clientHash" = ${clientHash} and "clientHash" <> ''
  )`,
  nthOfNetwork: sql<number>`(
    select coalesce(max("nthOfNetwork"), 0) + 1 from attempt
    where day = ${day} and "networkHash" = ${networkHash} and "networkHash" <> ''
  )`,
  nthOfHostname: sql<number>`(
    select coalesce(max("nthOfHostname"), 0) + 1 from attempt where day = ${day} and hostname = ${hostname}
  )`,
})

/** Returns the places that an attempt would take now. Reserves nothing. */
export async function readNextPlaces(store: Store, from: CountedAs, now: number): Promise<Places> {
  const today = { ...from, day: utcDay(now) }
  const [places] = await placesOf(store, today)
  return { ...(places as Omit<Places, 'hasTried'>), hasTried: await hasTriedHost(store, today) }
}

const FROM = { hostname: 'text', clientHash: 'text', networkHash: 'text', day: 'text' } as const

const placesOf = statement(FROM, (from, db) => {
  const { nthOfDay, nthOfClient, nthOfNetwork, nthOfHostname } = nextPlaces(from)
  return db.selectNoFrom([
    nthOfDay.as('nthOfDay'),
    nthOfClient.as('nthOfClient'),
    nthOfNetwork.as('nthOfNetwork'),
    nthOfHostname.as('nthOfHostname'),
  ])
})

/** Returns whether a network has tried a hostname on a day, other than by the attempt `requestId`. */
export async function hasTriedHost(
  runner: Runner,
  { day, hostname, networkHash, requestId = '' }: CountedAs & { day: string; requestId?: string },
): Promise<boolean> {
  return (await triesOf(runner, { day, hostname, networkHash, requestId })).length > 0
}

const triesOf = statement(
  { day: 'text', hostname: 'text', networkHash: 'text', requestId: 'text' },
  ({ day, hostname, networkHash, requestId }, db) =>
    db
      .selectFrom('attempt')
      .select('requestId')
      .where('day', '=', day)
      .where('hostname', '=', hostname)
      .where('networkHash', '=', networkHash)
      .where('requestId', '<>', requestId)
      .limit(1),
)

/** Returns the error for an attempt at places past a limit, with what is left; undefined if it is within all. */
export function quotaProblem(places: Places, limits: PublishLimits, now: number): Problem | undefined {
  const code = quotaPast(places, limits)
  if (!code) return undefined
  const left = attemptsLeft(places, limits)
  const [perAddress, perNetwork] = [limits.newAttemptsPerDayPerIp, networkMax(limits)]
  const detail = `New submissions left today: ${leftOf(perAddress, places.nthOfClient)} of ${perAddress} for this address, ${leftOf(perNetwork, places.nthOfNetwork)} of ${perNetwork} for its network, ${left.newAttemptsPerDayPerHost} of ${limits.newAttemptsPerDayPerHost} for this website, ${left.newAttemptsPerDayGlobal} of ${limits.newAttemptsPerDayGlobal} in all.`
  return new Problem(code, { detail, retryAfterSeconds: secondsToMidnight(now) })
}

function quotaPast(places: Places, limits: PublishLimits): ErrorCode | undefined {
  if (places.nthOfClient > limits.newAttemptsPerDayPerIp) return 'quota_ip'
  if (places.nthOfNetwork > networkMax(limits)) return 'quota_ip'
  if (places.nthOfHostname > hostMax(places, limits)) return 'quota_host'
  if (places.nthOfDay > limits.newAttemptsPerDayGlobal) return 'quota_global'
  return undefined
}

/**
 * The last place of a website is reserved for a network that has not tried it yet, so that no one can use up a rival's
 * day.
 */
const hostMax = ({ hasTried }: Places, { newAttemptsPerDayPerHost }: PublishLimits): number =>
  hasTried ? Math.max(1, newAttemptsPerDayPerHost - 1) : newAttemptsPerDayPerHost

/** Returns how many attempts each quota still allows, counting the one that takes these places. */
export const attemptsLeft = (places: Places, limits: PublishLimits) => ({
  newAttemptsPerDayPerIp: Math.min(
    leftOf(limits.newAttemptsPerDayPerIp, places.nthOfClient),
    leftOf(networkMax(limits), places.nthOfNetwork),
  ),
  newAttemptsPerDayPerHost: leftOf(hostMax(places, limits), places.nthOfHostname),
  newAttemptsPerDayGlobal: leftOf(limits.newAttemptsPerDayGlobal, places.nthOfDay),
})

const leftOf = (max: number, nth: number): number => Math.max(0, max - nth + 1)

/** The daily quotas of checks, counted like rates: a restart may reset them (docs/decisions/limits-and-quotas.md). */
export class CheckQuotas {
  readonly #ofClient: Counter
  readonly #ofWebsite: Counter
  /**
   * The last check of a website, reserved for a network that has not checked it yet that day. There is none if the
   * limit is one.
   */
  readonly #kept: Counter | undefined
  /** The networks that have checked a website. */
  readonly #tried: Counter

  constructor(allowances: Allowances, { checksPerDayPerIp, checksPerDayPerHost }: CheckLimits) {
    // Each key contains the day, so a window never extends into the next.
    const daily = (name: string, max: number) => allowances.of({ name, max, windowMs: daysMs(1) })
    const kept = checksPerDayPerHost > 1 ? 1 : 0
    this.#ofClient = daily('checksPerDayPerIp', checksPerDayPerIp)
    this.#ofWebsite = daily('checksPerDayPerHost', checksPerDayPerHost - kept)
    this.#kept = kept ? daily('keptChecksPerDayPerHost', kept) : undefined
    this.#tried = daily('checkedHostPerNetwork', 1)
  }

  /** Counts a check. @throws Problem check_quota_ip or check_quota_host; then nothing is counted */
  async take(from: CountedAs, now: number): Promise<void> {
    const { client, website, pair } = keysOf(from, now)
    const wait = { retryAfterSeconds: secondsToMidnight(now) }
    if ((await this.#ofClient.count(client)).isRefused) throw new Problem('check_quota_ip', wait)
    const isFirst = !(await this.#tried.count(pair)).isRefused
    if (!(await this.#ofWebsite.count(website)).isRefused) return
    const kept = isFirst && (await this.#kept?.count(website))
    if (kept && !kept.isRefused) return
    this.#ofClient.uncount(client)
    throw new Problem('check_quota_host', wait)
  }

  /** Returns how many checks a client and a website have left today, as far as this process knows. */
  async left(from: CountedAs, now: number): Promise<CheckLimits> {
    const { client, website, pair } = keysOf(from, now)
    const isFirst = (await this.#tried.left(pair)) > 0
    const kept = (isFirst && (await this.#kept?.left(website))) || 0
    return {
      checksPerDayPerIp: await this.#ofClient.left(client),
      checksPerDayPerHost: (await this.#ofWebsite.left(website)) + kept,
    }
  }
}

function keysOf({ clientHash, networkHash, hostname }: CountedAs, now: number) {
  const day = utcDay(now)
  return {
    client: `${day} ${clientHash}`,
    website: `${day} ${hostname}`,
    pair: `${day} ${networkHash} ${hostname}`,
  }
}

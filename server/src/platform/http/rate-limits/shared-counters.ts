import { createHmac } from 'node:crypto'
import { CompiledQuery } from 'kysely'
import type { Store } from '../../db/store.ts'
import type { Secret } from '../../lib/secret.ts'
import { type Ask, type Lease, type LeaseStore, SPARE_PARTS } from './lease-store.ts'

/** From a worker to its primary, and back. */
export interface AskMessage {
  asks: readonly Ask[]
  id: number
}
export interface LeaseMessage {
  leases: readonly Lease[]
  id: number
}

/** The shared counter of this process's primary, over the channel between the two. */
export class PrimaryLeaseStore implements LeaseStore {
  readonly #waiting = new Map<number, (leases: readonly Lease[]) => void>()
  #last = 0

  constructor() {
    process.on('message', ({ leases, id }: Partial<LeaseMessage>) => {
      if (!leases || id === undefined) return
      this.#waiting.get(id)?.(leases)
      this.#waiting.delete(id)
    })
  }

  lease(asks: readonly Ask[]): Promise<readonly Lease[]> {
    const id = ++this.#last
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, resolve)
      process.send?.({ asks, id } satisfies AskMessage, undefined, undefined, error => {
        if (!error) return
        this.#waiting.delete(id)
        reject(error)
      })
    })
  }
}

/**
 * A shared counter in PostgreSQL, for any number of instances. Its table is not logged: a crash of the database empties
 * it, and no commit waits for the disk. Keys are stored as keyed hashes.
 */
export class DatabaseLeaseStore implements LeaseStore {
  readonly #store: Store
  readonly #key: Secret

  /** @param serviceKey the same on all instances */
  constructor(store: Store, serviceKey: Secret) {
    this.#store = store
    this.#key = serviceKey.derive('placard allowances')
  }

  async lease(asks: readonly Ask[]): Promise<readonly Lease[]> {
    const hashes = asks.map(ask => this.#hashOf(ask))
    const { rows } = await this.#store.executeQuery<Lease & { key: string }>(
      CompiledQuery.raw(LEASE, [
        hashes,
        asks.map(ask => ask.wanted),
        asks.map(ask => ask.spent),
        asks.map(ask => ask.max),
        asks.map(ask => ask.windowMs),
      ]),
    )
    const leases = new Map(rows.map(row => [row.key, row]))
    const missing = hashes.filter(hash => !leases.has(hash))
    if (missing.length === 0) return hashes.map(hash => leases.get(hash) as Lease)
    // New clients.
    await this.#store.executeQuery(CompiledQuery.raw(INSERT, [missing]))
    const others = await this.lease(asks.filter((_, index) => !leases.has(hashes[index] as string)))
    return hashes.map(hash => leases.get(hash) ?? (others[missing.indexOf(hash)] as Lease))
  }

  #hashOf({ name, key }: Ask): string {
    return createHmac('sha256', this.#key.reveal()).update(`${name} ${key}`).digest('hex').slice(0, 32)
  }
}

/** Always in the same order, so that two instances never deadlock. */
const INSERT = `
  insert into allowance_window (key, "endsAt", granted, spare)
  select key, 0, 0, 0 from unnest($1::text[]) as ask (key) order by key
  on conflict do nothing`

/**
 * Does the same as `nextLease`, for many windows at once. A window that has ended begins again. So does a window that
 * ends too late, because the clock was set back. A statement that began later can have begun a window while this one
 * waited for the row, so "too late" means more than twice the length of a window.
 */
const LEASE = `
  with held as (
    select key, "endsAt", granted, held.spare, wanted, spent, max, "windowMs", now,
      "endsAt" > now and "endsAt" <= now + 2 * "windowMs" as "isOpen"
    from allowance_window as held
      cross join (select floor(extract(epoch from statement_timestamp()) * 1000)::bigint as now) as clock
      join unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
        as ask (key, wanted, spent, max, "windowMs") using (key)
    order by key for update of held
  ), begun as (
    select key, now, wanted, max,
      case when "isOpen" then "endsAt" else now + "windowMs" end as "endsAt",
      case when "isOpen" then granted else 0 end as granted,
      case when "isOpen" then greatest(0, spare - spent) else 0 end as spare
    from held
  ), sized as (
    select begun.*,
      greatest(0, least(wanted + (greatest(0, max / ${SPARE_PARTS} - spare) + 1) / 2, max - granted)) as next
    from begun
  )
  update allowance_window as kept set
    "endsAt" = sized."endsAt",
    granted = sized.granted + next,
    spare = sized.spare + greatest(0, next - wanted)
  from sized where kept.key = sized.key
  returning kept.key, next as granted, greatest(0, next - wanted) as spare,
    greatest(0, max - kept.granted) as left, kept."endsAt" - now as "endsInMs"`

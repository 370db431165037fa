// @module-tag programs
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../../../../src/platform/db/store.ts'
import { type EmptyDatabase, migratedDatabase, SQLITE_FIRST } from '../../../support/engines.ts'
import { type ServiceProcess, startProcess } from '../../../support/process.ts'

/** Some steps. */
const REFUSED = 3000
const PUBLISHED = 200

describe.each(SQLITE_FIRST)('a service that deletes on %s', engine => {
  let database: EmptyDatabase
  let store: Store
  beforeEach(async () => {
    database = await migratedDatabase(engine)
    store = await database.openStore()
    await fill()
  })
  afterEach(() => database.remove())

  /** Attempts of January. */
  async function fill() {
    await sql`
      insert into attempt ("requestId", "idempotencyKey", "secretHash", fingerprint, hostname, "clientHash", day,
        "nthOfDay", "nthOfClient", "nthOfHostname", state, code, "createdAt", "settledAt")
      with recursive n(n) as (select 1 union all select n + 1 from n where n < ${sql.lit(REFUSED + PUBLISHED)})
      select 'r' || n, 'k' || n, 's', 'f', 'h' || n, 'client', '2026-01-01', n, n, 1,
        case when n > ${sql.lit(REFUSED)} then 'published' else 'rejected' end, 'review_rejected',
        ${sql.lit(Date.UTC(2026, 0, 1))}, ${sql.lit(Date.UTC(2026, 0, 1))} from n`.execute(store.db)
  }

  async function count(what: string) {
    const { rows } = await sql<{
      n: number
    }>`select count(*) as n from attempt where ${sql.raw(what)}`.execute(store.db)
    return Number(rows[0]?.n)
  }
  const refused = () => count("state = 'rejected'")
  const known = () => count('"clientHash" <> \'\'')

  /** Waits until so few are left. */
  async function untilAtMost(left: number) {
    await expect.poll(refused, { interval: 25 }).toBeLessThanOrEqual(left)
  }
  // The store was used before there was a service: its key has to be given.
  const start = () => startProcess({ SERVICE_KEY: '7'.repeat(64), ...database.env, LOG_LEVEL: 'info' })

  it('continues after it was killed, and ends in time when stopped', async () => {
    let service: ServiceProcess = await start()
    await untilAtMost(REFUSED - 400)
    await service.end('SIGKILL')
    const afterKill = await refused()
    expect(afterKill).toBeGreaterThan(0)
    // As if its lease had run out.
    await sql`update job set "heldUntil" = 0`.execute(store.db)

    service = await start()
    await untilAtMost(afterKill - 1)
    expect(await service.end('SIGTERM')).toBe(0)
    expect(await refused()).toBeLessThan(afterKill)

    const [one, other] = [await start(), await start()]
    await untilAtMost(0)
    await expect.poll(known, { interval: 25 }).toBe(0)
    expect([await refused(), await known(), await count("state = 'published'")]).toEqual([0, 0, PUBLISHED])
    await Promise.all([one.end('SIGTERM'), other.end('SIGTERM')])
    expect(one.output() + other.output()).not.toMatch(/"level":[3-6]0[^\n]*cannot be deleted/)
  })
})

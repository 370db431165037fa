import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Store, Trx } from '../../../src/platform/db/store.ts'
import { lastCommit } from '../../../src/platform/http/cached-replies.ts'
import { type EmptyDatabase, ENGINES, migratedDatabase } from '../../support/engines.ts'

const put = (trx: Trx, text: string) =>
  sql`insert into write_probe (id, filler) values (1, ${text})
    on conflict (id) do update set filler = excluded.filler`.execute(trx)

describe.each(ENGINES)('the last commit on %s', engine => {
  let database: EmptyDatabase
  let store: Store
  let other: Store
  beforeEach(async () => {
    database = await migratedDatabase(engine)
    store = await database.openStore()
    other = await database.openStore()
  })
  afterEach(() => database.remove())

  it('differs after each commit of any process, and otherwise stays the same', async () => {
    const seen = new Set([await lastCommit(store)])
    for (const [nth, by] of [store, other, store, other].entries()) {
      await by.transact(trx => put(trx, `tea ${nth}`))
      seen.add(await lastCommit(store))
    }
    expect(seen.size).toBe(5)
    // On PostgreSQL, commits of other tests on the same server count, too.
    const isSameTwice = async () => {
      const first = await lastCommit(store)
      await sql`select count(*) from write_probe`.execute(store.db)
      return (await lastCommit(store)) === first
    }
    if (engine === 'sqlite') expect(await isSameTwice()).toBe(true)
    else await expect.poll(isSameTwice).toBe(true)
  })

  it('is known to those who ask after it, even if others still wait for their answer', async () => {
    const before = await lastCommit(store)
    const early = lastCommit(store)
    await other.transact(trx => put(trx, 'tea'))
    expect(await lastCommit(store)).not.toBe(before)
    await early
  })
})

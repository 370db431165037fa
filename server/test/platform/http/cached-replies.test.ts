import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/platform/db/store.ts'
import { cachedReplies } from '../../../src/platform/http/cached-replies.ts'
import { type EmptyDatabase, migratedDatabase, SQLITE_FIRST } from '../../support/engines.ts'
import { NOON } from '../../support/service.ts'

describe.each(SQLITE_FIRST)('replies kept from a database on %s', engine => {
  let database: EmptyDatabase
  let store: Store
  let other: Store
  beforeEach(async () => {
    database = await migratedDatabase(engine)
    store = await database.openStore()
    other = await database.openStore()
  })
  afterEach(() => database.remove())

  let puts = 0
  /** Commits something in any case: writing what is there already is no change on SQLite. */
  const put = (by: Store, text: string) =>
    by.transact(trx =>
      sql`insert into write_probe (id, filler) values (1, ${text}), (2, ${String(++puts)})
        on conflict (id) do update set filler = excluded.filler`.execute(trx),
    )
  const stored = async () => {
    const { rows } = await sql<{ filler: unknown }>`select filler from write_probe where id = 1`.execute(store.db)
    return String(rows[0]?.filler ?? '')
  }

  /** Replies with what is stored. @param read runs before it is read, and what it returns after */
  function replies({ until = (_: number) => NOON + 1000, read = async () => {}, max = 2 } = {}) {
    let reads = 0
    const reply = cachedReplies(store, {
      name: 'test',
      keyOf: (subject: string) => subject,
      max,
      async read(_, now, failure) {
        reads++
        if (failure !== undefined) return { text: 'away', until: now }
        const text = await stored()
        await read()
        return { text, until: until(now) }
      },
    })
    const ask = async (now = NOON, subject = 'one') => (await reply(subject, now)).text
    const expectReads = (wanted: number) => {
      // On PostgreSQL, commits of other tests on the same server end them, too.
      if (engine === 'sqlite') expect(reads).toBe(wanted)
      else expect(reads).toBeGreaterThanOrEqual(wanted)
    }
    return { ask, reads: () => reads, expectReads }
  }

  it('are read again after a commit by this process or another, and at no other time', async () => {
    const { ask, reads, expectReads } = replies()
    for (const [nth, by] of [store, other, store, other].entries()) {
      await put(by, `text ${nth}`)
      expect(await ask()).toBe(`text ${nth}`)
      expect(await Promise.all([ask(), ask(), ask()])).toEqual(Array(3).fill(`text ${nth}`))
    }
    expectReads(4)
    const isKept = async () => {
      const before = reads()
      await ask()
      return reads() === before
    }
    await expect.poll(isKept).toBe(true)
  })

  it('are not kept under a later commit than their data', async () => {
    await put(store, 'before')
    const commits = [() => put(other, 'after')]
    const { ask } = replies({ read: async () => void (await commits.shift()?.()) })
    expect(await ask()).toBe('before')
    expect(await ask()).toBe('after')
    expect(await ask()).toBe('after')
  })

  it('are read for who asks after a commit, however many asked before and still wait', async () => {
    await put(store, 'before')
    const { promise: committed, resolve } = Promise.withResolvers<void>()
    const waits = [() => committed]
    const { ask } = replies({ read: async () => void (await waits.shift()?.()) })
    const early = Promise.all([ask(), ask()])
    await expect.poll(() => waits.length).toBe(0)
    await put(other, 'after')
    expect(await ask()).toBe('after')
    resolve()
    // On PostgreSQL, one of them may ask which commit was the last only after this one.
    expect(await early).toContain('before')
    expect(await ask()).toBe('after')
  })

  it('end when time changes them, and when the clock was set back', async () => {
    const { ask, expectReads } = replies()
    for (const now of [NOON, NOON + 999]) await ask(now)
    expectReads(1)
    for (const now of [NOON - 1, NOON]) await ask(now)
    expectReads(2)
    await ask(NOON + 1000)
    expectReads(3)
  })

  it('are not kept if they are already over, or could not be made', async () => {
    const over = replies({ until: now => now })
    for (let nth = 0; nth < 2; nth++) await over.ask()
    over.expectReads(2)
    const failures = [1, 2]
    const failing = replies({
      read: async () => {
        if (failures.pop() !== undefined) throw new Error('not now')
      },
    })
    await expect(failing.ask()).rejects.toThrow('not now')
    await expect(failing.ask()).rejects.toThrow('not now')
    expect(await failing.ask()).toBe(await failing.ask())
    failing.expectReads(3)
  })

  it('are a limited number, of subjects of their own', async () => {
    const { ask, expectReads } = replies()
    for (const subject of ['one', 'two', 'one', 'three', 'one']) await ask(NOON, subject)
    expectReads(3)
    await ask(NOON, 'two')
    expectReads(4)
  })

  it('are none while the database is unreachable: what is read then knows why', async () => {
    await put(store, 'there')
    const { ask } = replies()
    expect(await ask()).toBe('there')
    await store.close()
    expect(await ask()).toBe('away')
  })
})

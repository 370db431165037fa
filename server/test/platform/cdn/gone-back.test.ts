import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findListing } from '../../../src/domain/listings/listing.ts'
import { hideListing } from '../../../src/domain/moderation/moderate.ts'
import { Changes } from '../../../src/platform/cdn/changes.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { type EmptyDatabase, migratedDatabase, SQLITE_FIRST } from '../../support/engines.ts'
import { listingRow } from '../../support/listing-row.ts'
import { NOON } from '../../support/service.ts'

describe.each(SQLITE_FIRST)('what changed on public pages, on %s', engine => {
  let database: EmptyDatabase
  let store: Store
  let changes: Changes

  beforeEach(async () => {
    database = await migratedDatabase(engine)
    store = await database.openStore()
    await list('one', 'two')
    await hideListing(store, 'one', 'test', NOON)
    changes = new Changes()
    await changes.look(store)
  })
  afterEach(() => database.remove())

  const list = (...slugs: string[]) =>
    store.db
      .insertInto('listing')
      .values(slugs.map(slug => listingRow({ slug })))
      .execute()
  const look = async () => {
    const { acts, added, hasGoneBack } = await changes.look(store)
    return { acts: acts.map(({ slug }) => slug), added: added.length, hasGoneBack }
  }
  const NOTHING = { acts: [], added: 0, hasGoneBack: false }

  it('is reported once', async () => {
    expect(await look()).toEqual(NOTHING)
    await list('three')
    await hideListing(store, 'two', 'test', NOON)
    expect(await look()).toEqual({ acts: ['two'], added: 1, hasGoneBack: false })
    expect(await look()).toEqual(NOTHING)
  })

  it('is anything once a listing that was seen is gone, or another has its number', async () => {
    await list('three')
    await look()
    const id = (await findListing(store.db, 'three'))?.id as number
    await store.db.deleteFrom('listing').where('slug', '=', 'three').execute()
    expect(await look()).toEqual({ ...NOTHING, hasGoneBack: true })
    expect(await look()).toEqual(NOTHING)
    await store.db
      .insertInto('listing')
      .values({ ...listingRow({ slug: 'three' }), id })
      .execute()
    expect(await look()).toEqual({ ...NOTHING, added: 1 })
    await store.db.deleteFrom('listing').where('slug', '=', 'three').execute()
    await store.db
      .insertInto('listing')
      .values([
        { ...listingRow({ slug: 'other' }), id },
        { ...listingRow({ slug: 'later' }), id: id + 1 },
      ])
      .execute()
    expect(await look()).toEqual({ ...NOTHING, hasGoneBack: true })
  })

  it('is anything once a decision that was seen is gone', async () => {
    await hideListing(store, 'two', 'test', NOON)
    expect((await look()).acts).toEqual(['two'])
    await store.db.deleteFrom('decision').where('kind', '=', 'hide').execute()
    expect(await look()).toEqual({ ...NOTHING, hasGoneBack: true })
    expect(await look()).toEqual(NOTHING)
  })

  it('is reported completely, however many decisions there are within a minute', async () => {
    const [hidden] = await store.db.selectFrom('decision').selectAll().where('kind', '=', 'hide').execute()
    if (!hidden) throw new Error('nothing was hidden')
    // The id that is there is random, and must not be one of those.
    const first = hidden.id.at(-5) === 'f' ? 0xe0000 : 0xf0000
    const put = (from: number, count: number) =>
      store.db
        .insertInto('decision')
        .values(
          Array.from({ length: count }, (_, at) => ({
            ...hidden,
            id: `${hidden.id.slice(0, -5)}${(first + from + at).toString(16)}`,
          })),
        )
        .execute()
    for (let from = 0; from < 1500; from += 500) await put(from, 500)
    expect((await look()).acts).toHaveLength(1500)
    await put(1500, 1)
    expect((await look()).acts).toHaveLength(1)
  })
})

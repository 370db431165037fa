import { Migrator } from 'kysely/migration'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { search } from '../../src/listings/search.ts'
import { migrations } from '../../src/storage/migrations/index.ts'
import { openStore } from '../../src/storage/open.ts'
import { openPostgres } from '../../src/storage/postgres.ts'
import { openSqlite } from '../../src/storage/sqlite.ts'
import { type EmptyDatabase, ENGINES, emptyDatabase } from '../support/engines.ts'

const NOW = Date.UTC(2026, 10, 21, 12)

describe.each(ENGINES)('the index of search on %s', engine => {
  let database: EmptyDatabase
  beforeEach(async () => {
    database = await emptyDatabase(engine)
  })
  afterEach(() => database.remove())

  test('is made anew of listings from before it knew their scripts', async () => {
    const before = openAsIs()
    const provider = { getMigrations: async () => migrations(engine) }
    const { error } = await new Migrator({ db: before.db, provider }).migrateTo('0003-directory')
    expect(error).toBeUndefined()
    // More than are rewritten at once.
    const names = Array.from({ length: 1002 }, (_, place) => `n${place}`)
    const rows = [...names.map(name => listing(name)), listing('hidden', NOW)]
    await before.db.insertInto('listing').values(rows).execute()
    await before.close()

    const store = await openStore({ databaseUrl: database.env.DATABASE_URL, dataDir: database.dataDir })
    const find = async (words: string) => {
      const { listings } = await search(store, { words, now: NOW, limit: 2000 })
      return listings.map(({ slug }) => slug)
    }
    expect(await find('新聞')).toEqual(names.toReversed())
    expect([await find('αθηνας n500'), await find('n1001')]).toEqual([['n500'], ['n1001']])
    await store.db.updateTable('listing').set({ hidden_at: null }).where('slug', '=', 'hidden').execute()
    expect(await find('hidden 毎日')).toEqual(['hidden'])
    await store.close()
  })

  const openAsIs = () =>
    database.env.DATABASE_URL
      ? openPostgres(database.env.DATABASE_URL, { patient: true })
      : openSqlite(database.dataDir)

  const listing = (name: string, hidden_at: number | null = null) => ({
    slug: name,
    destination_key: name,
    url: '',
    hostname: `${name}.example`,
    category: 'Games',
    title: 'Αθήνας',
    description: '毎日新聞',
    site_name: '',
    language: '',
    published_at: NOW,
    hidden_at,
  })
})

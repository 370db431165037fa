import { SEARCH_MAX_LENGTH } from '@placard/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type SearchCursor, type SearchQuery, search } from '../../../src/domain/listings/search.ts'
import { RANKED_MAX } from '../../../src/domain/listings/search-matches.ts'
import { hideListing, restoreListing, withdrawListing } from '../../../src/domain/moderation/moderate.ts'
import { changeCategory } from '../../../src/domain/ownership/change-listing.ts'
import { shownQuery } from '../../../src/domain/search/query.ts'
import { ROWS_AT_ONCE } from '../../../src/ops/jobs/delete-old-rows.ts'
import { rebuildEntries } from '../../../src/ops/jobs/search-index.ts'
import { openStore } from '../../../src/platform/db/open.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { daysMs } from '../../../src/platform/lib/time.ts'
import { type EmptyDatabase, ENGINES, migratedDatabase } from '../../support/engines.ts'
import { NOON } from '../../support/service.ts'
import { list } from './seeded-store.ts'

describe.each(ENGINES)('search on %s', engine => {
  let database: EmptyDatabase
  let store: Store
  beforeAll(async () => {
    database = await migratedDatabase(engine)
    store = await openStore({ databaseUrl: database.env.DATABASE_URL, dataDir: database.dataDir })
  })
  afterAll(async () => {
    await store.close()
    await database.remove()
  })
  beforeEach(async () => {
    // Words stay when a listing goes, here as in life.
    await store.db.deleteFrom('decision').execute()
    await store.db.deleteFrom('picture').execute()
    await store.db.deleteFrom('listing').execute()
  })

  const add = (host: string, title: string, more: Partial<Parameters<typeof list>[1]> = {}, now = NOON) =>
    store.transact(trx => list(trx, { host, title, ...more }, now))
  const rowsOf = async (words: string, query: Partial<SearchQuery> = {}) =>
    (await search(store, { words, now: NOON, limit: 24, ...query })).rows
  /** The hosts that have every word. */
  const find = async (words: string, query: Partial<SearchQuery> = {}) =>
    (await rowsOf(words, query)).filter(({ missing }) => missing.length === 0).map(({ hostname }) => hostname)

  test('ranks the word itself above its forms, the title above other fields, the short title above the long', async () => {
    await add('a.com', 'Else', { description: 'Of lamps and a lamp.' })
    await add('b.com', 'Lampshades for everybody')
    await add('c.com', 'A lamp with very many other words behind it in a title that goes on and on')
    await add('d.com', 'Lamps')
    await add('e.com', 'Lamp')
    expect(await find('lamp')).toEqual(['e.com', 'd.com', 'c.com', 'b.com', 'a.com'])
  })

  test('orders by newest when asked to', async () => {
    await add('first.com', 'Lamp')
    await add('last.com', 'Else', { description: 'A lamp.' })
    expect(await find('lamp')).toEqual(['first.com', 'last.com'])
    expect(await find('lamp', { order: 'newest' })).toEqual(['last.com', 'first.com'])
  })

  test('finds the same by newest, page by page, as its filters count', async () => {
    await add('first.com', 'Letters')
    await add('far.com', 'Else', { description: 'One of many newsletters about whatever comes along.' })
    await add('last.com', 'Letters again')
    expect(await find('letters')).toEqual(['first.com', 'last.com'])
    const { rows, next, counts } = await search(store, { words: 'letters', now: NOON, limit: 1, order: 'newest' })
    expect([rows.map(({ hostname }) => hostname), counts.all]).toEqual([['last.com'], 2])
    expect(await find('letters', { order: 'newest', after: next })).toEqual(['first.com'])
  })

  test('narrows down by category and by language, whatever the region', async () => {
    await add('pt.com', 'Lamp', { category: 'Games', language: 'pt-BR' })
    await add('en.com', 'Lamp', { category: 'Design' })
    await add('none.com', 'Lamp', { category: 'Design', language: '' })
    expect((await find('lamp', { category: 'Design' })).sort()).toEqual(['en.com', 'none.com'])
    expect(await find('lamp', { language: 'pt' })).toEqual(['pt.com'])
    expect(await find('lamp', { language: 'pt', category: 'Design' })).toEqual([])
    expect(await find('lamp', { language: 'pt', category: 'Games', order: 'newest' })).toEqual(['pt.com'])
    expect(await find('design')).toEqual(['none.com', 'en.com'])
  })

  test('finds a word that was typed with an elided article, and leaves longer beginnings alone', async () => {
    await add('atelier.com', 'Un atelier')
    await add('art.com', 'Storia di arte')
    await add('todo.com', 'Jusqu’au bout, aujourd’hui')
    for (const typed of ['l’atelier', "l'atelier", "L'ATELIER", "d'un atelier", 'qu’un atelier', "(l'atelier)"])
      expect([typed, await find(typed)]).toEqual([typed, ['atelier.com']])
    expect(await find("d'arte")).toEqual(['art.com'])
    expect(await find("aujourd'hui jusqu'au")).toEqual(['todo.com'])
    // Nothing follows it, so it is no article, but a word that says little.
    expect(await find("atelier l'")).toEqual(['atelier.com'])
  })

  test.each([
    ['1.000 Rezepte', ['1000', '1,000', '1’000 Rezepte'], ['10000', '1.01']],
    ['Call 020 7946-0958', ['02079460958', '(020) 7946 0958', '020/7946/0958', '7946'], ['02079460959']],
    ['E-mail for two', ['email', 'e-mail', 'E‑Mail', 'mail'], ['e-male']],
    ['A C++ primer', ['c++', 'C++ primer', 'cplusplus'], ['c#', 'c♯']],
    ['Learn C#, slowly', ['c#', 'c♯', 'csharp'], ['c++']],
    ['Hosting (.NET only)', ['.net', 'dotnet', 'net'], ['.env']],
    ['Waving 👋🏽 back', ['👋', '👋🏿', '👋 back', 'back 👋'], ['🦀', '👋🦀', '👋 lamp']],
    ['Flags 🇫🇷', ['🇫🇷'], ['🇩🇪']],
    ['Sunny ☀️', ['☀', '☀️'], []],
    ['Die Straße', ['straße', 'STRASSE', 'strasse'], ['grasse']],
    ['שָׁלוֹם בית', ['שלום', 'שָׁלוֹם'], ['שלוה']],
    ['בית שלום', ['שלום', 'שָׁלוֹם'], []],
    ['كِتَابٌ جميل', ['كتاب', 'كِتَابٌ', 'كتـــاب'], []],
    ['أحمد', ['أحمد', 'احمد'], []],
    // As keyboards of Persian and Arabic write the same letters.
    ['کتاب فارسی', ['كتاب', 'فارسي', 'کتاب'], []],
    ['موسيقى عربي', ['موسیقی', 'عربی', 'عربى'], []],
    ['ﾗｰﾒﾝ ﾊﾟﾝ', ['ラーメン', 'パン', 'らーめん', 'ぱん'], ['はん']],
    ['東京のすし屋', ['すし', 'スシ', 'ｽｼ'], ['スミ']],
    ['Parfum de Grasse', ['grasse'], ['straße', 'strasse']],
    ['Developer', ['developers', 'develop'], ['vélo']],
    ['Steuererklärung', ['steuern', 'Steuer'], ['feuern']],
    ['Rezeptesammlung', ['sammlung'], ['samm']],
    ['Logfern', ['fern'], ['logs', 'gfer']],
  ])('finds “%s” by %j and not by %j', async (title, finding, others) => {
    await add('x.org', title)
    const found: string[] = []
    for (const typed of [...finding, ...others]) if ((await find(typed)).length > 0) found.push(typed)
    expect(found).toEqual(finding)
  })

  test('renews the entries of listings that were recorded as stale', async () => {
    await store.db.deleteFrom('search_stale').execute()
    await add('current.com', 'Shade')
    const id = await add('stale.com', 'Lamp 🦀')
    const old = await store.db.selectFrom('listing').select('searchText').orderBy('id').execute()
    const stale = store.db.updateTable('listing').set({ searchText: '¶lamp' })
    await stale.where('id', '=', id).execute()
    await store.db.insertInto('search_stale').values({ listingId: id }).execute()
    expect(await find('🦀')).toEqual([])
    expect([await rebuildEntries(store), await rebuildEntries(store)]).toEqual([1, 0])
    expect(await find('🦀')).toEqual(['stale.com'])
    expect(await store.db.selectFrom('listing').select('searchText').orderBy('id').execute()).toEqual(old)
  })

  test('says when it took words for typos, and not otherwise', async () => {
    await add('lantern.com', 'Hexlantern')
    const corrected = async (words: string) => {
      const { rows, isCorrected } = await search(store, { words, now: NOON, limit: 5 })
      return [rows.length, isCorrected]
    }
    expect(await corrected('hexlantern')).toEqual([1, false])
    expect(await corrected('lantern')).toEqual([1, false])
    for (const typo of [
      'hexlantren',
      'hexlantrn',
      'hxelantern',
      'hezlantern',
      'hexxlantern',
      'hexlntrn',
      'hexlamtarn',
    ]) {
      expect([typo, ...(await corrected(typo))]).toEqual([typo, 1, true])
    }
    // A forgotten letter is likelier than a wrong one, as “passord”, which is a word of our table.
    await add('keyring.com', 'Password manager')
    expect((await search(store, { words: 'pasword manager', now: NOON, limit: 5 })).corrected).toBe('password')
    expect(await corrected('hxlntrn')).toEqual([0, false])
    expect(await corrected('hexlantren qqqqqqq')).toEqual([0, false])
  })

  test.each(['relevance', 'newest'] as const)('pages once through all, by %s, while others come', async order => {
    for (let place = 0; place < 7; place++) await add(`n${place}.com`, place % 2 ? 'Lamp' : 'A lamp of ours')
    const seen: string[] = []
    let after: SearchCursor | undefined
    do {
      const page = await search(store, { words: 'lamp', now: NOON, limit: 2, order, after })
      seen.push(...page.rows.map(({ hostname }) => hostname))
      after = page.next
      await add(`late${seen.length}.com`, 'Lamp')
    } while (after)
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.filter(host => host.startsWith('n')).sort()).toEqual([0, 1, 2, 3, 4, 5, 6].map(n => `n${n}.com`))
    expect(await find('lamp', { order, after: { score: 0, id: 0 } })).toEqual([])
  })

  test('weighs those with all words in the title, however many newer ones only mention them', async () => {
    await add('title.com', 'Lamp')
    await store.transact(async trx => {
      for (let place = 0; place <= RANKED_MAX; place++) {
        await list(trx, { host: `n${place}.com`, title: 'Else', description: 'A lamp.' })
      }
    })
    expect((await find('lamp'))[0]).toBe('title.com')
    // If so many are stale, they are renewed a few at a time.
    await store.db
      .insertInto('search_stale')
      .columns(['listingId'])
      .expression(eb =>
        eb
          .selectFrom('listing')
          .select('id')
          .orderBy('id')
          .limit(ROWS_AT_ONCE + 1),
      )
      .execute()
    expect([await rebuildEntries(store), await rebuildEntries(store)]).toEqual([ROWS_AT_ONCE, 1])
  })

  test('keeps in step with what becomes of a listing', async () => {
    const id = await add('lamp.com', 'Lamp', { category: 'Games' })
    await hideListing(store, 'lamp-com', 'Why', NOON)
    expect(await find('lamp')).toEqual([])
    await restoreListing(store, 'lamp-com', 'Why', NOON)
    expect(await find('lamp')).toEqual(['lamp.com'])
    await changeCategory(store, id, 'Real Estate', NOON)
    expect([await find('estate'), await find('lamp', { category: 'Games' })]).toEqual([['lamp.com'], []])
    expect(await find('lamp', { category: 'Real Estate' })).toEqual(['lamp.com'])
    // It ended, and begins anew.
    const later = NOON + daysMs(100)
    expect(await find('lamp', { now: later })).toEqual([])
    await restoreListing(store, 'lamp-com', 'Why', later)
    expect(await find('lamp', { now: later })).toEqual(['lamp.com'])
    const listing = await store.db.selectFrom('listing').selectAll().executeTakeFirstOrThrow()
    await withdrawListing(store, listing, later)
    expect(await find('lamp', { now: later })).toEqual([])
  })

  test('knows what became of a listing within the commit that lists it', async () => {
    const [changed] = await Promise.all([
      add('changed.com', 'Lamp'),
      store.transact(async trx => {
        const id = await list(trx, { host: 'hidden.com', title: 'Lamp' })
        await trx.updateTable('listing').set({ hiddenAt: NOON }).where('id', '=', id).execute()
        const kept = await list(trx, { host: 'kept.com', title: 'Lamp' })
        await trx.updateTable('listing').set({ expiresAt: null }).where('id', '=', kept).execute()
        const gone = await list(trx, { host: 'gone.com', title: 'Lamp' })
        await trx.deleteFrom('picture').where('listingId', '=', gone).execute()
        await trx.deleteFrom('listing').where('id', '=', gone).execute()
      }),
      // What fails leaves the others of its commit alone.
      expect(
        store.transact(async trx => {
          await list(trx, { host: 'failed.com', title: 'Lamp' })
          throw new Error('undone')
        }),
      ).rejects.toThrow('undone'),
    ])
    // PostgreSQL may list either first.
    expect((await find('lamp')).sort()).toEqual(['changed.com', 'kept.com'])
    await changeCategory(store, changed, 'Real Estate', NOON)
    expect(await find('lamp estate')).toEqual(['changed.com'])
    expect(await find('lamp games')).toEqual(['kept.com'])
  })

  test('does not know of what was paid', async () => {
    await add('free.com', 'Lamp')
    const paid = await add('paid.com', 'Lamp and more')
    const before = await search(store, { words: 'lamp', now: NOON, limit: 5 })
    await store.db.updateTable('listing').set({ expiresAt: null }).where('id', '=', paid).execute()
    const after = await search(store, { words: 'lamp', now: NOON, limit: 5 })
    expect(after.rows.map(({ hostname }) => hostname)).toEqual(['free.com', 'paid.com'])
    expect(after.rows.map(({ id }) => id)).toEqual(before.rows.map(({ id }) => id))
  })

  const HOSTILE: [what: string, typed: string][] = [
    ['10,000 characters', 'x'.repeat(10_000)],
    ['10,000 words', 'lamp a '.repeat(5000)],
    ['wildcards', '* % _ ** ?'],
    ['syntax of FTS5', '"lamp" NEAR(a b, 2) AND ^words : {words} - NOT lamp*'],
    ['syntax of tsquery', "lamp & !x | 'y':*A <-> (z) \\'"],
    ['marks of the index', '¶lamp ≈lamp §always §ingames ¦ ‹lam'],
    ['NUL', 'lam\0p \0'],
    ['emoji', '👋🏽👨‍👩‍👧‍👦💡'],
    ['right to left', '\u202elamp\u202c שלום'],
    ['half a character', '\ud800 lamp \udfff'],
    ['marks without letters', '\u0301'.repeat(500)],
    ['a run without blanks', '日本語'.repeat(500)],
    ['compatibility characters that unfold', '\ufdfa'.repeat(500)],
  ]

  test.each(HOSTILE)('answers %s, in all orders and on any page', async (_what, typed) => {
    await add('lamp.com', 'Lamp')
    for (const words of [typed, shownQuery(typed)]) {
      for (const order of ['relevance', 'newest'] as const) {
        const found = await find(words, { order, after: undefined })
        expect(found.length).toBeLessThanOrEqual(1)
        expect(await find(words, { order, after: { score: 0, id: 1 } })).toEqual([])
      }
    }
    expect([...shownQuery(typed)].length).toBeLessThanOrEqual(SEARCH_MAX_LENGTH)
    expect(shownQuery(typed).isWellFormed()).toBe(true)
  })
})

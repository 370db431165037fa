import { DISPLAY_DAYS } from '@placard/contract'
import { CompiledQuery, type Insertable, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { pageFields } from '../../../src/domain/listings/add-listing.ts'
import { newest, ofCategory } from '../../../src/domain/listings/discovery.ts'
import type { DatedRow, DiscoveryCursor } from '../../../src/domain/listings/listed-row.ts'
import { search } from '../../../src/domain/listings/search.ts'
import { NO_METADATA } from '../../../src/domain/review/page.ts'
import { openStore } from '../../../src/platform/db/open.ts'
import type { Store, Trx } from '../../../src/platform/db/store.ts'
import type { Database } from '../../../src/platform/db/tables/index.ts'
import { daysMs } from '../../../src/platform/lib/time.ts'
import { type EmptyDatabase, migratedDatabase, SQLITE_FIRST } from '../../support/engines.ts'
import { listingRow } from '../../support/listing-row.ts'
import { NOON } from '../../support/service.ts'

const NOW = NOON
const ENDED = NOW - daysMs(DISPLAY_DAYS)

describe.each(SQLITE_FIRST)('discovery on %s', engine => {
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
    await store.db.deleteFrom('picture').execute()
    await store.db.deleteFrom('listing').execute()
  })

  test('shows the newest first, and of one moment the last one', async () => {
    await add({ slug: 'old', publishedAt: NOW - 2000 })
    await add({ slug: 'first', publishedAt: NOW - 1000 })
    await add({ slug: 'second', publishedAt: NOW - 1000 })
    expect(slugs(await newest(store, { now: NOW, limit: 10 }))).toEqual(['second', 'first', 'old'])
  })

  test('shows what a card needs, and the picture only once it is stored', async () => {
    const id = await add({ slug: 'bakery' })
    await add({ slug: 'wanted' }, { state: 'wanted', version: null })
    await add({ slug: 'stored' }, { state: 'stored', version: 'v1' })
    const { rows } = await newest(store, { now: NOW, limit: 10 })
    expect(rows.map(listing => [listing.slug, listing.pictureVersion])).toEqual([
      ['stored', 'v1'],
      ['wanted', null],
      ['bakery', null],
    ])
    expect(rows.at(-1)).toEqual({
      id,
      slug: 'bakery',
      title: 'Sunrise Bakery',
      description: 'Sourdough and rye.',
      hostname: 'sunrise-bakery.com',
      category: 'Food & Drink',
      language: 'en',
      publishedAt: NOW,
      expiresAt: NOW + daysMs(DISPLAY_DAYS),
      pictureVersion: null,
      provenAt: null,
    } satisfies DatedRow)
  })

  test.each([
    ['newest', (now: number) => newest(store, { now, limit: 10 })],
    ['a category', (now: number) => ofCategory(store, { category: 'Food & Drink', now, limit: 10 })],
    ['search', (now: number) => search(store, { words: 'bakery', now, limit: 10 })],
  ])('leaves hidden and expired listings out of %s at once', async (_name, read) => {
    await add({ slug: 'ended', publishedAt: ENDED })
    await add({ slug: 'without-end', publishedAt: ENDED - daysMs(100), expiresAt: null })
    await add({ slug: 'hidden-without-end', publishedAt: ENDED - 1, expiresAt: null, hiddenAt: NOW })
    await add({ slug: 'ends-early', publishedAt: NOW - 1, expiresAt: NOW })
    await add({ slug: 'last-moment', publishedAt: ENDED + 1 })
    await add({ slug: 'hidden', hiddenAt: NOW })
    expect(slugs(await read(NOW)).sort()).toEqual(['last-moment', 'without-end'])
    expect(slugs(await read(NOW + 1))).toEqual(['without-end'])

    await store.db.updateTable('listing').set({ hiddenAt: NOW }).where('slug', '=', 'without-end').execute()
    await store.db.updateTable('listing').set({ hiddenAt: null }).where('slug', '=', 'hidden').execute()
    await store.db.updateTable('listing').set({ expiresAt: null }).where('slug', '=', 'ended').execute()
    expect(slugs(await read(NOW)).sort()).toEqual(['ended', 'hidden', 'last-moment'])
  })

  test('pages through everything once, across to listings without an end, while others come and go', async () => {
    // By id, as in search.
    for (let place = 6; place >= 0; place--) {
      const young = place < 4
      const publishedAt = young ? NOW - (place >> 1) : ENDED - place
      await add({ slug: `n${place}`, publishedAt, ...(!young && { expiresAt: null }) })
    }
    const all = ['n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6']
    for (const read of [
      (after?: DiscoveryCursor) => newest(store, { now: NOW, after, limit: 2 }),
      (after?: DiscoveryCursor) => ofCategory(store, { category: 'Food & Drink', now: NOW, after, limit: 2 }),
    ]) {
      const seen: string[] = []
      let after: DiscoveryCursor | undefined
      do {
        const page = await read(after)
        seen.push(...slugs(page))
        after = page.next
        await add({ slug: `late-${seen.length}`, publishedAt: NOW + 1 })
      } while (after)
      expect(seen).toEqual(all)
      await store.db.deleteFrom('listing').where('slug', 'like', 'late-%').execute()
    }
  })

  test('keeps categories apart', async () => {
    await add({ slug: 'bread' })
    await add({ slug: 'game', category: 'Games' })
    expect(slugs(await ofCategory(store, { category: 'Games', now: NOW, limit: 10 }))).toEqual(['game'])
  })

  const FOUND: [typed: string, slugs: string[]][] = [
    ['bakery', ['bakery', 'cafe']],
    ['BAK', ['bakery', 'cafe']],
    ['rye sun', ['bakery']],
    ['sunrise-bakery.com', ['bakery']],
    ['bakery game', ['bakery', 'cafe']],
    ['Cafe', ['cafe']],
    ['CAFÉ', ['cafe']],
    ['cafe\u0301 creme', ['cafe']],
    ['js', ['node']],
    ['node.js', ['node']],
    ['https://node.example/path?x=1', ['node']],
    ['node.example', ['node']],
    ['  HTTP://WWW.Node.Example/a/b#c ten', ['node']],
    ['www.node.example', ['node']],
    ['https://', []],
    ['ＮＯＤＥ', ['node']],
    ['привет', ['many']],
    ['日本', ['many']],
    ['हिन्दी', ['many']],
    ['한국', ['many']],
    ['always', []],
    ['§always', []],
    ['2077', []],
    ['words', []],
    ['', []],
    ['  "*" -- & | ! <-> : ( ) \u0000 \ud800 ', []],
    ['bak" OR title:game NOT "', []],
    [`ba'ker:*) | !bakery`, ['bakery', 'cafe']],
    ['"ba" \u0000 * bakery', ['bakery', 'cafe']],
    ['b ba bak bake baker bakery bakery bakery nothing of this counts', ['bakery', 'cafe']],
    [`rye ${'x'.repeat(95)}`, ['bakery']],
    [`${' '.repeat(98)}rye`, ['many', 'bakery']],
    ['\u0903\u0301', []],
  ]

  test('finds words by their beginnings, in title, description and host name', async () => {
    await add({
      slug: 'many',
      title: 'Привет 日本語テスト हिन्दी 한국어',
      description: 'ryegrass',
      hostname: 'many.example',
    })
    await add({
      slug: 'node',
      title: 'Node.js in ten minutes',
      description: 'Run it.',
      hostname: 'node.example',
    })
    await add({ slug: 'bakery' })
    await add({ slug: 'cafe', title: 'Café Crème', description: 'A bakery, too.', hostname: 'cafe.example' })
    const found: typeof FOUND = []
    for (const [typed] of FOUND) {
      found.push([typed, slugs(await search(store, { words: typed, now: NOW, limit: 10 }))])
    }
    expect(found).toEqual(FOUND)
  })

  /** What pages in many scripts say, and words on them as people copy or type them. */
  const SCRIPTS: [title: string, found: string[], notFound: string[]][] = [
    ['Καφενείο της Αθήνας', ['Καφενείο', 'Αθήνας', 'καφενειο', 'ΑΘΗΝΑΣ', 'ΤΗΣ', 'Αθηνα'], ['φενείο']],
    ['Οδοσ ᾼδης', ['οδος', 'ὁδός', 'αδησ'], []],
    ['Северный свет', ['Северный', 'северныи', 'СЕВЕРНЫЙ', 'север'], ['верный']],
    ['Семейная съёмка', ['семейная', 'съёмка', 'СЪЕМКА', 'съемка сем'], ['сьемка']],
    ['Їжа та ґанок', ['їжа', 'ЇЖА', 'іжа', 'ґанок'], []],
    ['Łódź, Straße, Smørrebrød', ['lodz', 'ŁÓDŹ', 'strasse', 'STRAẞE', 'smorrebrod', 'lo\u0301dz'], []],
    ['İstanbul ılık çay', ['istanbul', 'İSTANBUL', 'ilik', 'ÇAY'], []],
    [
      '毎日新聞社のニュース',
      ['新聞', '毎日', 'ニュース', '毎日新聞', '社', 'ﾆｭｰｽ', '新聞社のニュース', '毎日 新聞'],
      ['聞新'],
    ],
    ['武夷山大红袍岩茶专卖', ['岩茶', '大红袍', '红', '大红袍岩茶专', '卖'], ['岩红', '大袍']],
    ['ガス工事𠮷野家', ['ガス', 'ｶﾞｽ', '𠮷野家', '野家', '工事'], ['カス']],
    ['ร้านกาแฟเชียงใหม่', ['กาแฟ', 'เชียงใหม่', 'ร้าน'], ['ชาไทย']],
    ['서울온라인서점', ['서울', '서점', '온라인', '서울온라인서점'], ['온서']],
    ['हिन्दी किताबें', ['हिन्दी', 'किताब', 'हि'], ['न्दी']],
    ['مكتبة النيل', ['مكتبة', 'النيل'], []],
    ['Windows11でゲーム', ['windows11', 'ゲーム', 'Windows11でゲーム'], []],
    ['x'.repeat(130), ['x'.repeat(100), 'xxx'], [`${'y'.repeat(70)}7`]],
  ]

  test.each(SCRIPTS)('finds “%s” by the words on it', async (title, found, notFound) => {
    await add({ slug: 'it', title })
    await add({ slug: 'other' })
    const results: Record<string, string[]> = {}
    for (const words of [...found, ...notFound, title]) {
      results[words] = slugs(await search(store, { words, now: NOW, limit: 10 }))
    }
    expect(results).toEqual({
      ...Object.fromEntries([...found, title].map(words => [words, ['it']])),
      ...Object.fromEntries(notFound.map(words => [words, []])),
    })
  })

  test('finds an international host in both spellings', async () => {
    const { hostname } = new URL('https://bücher-münchen.de/')
    expect(hostname).toMatch(/^xn--/)
    await add({ slug: 'books', hostname })
    for (const words of [hostname, 'bücher-münchen.de', 'https://www.Bücher-München.de/', 'munchen']) {
      expect([words, slugs(await search(store, { words, now: NOW, limit: 10 }))]).toEqual([words, ['books']])
    }
  })

  test('finds listings by their current text', async () => {
    const id = await add({ slug: 'bakery' })
    const find = async (words: string) => slugs(await search(store, { words, now: NOW, limit: 10 }))
    const metadata = { ...NO_METADATA, title: 'Moonlight', description: 'Rye.' }
    const fields = pageFields(metadata, { hostname: 'sunrise-bakery.com', category: 'Games' })
    await store.db.updateTable('listing').set(fields).where('id', '=', id).execute()
    expect([await find('sunrise rye moon'), await find('moonlight')]).toEqual([['bakery'], ['bakery']])
    expect(await find('and')).toEqual([])
  })

  test('does not find what was rolled back', async () => {
    await Promise.allSettled([
      store.transact(trx => addWithin(trx, { slug: 'kept' })),
      store.transact(async trx => {
        await addWithin(trx, { slug: 'undone', title: 'Undone' })
        throw new Error('undone')
      }),
      store.transact(trx => addWithin(trx, { slug: 'last' })),
    ])
    const find = async (words: string) => slugs(await search(store, { words, now: NOW, limit: 10 }))
    expect((await find('bakery')).sort()).toEqual(['kept', 'last'])
    expect(await find('undone')).toEqual([])
  })

  test('reads a page of a list from its index, and neither scans nor sorts the listings', async () => {
    const after = { publishedAt: NOW, id: 5 }
    const lists = await plansOf(async watched => {
      await newest(watched, { now: NOW, after, limit: 24 })
      await ofCategory(watched, { category: 'Games', now: NOW, after, limit: 24 })
    })
    expect(lists.map(plan => /listing_\w+/.exec(plan)?.[0])).toEqual([
      'listing_newest',
      'listing_without_end',
      'listing_of_category',
      'listing_of_category_without_end',
    ])
    expect(lists.join()).not.toMatch(/SCAN|TEMP B-TREE|Seq Scan on listing|Sort/)
  })

  // PostgreSQL's plan depends on the size of the tables.
  test.runIf(engine === 'sqlite')('searches its index, and neither scans nor sorts the listings', async () => {
    const [found] = await plansOf(watched => search(watched, { words: 'a b', now: NOW, limit: 24 }))
    expect(found).toMatch(/^SCAN listing_search VIRTUAL TABLE INDEX \d+:M\d<\nSEARCH listing USING INTEGER PRIMARY KEY/)
    expect(found).not.toContain('TEMP B-TREE')
  })

  /** The plans of the statements that `read` runs. PostgreSQL would scan such a small table. */
  async function plansOf(read: (watched: Store) => Promise<unknown>): Promise<string[]> {
    const plans: string[] = []
    const [how, column] = engine === 'sqlite' ? ['explain query plan', 'detail'] : ['explain', 'QUERY PLAN']
    await store.db.transaction().execute(async trx => {
      if (engine === 'postgres') await sql`set local enable_seqscan = off`.execute(trx)
      await read({
        ...store,
        onThread: undefined,
        executeQuery: async ({ sql: text, parameters }) => {
          const { rows } = await trx.executeQuery<Record<string, string>>(
            CompiledQuery.raw(`${how} ${text}`, [...parameters]),
          )
          plans.push(rows.map(row => row[column]).join('\n'))
          return { rows: [] }
        },
      })
    })
    return plans
  }

  const add = (...[fields, picture]: Added): Promise<number> => store.transact(trx => addWithin(trx, fields, picture))
})

type Added = [
  fields: Partial<Omit<Insertable<Database['listing']>, 'searchText'>> & { slug: string },
  picture?: { state: 'wanted' | 'stored'; version: string | null },
]

async function addWithin(trx: Trx, ...[fields, picture]: Added): Promise<number> {
  const { id } = await trx
    .insertInto('listing')
    .values(
      listingRow({
        url: 'https://sunrise-bakery.com/',
        hostname: 'sunrise-bakery.com',
        category: 'Food & Drink',
        title: 'Sunrise Bakery',
        description: 'Sourdough and rye.',
        ...fields,
      }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  if (picture) {
    const none = { sourceUrl: null, tryAt: null, mediaType: null, width: null, height: null }
    await trx
      .insertInto('picture')
      .values({ listingId: id, attempts: 0, ...none, bytes: null, storedAt: null, ...picture })
      .execute()
  }
  return id
}

const slugs = ({ rows }: { rows: DatedRow[] }) => rows.map(({ slug }) => slug)

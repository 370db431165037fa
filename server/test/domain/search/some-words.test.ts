import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { search } from '../../../src/domain/listings/search.ts'
import { openStore } from '../../../src/platform/db/open.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { type EmptyDatabase, migratedDatabase, SQLITE_FIRST } from '../../support/engines.ts'
import { NOON } from '../../support/service.ts'
import { list } from './seeded-store.ts'

describe.each(SQLITE_FIRST)('words that not every listing has, on %s', engine => {
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
    await store.db.deleteFrom('search_word').execute()
  })

  const add = (titles: Record<string, string>) =>
    store.transact(async trx => {
      for (const [host, title] of Object.entries(titles)) await list(trx, { host, title })
    })
  const find = async (words: string) => {
    const { rows } = await search(store, { words, now: NOON, limit: 24 })
    return rows.map(({ hostname, missing }) => [hostname, ...missing])
  }

  test('finds listings with the most of the words, the rarer first, and says which are missing', async () => {
    await add({ 'a.com': 'Paper lamp', 'b.com': 'Glass lamp', 'c.com': 'Oak lamp', 'd.com': 'Wooden kettle' })
    const lamps = ['c.com', 'b.com', 'a.com'].map(host => [host, 'wooden'])
    expect(await find('wooden lamp')).toEqual([['d.com', 'lamp'], ...lamps])
    expect(await find('oak wooden kettle')).toEqual([['d.com', 'oak']])
    expect((await find('glass lamp kettle'))[0]).toEqual(['b.com', 'kettle'])
  })

  const LAMPS = { 'l1.com': 'Glass lamp', 'l2.com': 'Oak lamp', 'l3.com': 'Paper lamp', 'l4.com': 'Desk lamp' }

  test('finds those with most of the words after the few with all, and says which are missing', async () => {
    await add(Object.fromEntries(Array.from({ length: 12 }, (_, nth) => [`lamp${nth}.com`, 'Lamp'])))
    await add({ 'spoon.com': 'Wooden spoon', 'toy.com': 'Wooden toy', 'both.com': 'Lamp, wooden' })
    expect(await find('wooden lamp')).toEqual([['both.com'], ['toy.com', 'lamp'], ['spoon.com', 'lamp']])
    await store.transact(trx => list(trx, { host: 'design.com', title: 'Wooden lamp', category: 'Design' }))
    const ofGames = await search(store, { words: 'wooden lamp', now: NOON, limit: 24, category: 'Games' })
    expect(ofGames.rows.map(({ hostname }) => hostname)).toEqual(['both.com', 'toy.com', 'spoon.com'])
    const categories = ['Design', 'Games'].map(category => ({ category, count: 1 }))
    expect(ofGames.counts).toMatchObject({ all: 2, categories })
    const newest = await search(store, { words: 'wooden lamp', now: NOON, limit: 24, order: 'newest' })
    expect(newest.rows.map(({ hostname }) => hostname)).toEqual(['design.com', 'both.com'])
  })

  test('counts beside a filter what it leaves', async () => {
    await add(Object.fromEntries(Array.from({ length: 6 }, (_, nth) => [`bake${nth}.com`, 'Bake'])))
    const others = Array.from({ length: 60 }, (_, nth) => `other${nth}`).join(' ')
    await store.transact(trx =>
      list(trx, { host: 'far.com', title: 'Notes', description: `How to bake ${others}`, category: 'Design' }),
    )
    const query = { words: 'how to bake', now: NOON, limit: 24 }
    const all = await search(store, query)
    const ofDesign = await search(store, { ...query, category: 'Design' })
    expect(ofDesign.rows.map(({ hostname }) => hostname)).toEqual(['far.com'])
    expect(ofDesign.counts).toEqual(all.counts)
  })

  test('finds only those with every word if they are enough, or if the others have little of them', async () => {
    await add({ 'spoon.com': 'Wooden spoon', 'toy.com': 'Wooden toy', ...LAMPS })
    await add(Object.fromEntries(Array.from({ length: 5 }, (_, nth) => [`both${nth}.com`, 'Wooden lamp'])))
    expect(await find('wooden lamp')).toHaveLength(5)
    expect(await find('desk lamp')).toEqual([['l4.com']])
  })

  test('finds only those with every word if a word was corrected', async () => {
    await add({ 'spoon.com': 'Wooden spoon', 'toy.com': 'Wooden toy', ...LAMPS, 'both.com': 'Wooden lampshade' })
    expect(await find('wooden lampshqde')).toEqual([['both.com']])
  })

  test('puts those first that also have the words that say little, on every page', async () => {
    await add({ 'app.com': 'An app for the lamps of a house', ...LAMPS })
    expect((await find('lamp app')).map(([host]) => host)).toEqual(['app.com', 'l4.com', 'l3.com', 'l2.com', 'l1.com'])
    const wanted = { words: 'lamp app', now: NOON, limit: 2 }
    const page = await search(store, wanted)
    const more = await search(store, { ...wanted, limit: 24, after: page.next })
    expect(more.rows.map(({ hostname }) => hostname)).toEqual(['l3.com', 'l2.com', 'l1.com'])
  })

  test('finds only those with all of a host name, if there are any', async () => {
    await add({ 'elm-desk.com': 'Beta', 'elm-lamp.com': 'Acme', ...LAMPS })
    expect(await find('elm-lamp.com')).toEqual([['elm-lamp.com']])
  })

  test('finds only those with a number, if there are any', async () => {
    await add({ 'many.com': '1200 lamps', ...LAMPS })
    expect(await find('1200 lamps')).toEqual([['many.com']])
  })

  test('finds nothing if most of the words are nowhere', async () => {
    await add({ 'lamp.com': 'A lamp' })
    expect(await find('lamp submarine helicopter telescope')).toEqual([])
    expect(await find('1 lamp')).toEqual([['lamp.com']])
    expect(await find('1 2 3')).toEqual([])
  })

  test('counts words across more listings than are compared', async () => {
    await add(Object.fromEntries(Array.from({ length: 120 }, (_, nth) => [`n${nth}.com`, 'Lamp'])))
    await add({ 'both.com': 'Kettle and lamp' })
    await add(Object.fromEntries(Array.from({ length: 120 }, (_, nth) => [`k${nth}.com`, 'Kettle'])))
    expect((await find('lamp kettle submarine'))[0]).toEqual(['both.com', 'submarine'])
  })

  test.each([
    ['how to find the best lamp', 'Lamp'],
    ['a free app for lamps please', 'Lamp'],
    ['wie finde ich die beste Lampe', 'Lampe'],
    ['où trouver une lampe', 'Lampe'],
    ['¿dónde puedo encontrar una lámpara?', 'Lámpara'],
    ['где найти лампы', 'Лампы'],
  ])('drops words that say little: “%s” finds “%s”', async (words, title) => {
    await add({ 'x.com': title, 'y.com': 'Kettle' })
    expect(await find(words)).toEqual([['x.com']])
  })

  test('finds a name made of such words', async () => {
    await add({ 'how.com': 'How to get there', 'else.com': 'Something' })
    expect(await find('how to')).toEqual([['how.com']])
  })

  test.each([
    ['rcewbench', 'Crewbench'],
    ['trian', 'Trains'],
    ['invocie', 'Invoices'],
    ['vlocano', 'VolcanoCam'],
    ['fotography', 'Photography'],
    ['lmap', 'Lamp'],
    ['sourduogth', 'Sourdough'],
  ])('corrects “%s” to “%s”', async (words, title) => {
    await add({ 'x.com': title, 'y.com': 'Kettle' })
    expect(await find(words)).toEqual([['x.com']])
  })

  test('never takes a word for a typo that a listing has, and a longer word before a shorter', async () => {
    await add({ 'later.com': 'Later', 'lantern.com': 'Lantern' })
    expect(await find('lantern')).toEqual([['lantern.com']])
    expect((await find('latern'))[0]).toEqual(['lantern.com'])
    await add({ 'latern.com': 'Latern' })
    expect((await find('latern'))[0]).toEqual(['latern.com'])
  })

  test.each([
    ['Passwortmanager', 'Passwort und mehr'],
    ['Landschaftsmaler', 'Maler der Landschaft'],
    ['boekenclub', 'Book club'],
    ['casasarda', 'Casa Sarda'],
    ['вулканы онлайн', 'Volcano'],
    ['베를린에서 학교를 찾고', 'School in Berlin'],
    ['second hand', 'Preloved: gebraucht und secondhand'],
  ])('cuts or joins words where no listing has them: “%s” finds “%s”', async (words, title) => {
    await add({ 'x.com': title, 'y.com': 'Kettle' })
    expect((await find(words)).map(([host]) => host)).toEqual(['x.com'])
  })

  test('leaves a compound whole if a listing has it, or if a typo is likelier', async () => {
    await add({ 'book.com': 'Book club', 'own.com': 'Boekenclub' })
    expect(await find('boekenclub')).toEqual([['own.com']])
    await add({ 'long.com': 'Longhand', 'log.com': 'Log by hand' })
    expect(await find('lognhand')).toEqual([['long.com']])
  })

  test('finds nothing for a missing word that names what people look for', async () => {
    await add({ 'lamp.com': 'Cheap oak lamp', 'matters.com': 'What matters' })
    expect(await find('dentist pizza lamp')).toEqual([])
    expect(await find('mattress')).toEqual([])
  })

  test.each(['lapm', 'lam', 'kettles lamb'])('leaves “%s” as it is, or says what is missing', async words => {
    await add({ 'lump.com': 'Lump', 'kettle.com': 'Kettle' })
    expect((await find(words)).filter(([, ...missing]) => missing.length === 0)).toEqual([])
  })
})

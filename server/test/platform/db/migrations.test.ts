import { readFileSync } from 'node:fs'
import { type Kysely, sql } from 'kysely'
import { expect, it } from 'vitest'
import { configFrom } from '../../../src/platform/config/config.ts'
import { migrateTo, newestSchema, planMigration } from '../../../src/platform/db/migrate.ts'
import { MIGRATIONS } from '../../../src/platform/db/migrations/index.ts'
import type { Migrations } from '../../../src/platform/db/migrations/types.ts'
import { openUnmigrated } from '../../../src/platform/db/open.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import type { Engine } from '../../../src/platform/db/tables/index.ts'
import { ENGINES, emptyDatabase } from '../../support/engines.ts'
import { listingRow } from '../../support/listing-row.ts'
import { operateHere } from '../../support/operate.ts'
import { loadBoardOf010 } from './old-board.ts'

async function onEmptyStore<T>(engine: Engine, work: (store: Store) => Promise<T>): Promise<T> {
  const database = await emptyDatabase(engine)
  const store = openUnmigrated(configFrom(database.env))
  try {
    return await work(store)
  } finally {
    await store.close()
    await database.remove()
  }
}

/** What each migration does that the version before could not stand, as far as the schema shows it. */
const contractionsOf = (engine: Engine, migrations: Migrations) =>
  onEmptyStore(engine, async ({ db }) => {
    const found: Record<string, string[]> = {}
    let before = await shapeOf(db, engine)
    for (const name of Object.keys(migrations).sort()) {
      await migrateTo(db, engine, name, migrations)
      const after = await shapeOf(db, engine)
      found[name] = contractions(before, after)
      before = after
    }
    return found
  })

interface Shape {
  columns: Map<string, { table: string; type: string; mustBeGiven: boolean }>
  tables: Set<string>
  /** By their definition. */
  uniques: Map<string, { table: string; columns: string[] }>
}

async function shapeOf(db: Store['db'], engine: Engine): Promise<Shape> {
  const tables = (await db.introspection.getTables()).filter(({ isView }) => !isView)
  const { rows } = await (engine === 'sqlite'
    ? sql<{ name: string; sql: string }>`select tbl_name as name, sql from sqlite_schema where type = 'index'`
    : sql<{ name: string; sql: string }>`
        select tablename as name, indexdef as sql from pg_indexes where schemaname = current_schema()`
  ).execute(db)
  const columns = tables.flatMap(({ name: table, columns }) =>
    columns.map(
      ({ name, dataType, isNullable, hasDefaultValue, isAutoIncrementing }) =>
        [
          `${table}.${name}`,
          {
            table,
            type: dataType.toLowerCase(),
            mustBeGiven: !isNullable && !hasDefaultValue && !isAutoIncrementing,
          },
        ] as const,
    ),
  )
  const uniques = rows
    .filter(index => /^create unique index/i.test(index.sql ?? ''))
    .map(index => [index.sql, { table: index.name, columns: [...index.sql.matchAll(/\w+/g)].map(String) }])
  return {
    tables: new Set(tables.map(({ name }) => name)),
    columns: new Map(columns),
    uniques: new Map(uniques as [string, { table: string; columns: string[] }][]),
  }
}

function contractions(before: Shape, after: Shape): string[] {
  const isNew = (table: string) => !before.tables.has(table)
  return [
    ...[...before.tables].filter(table => !after.tables.has(table)).map(table => `drops ${table}`),
    ...[...before.columns]
      .filter(([column, { table }]) => after.tables.has(table) && !after.columns.has(column))
      .map(([column]) => `drops ${column}`),
    ...[...after.columns].flatMap(([column, { table, type, mustBeGiven }]) => {
      const old = before.columns.get(column)
      if (old && old.type !== type) return [`${column} is ${type} now`]
      return mustBeGiven && !old?.mustBeGiven && !isNew(table) ? [`${column} must be given now`] : []
    }),
    ...[...after.uniques]
      .filter(([definition, { table }]) => !before.uniques.has(definition) && !isNew(table))
      .filter(([, { table, columns }]) =>
        columns.every(name => !after.columns.has(`${table}.${name}`) || before.columns.has(`${table}.${name}`)),
      )
      .map(([, { table }]) => `rows of ${table} have to differ now`),
  ]
}

/** A migration by which the next version would break the present one, and what there is to say of it. */
const BREAKING: [statement: string, says: string][] = [
  ['drop table write_probe', 'drops write_probe'],
  ['alter table report drop column contact', 'drops report.contact'],
  ['alter table report rename column settlement to outcome', 'drops report.settlement'],
  ['alter table webhook rename to hook', 'drops webhook'],
  ['create unique index report_once on report ("listingId", details)', 'rows of report have to differ now'],
]

it.each(ENGINES)('a migration that takes something away says so, on %s', async engine => {
  for (const [name, found] of Object.entries(await contractionsOf(engine, MIGRATIONS))) {
    if (!MIGRATIONS[name]?.contracts) expect([name, found]).toEqual([name, []])
  }
})

it.each(ENGINES)('whatever takes something away is found, on %s', async engine => {
  const breaking: [string, string][] =
    engine === 'sqlite'
      ? BREAKING
      : [
          ...BREAKING,
          ['alter table report add column rating bigint not null', 'report.rating must be given now'],
          ['alter table report alter column "settledAt" set not null', 'report.settledAt must be given now'],
          ['alter table report alter column details type varchar(9)', 'report.details is varchar now'],
        ]
  const added = breaking.map(([statement], index) => [
    String(9000 + index),
    { up: async (db: Kysely<unknown>) => void (await sql.raw(statement).execute(db)) },
  ])
  const found = await contractionsOf(engine, { ...MIGRATIONS, ...Object.fromEntries(added) })
  expect(breaking.map((_, index) => found[String(9000 + index)]?.[0])).toEqual(breaking.map(([, says]) => says))
})

it('what is taken away was left alone by the last release, or its notes say to stop all instances', () => {
  const page = readFileSync(new URL('../../../../CHANGELOG.md', import.meta.url), 'utf8')
  for (const [name, { contracts }] of Object.entries(MIGRATIONS)) {
    // From the first release on that asks the database.
    if (!contracts || name <= '0013') continue
    const notesOf = (title: string) => page.split(/^## /m).find(each => each.startsWith(title))
    const notes = notesOf(`${contracts.version} - `) ?? notesOf('Unreleased') ?? ''
    if (name === contracts.schema) expect(notes).toContain('Stop all instances')
    const [, schema = ''] = /^Schema: (\d{4})$/m.exec(notes) ?? []
    expect([name, contracts.version, schema >= contracts.schema]).toEqual([name, contracts.version, true])
  }
})

it.each(ENGINES)('placard migrate says what is due, and does it, on %s', async engine => {
  const database = await emptyDatabase(engine)
  const { env } = await loadBoardOf010(database)
  const placard = (...args: string[]) => operateHere({ ...database.env, ...env }, ...args)

  const before = await placard('migrate', '--check')
  expect(before.code).toBe(4)
  expect(before.output).toMatch(/^The database has schema 0001, and this version needs schema \d{4}\.\n0002 {2}expands/)
  expect(before.output).toContain('\n0006  contracts  attempt: 9 rows, audit_event: 3 rows, report: 1 row\n')
  expect(before.output).toContain(
    '\nStop every instance first: after the migration, only Placard 0.3.0 and later can use',
  )
  const { code, output } = await placard('migrate', '--check', '--json')
  expect([code, JSON.parse(output)]).toMatchObject([
    4,
    { schema: '0001', newest: newestSchema(), mayGoOn: false, oldest: { version: '0.3.0' } },
  ])
  for (const command of [['list'], ['backup', 'nowhere'], ['export', 'nowhere']]) {
    const refused = await placard(...command)
    expect([command, refused.code]).toEqual([command, 1])
    expect(refused.output).toMatch(/^placard: the database has schema 0001, and this version needs schema \d{4}: .*\n$/)
  }
  // None of these has done it.
  expect((await placard('migrate', '--check')).output).toBe(before.output)

  expect(await placard('migrate')).toMatchObject({
    code: 0,
    output: expect.stringMatching(/\nDone: the database has schema \d{4}\.\n$/),
  })
  const after = { code: 0, output: `The database is up to date: it has schema ${newestSchema()}.\n` }
  expect(await placard('migrate')).toEqual(after)
  expect(await placard('migrate', '--check')).toEqual(after)
  expect(await placard('list')).toMatchObject({ code: 0 })
  await database.remove()
})

it.each(ENGINES)('instances may go on while a migration expands, on %s', async engine => {
  const next = { up: async () => {}, visits: ['listing', 'not_yet'] }
  const contracts = (schema: string) => ({ ...next, contracts: { schema, version: '98.7.0' } })
  await onEmptyStore(engine, async store => {
    await migrateTo(store.db, engine)
    const plan = (migrations: Migrations) => planMigration(store, { ...MIGRATIONS, ...migrations })
    expect(await plan({ '9001': next })).toMatchObject({
      due: [{ name: '9001', kind: 'expands', rows: { listing: 0, not_yet: 0 } }],
      mayGoOn: true,
    })
    expect(await plan({ '9001': contracts(newestSchema()) })).toMatchObject({
      due: [{ kind: 'contracts' }],
      mayGoOn: true,
    })
    expect(await plan({ '9001': next, '9002': contracts('9001') })).toMatchObject({ mayGoOn: false })
  })
})

it.each(ENGINES)(
  'migrations 0033 and 0034 renew the entries of listings in Hebrew and Arabic script, with ♯ or hiragana only, on %s',
  async engine => {
    const titles = ['Lamp', 'Straße 🎉 и 東京 ラ', 'Menorah שלום', 'كتاب', 'C♯', '東京の本屋']
    await onEmptyStore(engine, async ({ db }) => {
      await migrateTo(db, engine, '0032')
      // As the version before wrote it.
      const rows = titles.map((title, nth) => ({
        ...listingRow({ slug: `site-${nth}`, title }),
        searchText: title.toLowerCase(),
      }))
      await db.insertInto('listing').values(rows).execute()
      const due = db.selectFrom('search_stale').innerJoin('listing', 'listing.id', 'listingId').select('title')
      for (const [version, last] of [
        ['0033', 5],
        ['0034', 6],
      ] as const) {
        await migrateTo(db, engine, version)
        const found = await due.orderBy('listing.id').execute()
        expect(found).toEqual(titles.slice(2, last).map(title => ({ title })))
      }
    })
  },
)

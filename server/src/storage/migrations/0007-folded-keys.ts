import { type Kysely, sql } from 'kysely'
import { withoutWww } from '../../destinations/hostname.ts'

/**
 * Keys of version 2 fold more spellings of an address than those of version 1. Of listings that are one destination by
 * now, the one that is spelled shortest has the key, or the one that was there first. The others keep their keys of
 * version 1, which no address has any more: they stay listed with the money that was paid for them, and take no more.
 */
export async function up(untyped: Kysely<unknown>): Promise<void> {
  const db = untyped as Kysely<{ listing: KeyOf0007; checkout: KeyOf0007 }>
  const folding = new Map<string, string>()
  for (const key of await keysThatMayFold(db)) {
    const folded = fold(key)
    if (folded !== key) folding.set(key, folded)
  }
  // Out of the way of the rest, which keeps its spelling and changes its version at once.
  for (const key of folding.keys()) await rename(db, key, `${FOLDING}${key}`)
  for (const table of [...LISTED, ...PAID]) {
    await sql`update ${sql.table(table)} set destination_key = '2:' || substr(destination_key, 3)
      where destination_key like '1:%'`.execute(db)
  }
  for (const [key, folded] of folding) {
    const wanted = `2:${folded.slice(2)}`
    const aside = `${FOLDING}${key}`
    // An order for what was not listed goes to the listing that its destination is by now.
    const stays = (await isListed(db, aside)) && (await isListed(db, wanted))
    await rename(db, aside, stays ? key : wanted)
  }
}

interface KeyOf0007 {
  id: number
  destination_key: string
}
type Db = Kysely<{ listing: KeyOf0007; checkout: KeyOf0007 }>

const LISTED = ['listing', 'checkout'] as const
const PAID = ['payment', 'board_total', 'board_mark'] as const
const FOLDING = 'folding '

/** Those of listings in the order in which they were listed, then those that were only ordered. */
async function keysThatMayFold(db: Db): Promise<string[]> {
  const lower = sql`lower(destination_key)`
  const mayFold = sql<boolean>`(destination_key like '1:www.%' or destination_key like '%;%'
    or destination_key like '%\\%%' escape '\\' or ${lower} like '%/index.%' or ${lower} like '%/default.%')`
  const listed = await db
    .selectFrom('listing')
    .select('destination_key')
    .where(mayFold)
    .orderBy('id')
    .execute()
  const ordered = await db
    .selectFrom('checkout')
    .select('destination_key')
    .distinct()
    .where(mayFold)
    .execute()
  return [...listed, ...ordered].map(row => row.destination_key)
}

async function isListed(db: Db, key: string): Promise<boolean> {
  const row = await db
    .selectFrom('listing')
    .select('id')
    .where('destination_key', '=', key)
    .executeTakeFirst()
  return row !== undefined
}

async function rename(db: Db, from: string, to: string): Promise<void> {
  // The boards are not indexed by key, and hold nothing that was not paid.
  const { rows: payments } = await sql`select 1 from payment where destination_key = ${from} limit 1`.execute(
    db,
  )
  for (const table of payments.length > 0 ? [...LISTED, ...PAID] : LISTED) {
    await sql`update ${sql.table(table)} set destination_key = ${to} where destination_key = ${from}`.execute(
      db,
    )
  }
}

const FOLDER_PAGES = /^(?:index\.(?:html|htm|php|jsp)|default\.(?:htm|asp|aspx))$/i
const IDLE_ENDS = [';', '%20', '%09', '%0A', '%0D', '%C2%A0']

/** What version 2 makes of a key of version 1, but for its version: as it was when this was written. */
function fold(key: string): string {
  const [host = '', ...path] = key.slice(2).split('/')
  const names = path.map(withoutIdleEnd).filter(name => name !== '')
  if (FOLDER_PAGES.test(names.at(-1) ?? '')) names.pop()
  return [`1:${withoutWww(host)}`, ...names].join('/')
}

function withoutIdleEnd(name: string): string {
  const end = IDLE_ENDS.find(end => name.endsWith(end))
  return end === undefined ? name : withoutIdleEnd(name.slice(0, -end.length))
}

import { type Kysely, sql } from 'kysely'
import type { Engine } from '../store.ts'

/** Lets SQLite index new listings and words once per commit: see `index-due.ts`. */
export async function indexOncePerCommit(db: Kysely<unknown>, engine: Engine): Promise<void> {
  if (engine === 'postgres') return
  await sql`create table listing_search_due (id integer primary key)`.execute(db)
  await sql`create table search_word_due (id integer primary key)`.execute(db)

  await sql`drop trigger listing_search_added`.execute(db)
  // One that was removed within the commit may still be noted, and its id given out again.
  await sql`create trigger listing_search_added after insert on listing
    begin insert or ignore into listing_search_due (id) values (new.id); end`.execute(db)
  // A change within the same commit has already been indexed.
  await sql`create trigger listing_search_not_due
    after update of "searchText", "publishedAt", "expiresAt", "hiddenAt" on listing
    begin delete from listing_search_due where id = old.id; end`.execute(db)

  await sql`drop trigger search_word_added`.execute(db)
  await sql`create trigger search_word_added after insert on search_word
    begin insert into search_word_due (id) values (new.id); end`.execute(db)
}

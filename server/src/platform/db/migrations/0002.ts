import { type Kysely, sql } from 'kysely'
import type { Engine } from '../tables/index.ts'

/** Additions to search in 0.2.0. */
export async function betterSearch(db: Kysely<unknown>, engine: Engine): Promise<void> {
  // Numbers, emoji and names such as C++ have become words, so the entries of every listing are out of date.
  await sql`create table search_stale (
    "listingId" bigint not null primary key references listing (id) on delete cascade
  )`.execute(db)
  await sql`insert into search_stale ("listingId") select id from listing`.execute(db)
  if (engine === 'sqlite') await indexOncePerCommit(db)
}

/** New listings and words are only recorded here: `sqlite-group-commit.ts` indexes those of a commit together. */
async function indexOncePerCommit(db: Kysely<unknown>): Promise<void> {
  await sql`create table listing_search_due (id integer primary key)`.execute(db)
  await sql`create table search_word_due (id integer primary key)`.execute(db)

  // A listing that was removed within the commit may still be recorded, and its id reused.
  await sql`drop trigger listing_search_added`.execute(db)
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

import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Store } from '../../src/platform/db/store.ts'

/** Stores a draw of these listings, without drawing. It replaces the one of that day. */
export async function putDraw(store: Store, day: string, slugs: readonly string[], seed = 'ab'.repeat(32)) {
  for (const table of ['drawn_listing', 'draw_candidates', 'draw'] as const) {
    await store.db.deleteFrom(table).where('day', '=', day).execute()
  }
  const list = slugs.map(slug => `${slug}\n`).join('')
  const candidatesHash = createHash('sha256').update(list).digest('hex')
  const draw = { day, at: Date.parse(day), algorithm: 1, seed, logSize: null, candidates: slugs.length }
  await store.db
    .insertInto('draw')
    .values({ ...draw, candidatesHash, pages: 1 })
    .execute()
  await store.db
    .insertInto('draw_candidates')
    .values({ day, page: 1, slugs: gzipSync(list) })
    .execute()
  for (const [at, slug] of slugs.slice(0, 10).entries()) {
    const { id } = await store.db.selectFrom('listing').select('id').where('slug', '=', slug).executeTakeFirstOrThrow()
    await store.db
      .insertInto('drawn_listing')
      .values({ day, place: at + 1, listingId: id })
      .execute()
  }
}

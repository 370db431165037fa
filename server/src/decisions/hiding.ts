import type { Db } from '../storage/store.ts'

/**
 * The decision by which a listing is down: that hid it, or ended it before its time. Undefined if none did, or a later one
 * restored it.
 */
export async function hidingDecision(db: Db, slug: string): Promise<string | undefined> {
  const last = await db
    .selectFrom('decision')
    .innerJoin('listing', 'listing.id', 'decision.listingId')
    .select(['decision.id', 'kind', 'reason'])
    .where('slug', '=', slug)
    // As in the index, which holds no publication.
    .where('kind', '<>', 'accept')
    .where('kind', 'in', ['hide', 'restore', 'term'])
    .orderBy('at', 'desc')
    .orderBy('decision.id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last?.kind === 'hide' || last?.reason === 'ended' ? last.id : undefined
}

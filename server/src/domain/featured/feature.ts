import { sql } from 'kysely'
import { statement } from '../../platform/db/statement.ts'
import type { Db, Store, Trx } from '../../platform/db/store.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import { operatorNamed, recordDecision } from '../decisions/record.ts'
import { type DatedRow, isPublished, joinPicture, type ListedRow, listedColumns } from '../listings/listed-row.ts'
import { type Listing, lockListingAt, statusOf } from '../listings/listing.ts'

/** The actions for the home page: an operator recommends a listing, leaves it out of the draws, or ends either. */
export const FEATURE_ACTS = ['pick', 'unpick', 'exclude', 'include'] as const
type FeatureAct = (typeof FEATURE_ACTS)[number]

export const NOTE_MAX_LENGTH = 300

interface By {
  /** The operator's name, which a pick shows. */
  name: string
  /** Of a pick, the sentence that is shown; otherwise the reason. */
  words: string
  at: number
}

/** The result: the listing, and whether anything changed. */
interface Featured {
  listing: Listing
  changed: boolean
  /** Whether it could not be picked because it is not published. */
  isDown?: boolean
}

/**
 * Carries out one of these actions, and records it as a decision. Of two at once, one does.
 *
 * @returns undefined if there is no such listing
 */
export function featureListing(store: Store, act: FeatureAct, slug: string, by: By): Promise<Featured | undefined> {
  return store.transact(async trx => {
    const listing = await lockListingAt(trx, slug)
    if (!listing) return undefined
    if (act === 'pick' && statusOf(listing, by.at) !== 'published') return { listing, changed: false, isDown: true }
    if (!(await isDue(trx, act, listing.id))) return { listing, changed: false }
    const decisionId = await recordDecision(trx, {
      kind: act,
      listingId: listing.id,
      ground: 'rules/featured',
      reason: act === 'pick' || act === 'unpick' ? 'picked' : 'draws',
      facts: act === 'pick' ? { note: by.words } : { explanation: by.words },
      actor: operatorNamed(by.name),
      at: by.at,
    })
    await carryOut(trx, act, listing.id, decisionId, by)
    return { listing, changed: true }
  })
}

/** Returns whether a listing is picked, and whether it is left out of the draws. */
export async function readFeatured(db: Db, listingId: number): Promise<{ isPicked: boolean; isExcluded: boolean }> {
  const [pick, exclusion] = [
    await db
      .selectFrom('pick')
      .select('id')
      .where('listingId', '=', listingId)
      .where('endedAt', 'is', null)
      .executeTakeFirst(),
    await db.selectFrom('draw_exclusion').select('at').where('listingId', '=', listingId).executeTakeFirst(),
  ]
  return { isPicked: pick !== undefined, isExcluded: exclusion !== undefined }
}

async function isDue(trx: Trx, act: FeatureAct, listingId: number): Promise<boolean> {
  const { isPicked, isExcluded } = await readFeatured(trx, listingId)
  return { pick: !isPicked, unpick: isPicked, exclude: !isExcluded, include: isExcluded }[act]
}

async function carryOut(trx: Trx, act: FeatureAct, listingId: number, id: string, { name, words, at }: By) {
  switch (act) {
    case 'pick':
      return trx.insertInto('pick').values({ id, listingId, note: words, pickedBy: name, at, endedAt: null }).execute()
    case 'unpick':
      return trx
        .updateTable('pick')
        .set({ endedAt: at })
        .where('listingId', '=', listingId)
        .where('endedAt', 'is', null)
        .execute()
    case 'exclude':
      return trx.insertInto('draw_exclusion').values({ listingId, decisionId: id, at }).execute()
    case 'include':
      return trx.deleteFrom('draw_exclusion').where('listingId', '=', listingId).execute()
  }
}

/** A published listing that the operator recommends. The id is that of the pick. */
export type Picked = ListedRow & Pick<DatedRow, 'expiresAt'> & Pick<Database['pick'], 'id' | 'note' | 'pickedBy' | 'at'>

/** Returns the picks in force whose listings are published, latest first. */
export const readPicks = statement(
  { now: 'bigint', limit: 'bigint' },
  // `cross join` keeps SQLite from beginning with the listings.
  ({ now, limit }) => sql<Picked>`
    select ${listedColumns}, listing."expiresAt", pick.id, pick.note, pick."pickedBy", pick.at
    from pick cross join listing ${joinPicture}
    where listing.id = pick."listingId" and pick."endedAt" is null and ${isPublished(now)}
    order by pick.at desc, pick.id desc limit ${limit}`,
)

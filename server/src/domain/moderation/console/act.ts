import type { Store } from '../../../platform/db/store.ts'
import { type LastAct, lastAct, operatorNamed, wasDecidedSince } from '../../decisions/record.ts'
import { lockListing } from '../../listings/listing.ts'
import { settleFinding } from '../findings.ts'
import { hideListing, type Moderated, type Moderator, restoreListing } from '../moderate.ts'
import { settleReportsOf } from '../settle-reports.ts'

/** The actions on a listing. `keep` leaves it as it is, published or hidden. */
export const ACTS = ['hide', 'keep', 'restore'] as const
export type Act = (typeof ACTS)[number]

/** What an operator saw. Later reports and findings are not settled with it. */
export interface SeenCase {
  listingId: number
  /** The highest numbers of its open reports and findings; 0 without any. */
  lastReport: number
  lastFinding: number
  /** The last action on it; null if there was none. */
  seen: string | null
}

export interface Acted {
  slug: string
  title: string
  /** The reports and findings that this action settled. */
  reports: number[]
  findings: number[]
  /** Whether this action hid or restored the listing, or changed its end. */
  changed: boolean
  /** The previous end, if this action changed it. */
  endsAt?: number
  /** The last action on it now. */
  last: string | null
  /** The action of another operator that came first. Then this one did nothing. */
  first?: Pick<LastAct, 'kind' | 'reason' | 'actor' | 'at'>
}

interface By {
  /** The operator's name. */
  name: string
  explanation: string
  ground?: Moderator['ground']
  /** A code, such as a review reason. */
  reason?: Moderator['reason']
}

/**
 * Decides a case with the same functions as the commands: hides or restores the listing, or leaves it, and settles its
 * open reports and findings. Does nothing if another operator has acted on it since it was seen.
 *
 * @returns undefined if there is no such listing
 */
export async function actOn(
  store: Store,
  act: Act,
  { listingId, lastReport, lastFinding, seen }: SeenCase,
  by: By,
  now: number,
): Promise<Acted | undefined> {
  const listing = await store.db
    .selectFrom('listing')
    .select(['id', 'slug', 'title', 'hiddenAt', 'expiresAt'])
    .where('id', '=', listingId)
    .executeTakeFirst()
  if (!listing) return undefined
  const { slug, title } = listing
  const changed = (await moderate(store, act, slug, by, seen, now))?.changed ?? false
  const open = { listingId, lastReport, lastFinding, seen: changed ? undefined : seen }
  const settled = await settle(store, open, by, now)
  const lastOne = await lastAct(store.db, listingId)
  const last = lastOne?.id ?? null
  if (!settled) return { slug, title, reports: [], findings: [], changed, last, ...(lastOne && { first: lastOne }) }
  const { hiddenAt, expiresAt } = listing
  const isNewTerm = changed && act === 'restore' && hiddenAt === null && expiresAt !== null
  return { slug, title, ...settled, changed, last, ...(isNewTerm && { endsAt: expiresAt }) }
}

function moderate(
  store: Store,
  act: Act,
  slug: string,
  { name, explanation, ground, reason }: By,
  seen: string | null,
  now: number,
): Promise<Moderated | undefined> {
  if (act === 'keep') return Promise.resolve(undefined)
  const actor = operatorNamed(name)
  if (act === 'restore') return restoreListing(store, slug, explanation, now, { actor, seen })
  return hideListing(store, slug, explanation, now, { actor, seen, ground, reason })
}

/**
 * Settles what is open about a listing, up to what was seen.
 *
 * @param open `seen`: the last action on it that the operator saw; undefined if that is the operator's own
 * @returns undefined if there was another action since
 */
function settle(
  store: Store,
  { listingId, lastReport, lastFinding, seen }: Omit<SeenCase, 'seen'> & { seen: SeenCase['seen'] | undefined },
  { name, explanation }: By,
  now: number,
): Promise<Pick<Acted, 'reports' | 'findings'> | undefined> {
  return store.transact(async trx => {
    await lockListing(trx, listingId)
    if (await wasDecidedSince(trx, listingId, seen)) return undefined
    const by = { settlement: explanation, now, actor: operatorNamed(name) }
    const reports = lastReport > 0 ? await settleReportsOf(trx, { listingId, lastReport }, by) : []
    const open = await trx
      .selectFrom('finding')
      .select('id')
      .where('listingId', '=', listingId)
      .where('settledAt', 'is', null)
      .where('id', '<=', lastFinding)
      .execute()
    const findings: number[] = []
    for (const { id } of open) {
      const settled = await settleFinding(trx, id, explanation, name, now)
      if (settled?.changed) findings.push(id)
    }
    return { reports, findings }
  })
}

import type { Store, Trx } from '../../../platform/db/store.ts'
import { changeLedger } from '../../boards/ledger.ts'
import { type LastAct, lastAct, operatorNamed } from '../../decisions/record.ts'
import { lockListing } from '../../listings/listing.ts'
import { settleFinding } from '../findings.ts'
import { hide, type Moderator, restore } from '../moderate.ts'
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
  first?: Pick<LastAct, 'kind' | 'reason' | 'actor' | 'at'> | undefined
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
 * Decides a case as the commands do: hides or restores the listing, or leaves it, and settles its open reports and
 * findings, all in one transaction. Does nothing if another operator has acted on it since it was seen.
 *
 * @returns undefined if there is no such listing
 */
export async function actOn(
  store: Store,
  act: Act,
  { listingId, seen, ...open }: SeenCase,
  { name, explanation, ground, reason }: By,
  now: number,
): Promise<Acted | undefined> {
  const known = await store.db.selectFrom('listing').select('id').where('id', '=', listingId).executeTakeFirst()
  if (!known) return undefined
  // Leaving a listing changes no board.
  const transact: Store['transact'] = work => (act === 'keep' ? store.transact(work) : changeLedger(store, work))
  return transact(async trx => {
    const listing = await lockListing(trx, listingId)
    const { slug, title, hiddenAt, expiresAt } = listing
    const before = await lastAct(trx, listingId)
    if ((before?.id ?? null) !== seen) {
      return { slug, title, reports: [], findings: [], changed: false, last: before?.id ?? null, first: before }
    }
    const actor = operatorNamed(name)
    const change = { hide, restore, keep: undefined }[act]
    const by = act === 'hide' ? { actor, ground, reason } : { actor }
    const changed = (await change?.(trx, listing, explanation, now, by)) ?? false
    const settled = await settle(trx, listingId, open, { name, explanation }, now)
    const last = (await lastAct(trx, listingId))?.id ?? null
    const isNewTerm = changed && act === 'restore' && hiddenAt === null && expiresAt !== null
    return { slug, title, ...settled, changed, last, ...(isNewTerm && { endsAt: expiresAt }) }
  })
}

/** Settles what is open about a listing, up to what was seen. */
async function settle(
  trx: Trx,
  listingId: number,
  { lastReport, lastFinding }: Pick<SeenCase, 'lastReport' | 'lastFinding'>,
  { name, explanation }: Pick<By, 'name' | 'explanation'>,
  now: number,
): Promise<Pick<Acted, 'reports' | 'findings'>> {
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
}

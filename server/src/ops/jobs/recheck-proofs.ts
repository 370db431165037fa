import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { recordDecision } from '../../domain/decisions/record.ts'
import { parseDestination } from '../../domain/destinations/destination.ts'
import { lockListing, noteUpdate } from '../../domain/listings/listing.ts'
import { notifyFollower } from '../../domain/notifications/owner/notice.ts'
import type { CheckSiteProof, ProofPlace } from '../../domain/ownership/site-proof.ts'
import { DueQueue, workOnAllRows } from '../../platform/db/due-queue.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Store, Trx } from '../../platform/db/store.ts'
import { DAY_MS, daysMs, SECOND_MS } from '../../platform/lib/time.ts'
import type { JobDefinition } from './job.ts'

const CHECK_EVERY_MS = DAY_MS
/** How long a proof may be gone before its owner is no longer verified. */
const GRACE_MS = daysMs(7)
const CONCURRENT_MAX = 4
const BATCH = 16

/** Looks for the proofs of verified owners once a day. One that is gone for a week no longer counts. */
export const recheckProofs: JobDefinition<'checkSiteProofAgain' | 'clock'> = {
  name: 'proofs',
  does: 'rechecks the proofs of verified owners',
  everyMs: SECOND_MS,
  countDue: (store, now) => proofs.count(store, now),
  start:
    ({ checkSiteProofAgain: checkSiteProof, clock }) =>
    ({ store, signal }) =>
      workOnAllRows(
        () => dueProofs(store, { now: clock() }),
        CONCURRENT_MAX,
        signal,
        proof => recheck({ store, checkSiteProof, clock }, proof, signal),
      ),
}

const proofs = new DueQueue({ table: 'site_owner', key: 'listingId', dueAt: 'checkAt' })

interface DueProof {
  listingId: number
  url: string
  tokenHash: string
  checkAt: number
}

const dueProofs = statement(
  { now: 'bigint' },
  ({ now }) => sql<DueProof>`
    select due."listingId", listing.url, due."tokenHash", due."checkAt"
    from (select "listingId", "tokenHash", "checkAt" ${proofs.from(now)}
      order by "checkAt" limit ${sql.lit(BATCH)}) as due
    join listing on listing.id = due."listingId"`,
)

interface Recheck {
  store: Store
  checkSiteProof: CheckSiteProof
  clock: () => number
}

async function recheck({ store, checkSiteProof, clock }: Recheck, due: DueProof, stop: AbortSignal): Promise<void> {
  const now = clock()
  // The lease is the schedule: even if this process dies, the next check is a day later.
  const leased = await proofs.lease(store, due, { checkAt: now + CHECK_EVERY_MS })
  if (!leased) return
  const outcome = await checkSiteProof(parseDestination(due.url), text => hash('sha256', text) === due.tokenHash)
  if (stop.aborted || (!outcome.foundBy && outcome.isUnknown)) return
  await store.transact(trx => (outcome.foundBy ? noteFound(trx, due, outcome.foundBy) : noteMissing(trx, due, now)))
}

/** Of this proof: the owner may have proved the website again in the meantime. */
const proofOf = (trx: Trx, { listingId, tokenHash }: DueProof) =>
  trx.updateTable('site_owner').where('listingId', '=', listingId).where('tokenHash', '=', tokenHash)

async function noteFound(trx: Trx, due: DueProof, place: ProofPlace): Promise<void> {
  await proofOf(trx, due).set({ place, missingSince: null, missingTold: 0 }).execute()
}

/** Notifies the owner at the second check without the proof, and ends the verification six days later. */
async function noteMissing(trx: Trx, due: DueProof, now: number): Promise<void> {
  const { listingId, tokenHash } = due
  // First, even if the proof is only missing yet: a proof of the website locks the listing before its owner, too.
  await lockListing(trx, listingId)
  await proofOf(trx, due).set({ missingSince: now }).where('missingSince', 'is', null).execute()
  const { numDeletedRows } = await trx
    .deleteFrom('site_owner')
    .where('listingId', '=', listingId)
    .where('tokenHash', '=', tokenHash)
    .where('missingTold', '=', 1)
    .where('missingSince', '<=', now - GRACE_MS)
    .executeTakeFirst()
  if (numDeletedRows > 0n) {
    await noteUpdate(trx, listingId, now)
    await recordDecision(trx, {
      kind: 'prove',
      listingId,
      ground: 'owner',
      reason: 'lost',
      facts: { explanation: 'The proof is no longer on the website' },
      actor: 'automatic',
      at: now,
    })
    return
  }
  const proof = await proofOf(trx, due)
    // If the service was down in between, its owner still gets the days that the notice promises.
    .set({ missingTold: 1, missingSince: now - CHECK_EVERY_MS })
    .where('missingTold', '=', 0)
    .where('missingSince', '<=', now - CHECK_EVERY_MS)
    .returning('missingSince')
    .executeTakeFirst()
  if (!proof?.missingSince) return
  await notifyFollower(trx, listingId, { kind: 'proof_missing', facts: { until: proof.missingSince + GRACE_MS } }, now)
}

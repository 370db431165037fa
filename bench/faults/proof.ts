import { sql } from 'kysely'
import { verifyDecisions } from '../../server/dist/domain/decisions/chain.js'
import { reconcile } from '../../server/dist/domain/payments/reconcile.js'
import { chainDecisions } from '../../server/dist/ops/jobs/chain-decisions.js'
import type { Store } from '../../server/dist/platform/db/store.js'
import type { History } from './history.ts'
import type { Money } from './money.ts'

/** Judges a store and all that was answered about it. The services are stopped. @returns what is wrong */
export async function proofOf(
  store: Store,
  { history, money }: { history: History; money?: Money },
): Promise<string[]> {
  const { rows } = await sql<{ claims: number; attempts: number }>`
    select (select count(*) from claim) as claims,
      (select count(*) from attempt join claim on claim."requestId" = attempt."requestId"
        join listing on listing.id = claim."listingId" where attempt.state = 'published') as attempts`.execute(
    store.db,
  )
  const { claims, attempts } = { claims: Number(rows[0]?.claims), attempts: Number(rows[0]?.attempts) }
  const published = history.published()
  const { differences } = await reconcile(store, Date.now())
  await chainDecisions(store, Date.now)
  const { fault } = await verifyDecisions(store, Date.now())
  return [
    ...history.faults(),
    ...(claims === published ? [] : [`${claims} claims for ${published} receipts`]),
    ...(attempts === published ? [] : [`${attempts} whole publications for ${published} receipts`]),
    ...((await money?.faults(store)) ?? []),
    ...differences.map(({ what, detail }) => `reconcile: ${what} ${detail}`),
    ...(fault ? [`audit: ${fault}`] : []),
  ]
}

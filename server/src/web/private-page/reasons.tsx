import type { DecisionStatement } from '@placard/contract'
import { findDecision } from '../../appeals/find-decision.ts'
import { statementOf } from '../../appeals/statement.ts'
import { hidingDecision } from '../../decisions/hiding.ts'
import type { Links } from '../../http/links.ts'
import { type Listing, statusOf } from '../../listings/listing.ts'
import type { Store } from '../../storage/store.ts'
import { AppealForm, Statement } from '../decisions/statement.tsx'

/** Why a listing is down, while it is. */
export async function readReasons(
  { store, links }: { store: Store; links: Links },
  listing: Listing,
  now: number,
): Promise<DecisionStatement | undefined> {
  const isDown = statusOf(listing, now) !== 'published'
  const id = isDown ? await hidingDecision(store.db, listing.slug) : undefined
  const decision = id === undefined ? undefined : await findDecision(store.db, id)
  return decision && statementOf(decision, links, now)
}

/** Why the listing is down, and the form to contest it. */
export function Reasons({ claimId, statement }: { claimId: string; statement: DecisionStatement }) {
  return (
    <section class="sec" aria-labelledby="reasons">
      <div class="sec-head">
        <h2 id="reasons">Why it is down</h2>
      </div>
      <div class="sheet">
        <Statement statement={statement} />
        <p class="hint">
          <a href={`/manage/${claimId}/decision`}>These reasons as JSON</a>
        </p>
        {statement.contest.isPossible && <AppealForm action={`/manage/${claimId}/appeal`} />}
      </div>
    </section>
  )
}

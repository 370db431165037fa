import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Store } from '../storage/store.ts'
import { daysMs } from '../time.ts'
import { type Decision, NO_HASH, nextHash } from './chain.ts'
import { FACTS_DAYS, FACTS_END } from './end-facts.ts'

/** What a proof found: the whole chain, or the first thing that is wrong. */
export interface Verified {
  decisions: number
  head: string
  fault?: string
}

/** A decision not chained by then never will be. */
const CHAINED_WITHIN_MS = 60_000
const BATCH = 500

/**
 * Recomputes the chain from its first link, a few hundred decisions at a time, and looks for decisions outside it and
 * for hidden listings that no decision hid.
 *
 * @param known a hash that was the head once: the chain must still lead through it
 */
export async function verifyDecisions(store: Store, now: number, known?: string): Promise<Verified> {
  let [decisions, head] = [0, NO_HASH]
  let isKnown = known === undefined || known === NO_HASH
  for (;;) {
    const links = await linksAfter(store, decisions)
    for (const link of links) {
      const fault = faultOf(link, decisions + 1, head, now)
      if (fault) return { decisions, head, fault }
      decisions++
      head = link.hash
      isKnown ||= head === known
    }
    if (links.length < BATCH) break
  }
  const fault = isKnown
    ? ((await outsideChain(store, now)) ?? (await hiddenByNobody(store)))
    : `the chain no longer leads through ${known}: its end was cut off, or all of it was made anew`
  return fault ? { decisions, head, fault } : { decisions, head }
}

type Link = Omit<Decision, 'id' | 'position'> & {
  hash: string
  chained: number
  decisionId: string
  id: string | null
  position: number | null
}

async function linksAfter(store: Store, position: number): Promise<Link[]> {
  const { rows } = await sql<Link>`
    select decision.*, chain.position as chained, chain.hash, chain."decisionId"
    from decision_chain as chain left join decision on decision.id = chain."decisionId"
    where chain.position > ${position} order by chain.position limit ${sql.lit(BATCH)}`.execute(store.db)
  return rows
}

function faultOf(link: Link, expected: number, before: string, now: number): string | undefined {
  const { chained, decisionId, id, position, facts, factsHash, kind, at } = link
  if (Number(chained) !== expected) return `link ${expected} of the chain is missing`
  const named = `decision ${decisionId}, number ${expected} in the chain,`
  if (id === null) return `${named} is missing`
  if (position === null || Number(position) !== expected) return `${named} says it stands elsewhere`
  if (nextHash(before, { ...link, id, position }) !== link.hash) {
    return `${named} was changed, moved or exchanged`
  }
  if (facts !== null)
    return hash('sha256', facts) === factsHash ? undefined : `the facts of ${named} were changed`
  const mayHaveEnded = FACTS_END.includes(kind) && at < now - daysMs(FACTS_DAYS)
  return mayHaveEnded ? undefined : `the facts of ${named} are gone before their time`
}

async function outsideChain(store: Store, now: number): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select decision.id from decision left join decision_chain as chain on chain.position = decision.position
    where (decision.position is null and at < ${now - CHAINED_WITHIN_MS})
      or (decision.position is not null and (chain."decisionId" is null or chain."decisionId" <> decision.id))
      -- Before the first link.
      or decision.position < 1
    limit 1`.execute(store.db)
  return rows[0] && `decision ${rows[0].id} is not in the chain`
}

async function hiddenByNobody(store: Store): Promise<string | undefined> {
  const { rows } = await sql<{ slug: string }>`
    select slug from listing where "hiddenAt" is not null and coalesce((
      select kind from decision
      where decision."listingId" = listing.id and kind <> 'accept' and kind in ('hide', 'restore')
      order by at desc, id desc limit 1
    ), '') <> 'hide' limit 1`.execute(store.db)
  return rows[0] && `the listing ${rows[0].slug} is hidden, and no decision says so`
}

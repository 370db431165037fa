import { hash } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import { type Db, readOneMoment, type Store } from '../../platform/db/store.ts'
import { type DecisionTable, FACTS_DAYS, FACTS_END } from '../../platform/db/tables/decisions.ts'
import { daysMs } from '../../platform/lib/time.ts'
import { countKey } from './counts.ts'

export type Decision = Selectable<DecisionTable>

/** The hash before the first link. */
export const NO_HASH = '0'.repeat(64)

/**
 * How much earlier than an already chained decision a new one may be dated. It allows for differences between clocks,
 * and for the time that decisions take.
 */
export const LATE_MAX_MS = 5 * 60_000

/**
 * The text that is hashed: the decision as JSON with its names in order. Facts are included by their own hash, so they
 * can be deleted.
 */
function canonical(decision: Decision): string {
  const { about, actor, at, factsHash, ground, id, kind, listingId, reason, reportId, requestId } = decision
  return JSON.stringify({ about, actor, at, factsHash, ground, id, kind, listingId, reason, reportId, requestId })
}

export const nextHash = (before: string, decision: Decision, notBefore: number | null): string =>
  hash('sha256', before + canonical(decision) + (notBefore === null ? '' : ` not before ${notBefore}`))

/** Returns whether a decision claims to precede others that were chained before it. */
export const isDatedBack = (at: number, notBefore: number | null): boolean =>
  notBefore !== null && at < notBefore - LATE_MAX_MS

/** The result of a verification: the whole chain, or its first fault. */
export interface Verified {
  decisions: number
  head: string
  fault?: string
}

/** A decision that is not chained after this time never will be. */
const CHAINED_WITHIN_MS = 60_000
const BATCH = 500

/**
 * Recomputes the chain from its first link, a few hundred decisions at a time. Also finds decisions outside the chain
 * or dated back, wrong monthly counts, listings whose last decision does not match whether they are hidden, and draws
 * by another seed. Reads one moment.
 *
 * @param known a former head: the chain must still contain it
 */
export const verifyDecisions = (store: Store, now: number, known?: string): Promise<Verified> =>
  readOneMoment(store, db => verifyIn(db, now, known))

async function verifyIn(db: Db, now: number, known: string | undefined): Promise<Verified> {
  let [decisions, head] = [0, NO_HASH]
  let isKnown = known === undefined || known === NO_HASH
  const counts = new Map<string, number>()
  for (;;) {
    const links = await linksAfter(db, decisions)
    for (const link of links) {
      const fault = faultOf(link, decisions + 1, head, now)
      if (fault) return { decisions, head, fault }
      const key = countKey(link)
      counts.set(key, (counts.get(key) ?? 0) + 1)
      decisions++
      head = link.hash
      isKnown ||= head === known
    }
    if (links.length < BATCH) break
  }
  const fault = isKnown
    ? ((await outsideChain(db, now)) ??
      (await miscounted(db, counts)) ??
      (await undecided(db)) ??
      (await drawnOtherwise(db)))
    : `the chain does not contain the head ${known}: its last decisions were deleted, or the whole chain was rewritten`
  return fault ? { decisions, head, fault } : { decisions, head }
}

type Link = Omit<Decision, 'id' | 'position'> & {
  hash: string
  chained: number
  notBefore: number | null
  decisionId: string
  id: string | null
  position: number | null
}

async function linksAfter(db: Db, position: number): Promise<Link[]> {
  const { rows } = await sql<Link>`
    select decision.*, chain.position as chained, chain.hash, chain."decisionId", chain."notBefore"
    from decision_chain as chain left join decision on decision.id = chain."decisionId"
    where chain.position > ${position} order by chain.position limit ${sql.lit(BATCH)}`.execute(db)
  return rows
}

function faultOf(link: Link, expected: number, before: string, now: number): string | undefined {
  const { chained, notBefore, decisionId, id, position, facts, factsHash, kind, at } = link
  if (Number(chained) !== expected) return `link ${expected} of the chain is missing`
  const named = `decision ${decisionId}, number ${expected} in the chain,`
  if (id === null) return `${named} is missing`
  if (position === null || Number(position) !== expected) return `${named} says it stands elsewhere`
  if (nextHash(before, { ...link, id, position }, notBefore) !== link.hash) {
    return `${named} was changed, moved or replaced`
  }
  if (notBefore !== null && isDatedBack(at, notBefore)) {
    return `${named} was inserted later: it is dated ${time(at)}, but did not exist yet at ${time(notBefore)}`
  }
  if (facts !== null) return hash('sha256', facts) === factsHash ? undefined : `the facts of ${named} were changed`
  const mayHaveEnded = FACTS_END.includes(kind) && at < now - daysMs(FACTS_DAYS)
  return mayHaveEnded ? undefined : `the facts of ${named} were deleted too early`
}

const time = (at: number) => new Date(at).toISOString()

async function outsideChain(db: Db, now: number): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select decision.id from decision left join decision_chain as chain on chain.position = decision.position
    where (decision.position is null and at < ${now - CHAINED_WITHIN_MS})
      or (decision.position is not null and (chain."decisionId" is null or chain."decisionId" <> decision.id))
      -- Before the first link.
      or decision.position < 1
    limit 1`.execute(db)
  return rows[0] && `decision ${rows[0].id} is not in the chain`
}

/** Decisions are counted when they are chained, so both agree at each moment. */
async function miscounted(db: Db, counted: ReadonlyMap<string, number>): Promise<string | undefined> {
  const stored = await db.selectFrom('decision_count').selectAll().execute()
  const left = new Map(counted)
  for (const { decisions, ...count } of stored) {
    const key = [count.month, count.kind, count.reason].join(' ')
    const right = left.get(key) ?? 0
    left.delete(key)
    if (Number(decisions) !== right) return `the count of ${key} is ${decisions}, but there are ${right} decisions`
  }
  const [missing] = left
  return missing && `the count of ${missing[0]} is missing: there are ${missing[1]} decisions`
}

/**
 * The last decision about hiding a listing must match whether it is hidden. The position in the chain decides which is
 * last, because the clocks of instances may differ.
 */
async function undecided(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ slug: string; hiddenAt: number | null }>`
    select slug, "hiddenAt" from listing where (case when "hiddenAt" is null then 0 else 1 end) <> (
      case coalesce((
        select kind from decision
        where decision."listingId" = listing.id and kind <> 'accept' and kind in ('hide', 'restore')
        order by position is null desc, position desc, id desc limit 1
      ), '') when 'hide' then 1 else 0 end
    ) limit 1`.execute(db)
  const [found] = rows
  if (!found) return undefined
  return found.hiddenAt === null
    ? `the listing ${found.slug} is shown, but a decision hid it and none restored it`
    : `the listing ${found.slug} is hidden without a decision`
}

/** Finds a draw whose seed is not the hash of the chain at its position. */
async function drawnOtherwise(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ day: string }>`
    select day from draw left join decision_chain as chain on chain.position = draw."chainPosition"
    where seed <> coalesce(chain.hash, ${NO_HASH}) limit 1`.execute(db)
  return rows[0] && `the draw of ${rows[0].day} has a seed that is not in the chain at its position`
}

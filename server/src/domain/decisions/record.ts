import { hash } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { statementOfRows } from '../../platform/db/statement.ts'
import type { Db, Trx } from '../../platform/db/store.ts'
import type { Actor, DecisionKind } from '../../platform/db/tables/decisions.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import { type GroundId, groundNow } from './grounds.ts'

export type Decision = Selectable<Database['decision']>

export interface NewDecision {
  /** Without it, a new one is made. */
  id?: string
  kind: DecisionKind
  listingId?: number | null
  requestId?: string | null
  reportId?: number | null
  about?: string | null | undefined
  ground: GroundId
  /** A code, such as a review reason. */
  reason: string
  /** The facts it is based on, as plain JSON. Never anything that identifies a client. */
  facts: object
  actor: Actor
  at: number
}

/**
 * Records a decision in the transaction that carries it out. A job adds it to the public log within seconds. @returns its id
 */
export async function recordDecision(trx: Trx, decision: NewDecision): Promise<string> {
  const row = rowOf(decision)
  await putDecisions(trx, [row])
  return row.id
}

/** Rows per statement: SQLite takes 32,766 values at most, and each number of rows is compiled once. */
const ROWS_AT_ONCE = 100

/** Records many decisions in the transaction that carries them out, in a few statements. */
export async function recordDecisions(trx: Trx, decisions: readonly NewDecision[]): Promise<void> {
  for (let from = 0; from < decisions.length; from += ROWS_AT_ONCE) {
    await putDecisions(trx, decisions.slice(from, from + ROWS_AT_ONCE).map(rowOf))
  }
}

function rowOf({ id = uuidv7(), kind, listingId, requestId, reportId, about, ...decision }: NewDecision) {
  const { ground, reason, actor, at } = decision
  const facts = JSON.stringify(decision.facts)
  return {
    id,
    kind,
    listingId: listingId ?? null,
    requestId: requestId ?? null,
    reportId: reportId ?? null,
    about: about ?? null,
    ground: groundNow(ground),
    reason,
    facts,
    factsHash: hash('sha256', facts),
    actor,
    at,
  }
}

const putDecisions = statementOfRows(
  {
    id: 'text',
    kind: 'text',
    listingId: 'bigint?',
    requestId: 'text?',
    reportId: 'bigint?',
    about: 'text?',
    ground: 'text',
    reason: 'text',
    facts: 'text',
    factsHash: 'text',
    actor: 'text',
    at: 'bigint',
  },
  (decisions, db) => db.insertInto('decision').values(decisions as never),
)

/**
 * Orders decisions by their places in the log, which the newest don't have yet: the clock may have been set back.
 *
 * @param table the name of the decisions in the statement
 */
export const latestFirst = (table = 'decision') => {
  const [position, id] = [sql.ref(`${table}.position`), sql.ref(`${table}.id`)]
  return sql`(${position} is null) desc, ${position} desc, ${id} desc`
}

/**
 * SQL for whether a decision concerns only a new owner, because an earlier proof of the website gave them the listing.
 * Earlier means as in `latestFirst`. The index of a listing's decisions leaves out `accept`, so this does, too.
 *
 * @param table the name of that decision in the statement
 */
export const isOfNewOwner = (listingId: unknown, table: string) => {
  const [position, id] = [sql.ref(`${table}.position`), sql.ref(`${table}.id`)]
  return sql<boolean | 0 | 1>`exists (
    select 1 from decision as proof
    where proof."listingId" = ${listingId} and proof.kind <> 'accept' and proof.kind = 'prove'
      and proof.reason = 'claimed' and (proof.position < ${position}
        or ${position} is null and (proof.position is not null or proof.id < ${id}))
  )`
}

/** What the API adds to the ways to appeal. Pages and mails leave it out: their readers have a form or a button. */
export const OR_BY_API = ' or by the API (appealUrl)'

export const operatorNamed = (name: string): `operator:${string}` => `operator:${name}`

/** The name of the operator who decided; undefined if none did. */
export const operatorOf = (actor: Actor): string | undefined =>
  actor.startsWith('operator:') ? actor.slice('operator:'.length) : undefined

/** The reason of a withdrawal by the owner, also where an operator undid that it was restored. */
export const WITHDRAWN = 'withdrawn'

/**
 * Returns the decision that took a listing down: that hid it, or ended it early. Undefined if there is none, or a later
 * decision restored the listing. If an operator undid the later decision, the earlier one is in force again.
 *
 * @param skipsOwner whether withdrawals by the owner don't count, because they reverse no decision before
 */
export async function hidingDecision(
  db: Db,
  slug: string,
  { skipsOwner = false }: { skipsOwner?: boolean } = {},
): Promise<string | undefined> {
  const last = await lastAboutShowing(db, slug)
    .$if(skipsOwner, query => query.where('reason', '<>', WITHDRAWN))
    .executeTakeFirst()
  const inForce = await inForceAfter(db, last)
  return inForce?.kind === 'hide' || inForce?.reason === 'ended' ? inForce.id : undefined
}

/** Returns the second-to-last decision about showing a listing, if an operator's early end was in force after it. */
export async function endedBefore(db: Db, slug: string): Promise<string | undefined> {
  const [, before] = await lastAboutShowing(db, slug).limit(2).execute()
  return (await inForceAfter(db, before))?.reason === 'ended' ? before?.id : undefined
}

/** Returns the decision that is in force after another one: an undo names the earlier decision that it brings back. */
async function inForceAfter(db: Db, decision: Decision | undefined): Promise<Decision | undefined> {
  let last = decision
  while (last?.about && last.reason !== 'reversed') {
    last = await db.selectFrom('decision').selectAll().where('id', '=', last.about).executeTakeFirst()
  }
  return last
}

/** Returns the last decision about whether a listing is shown. */
export const lastShowing = (db: Db, slug: string): Promise<Decision | undefined> =>
  lastAboutShowing(db, slug).executeTakeFirst()

/** Returns the decision that restored a listing after an appeal; undefined once a later decision changed that. */
export async function appealGranted(db: Db, slug: string): Promise<Decision | undefined> {
  const last = await lastShowing(db, slug)
  return last?.reason === 'reversed' ? last : undefined
}

const lastAboutShowing = (db: Db, slug: string) =>
  db
    .selectFrom('decision')
    .innerJoin('listing', 'listing.id', 'decision.listingId')
    .selectAll('decision')
    .where('slug', '=', slug)
    // Repeats the condition of the index, which excludes publications.
    .where('kind', '<>', 'accept')
    .where('kind', 'in', ['hide', 'restore', 'term'])
    .orderBy(latestFirst())
    .limit(1)

export type LastAct = Pick<Decision, 'id' | 'kind' | 'reason' | 'actor' | 'at'>

/** Kinds of decisions that change what an operator must decide about a listing. */
const ACTS = ['hide', 'restore', 'term', 'settle', 'settle_finding', 'outcome'] as const

/** Returns the last action on a listing. */
export const lastAct = (db: Db, listingId: number): Promise<LastAct | undefined> =>
  db
    .selectFrom('decision')
    .select(['id', 'kind', 'reason', 'actor', 'at'])
    .where('listingId', '=', listingId)
    // Repeats the condition of the index, which excludes publications.
    .where('kind', '<>', 'accept')
    .where('kind', 'in', ACTS)
    .orderBy(latestFirst())
    .limit(1)
    .executeTakeFirst()

/**
 * Returns whether an operator's page is out of date, because someone acted on the listing since.
 *
 * @param seen the last action that the page showed; null if it showed that there was none, undefined without a page
 */
export const wasDecidedSince = async (db: Db, listingId: number, seen: string | null | undefined): Promise<boolean> =>
  seen !== undefined && ((await lastAct(db, listingId))?.id ?? null) !== seen

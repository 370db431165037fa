import type { NotNull } from 'kysely'
import type { Db, Store, Trx } from '../../../platform/db/store.ts'
import { type Actor, type DecisionKind, isOpenAppeal } from '../../../platform/db/tables/decisions.ts'
import { daysMs } from '../../../platform/lib/time.ts'
import { changeLedger } from '../../boards/ledger.ts'
import type { Decision } from '../../decisions/record.ts'
import { hidingDecision, lastShowing, operatorNamed, operatorOf, recordDecision } from '../../decisions/record.ts'
import { planMail } from '../../notifications/owner/plan-mail.ts'
import { reopenAttempt } from '../../publishing/attempts.ts'
import { restore } from '../moderate.ts'
import { reopenReport } from '../settle-reports.ts'
import { type FoundDecision, findDecision } from './statement.ts'

export const RESULTS = { uphold: 'upheld', reverse: 'reversed' } as const
export type Result = (typeof RESULTS)[keyof typeof RESULTS]

/** What a result means to an operator: "upheld" alone could mean the decision, or the appeal. */
export const OUTCOMES: Record<Result, string> = {
  upheld: 'rejected: the decision stands',
  reversed: 'granted: the decision is reversed',
}

/** The operator made the appealed decision, and there are other operators. */
export class AnotherDecides extends Error {}

/**
 * An appeal, with the decision that it appeals. `result` is the stored one. If the appeal was already decided, that is
 * the first result.
 */
export interface Decided {
  contested: FoundDecision
  result: Result
  changed: boolean
}

/** The decisions that an owner appeals: those that took the listing down. Others are appealed by the reporter. */
const OWNERS_KINDS: readonly DecisionKind[] = ['hide', 'term']

/**
 * Decides an appeal, and carries out the result in the same transaction. A listing that was hidden or ended is
 * restored, a refused submission may be sent once more with its key, and a settled report is open again.
 *
 * @param id of the appealed decision, or of the appeal
 * @param name of the operator who decides
 * @returns undefined if there is no such appeal
 * @throws AnotherDecides if another operator must decide it
 */
export function decideAppeal(
  store: Store,
  id: string,
  result: Result,
  { name, explanation }: { name: string; explanation: string },
  now: number,
): Promise<Decided | undefined> {
  return changeLedger(store, async trx => {
    const contested = await contestedBy(trx, id)
    if (!contested?.appeal) return undefined
    if (contested.outcome) return { contested, result: contested.outcome.reason as Result, changed: false }
    const others = (await operatorsKnown(trx, now)).filter(each => each !== name)
    const isSame = operatorOf(contested.actor) === name
    if (isSame && others.length > 0) {
      throw new AnotherDecides(
        `${name} made the appealed decision, so another operator must decide the appeal: ${others.join(', ')}`,
      )
    }
    const { listingId, requestId, reportId } = contested
    const actor = operatorNamed(name)
    const outcomeId = await recordDecision(trx, {
      kind: 'outcome',
      listingId,
      requestId,
      reportId,
      about: contested.id,
      ground: 'rules/appeals',
      reason: result,
      actor,
      at: now,
      facts: { explanation, ...(isSame && { onlyOperator: true }) },
    })
    if (listingId !== null && OWNERS_KINDS.includes(contested.kind)) {
      await planMail(trx, listingId, { kind: 'decided', facts: { decisionId: outcomeId } }, now)
    }
    if (result === 'reversed') await carryOut(trx, contested, { actor, explanation, outcomeId }, now)
    return { contested, result, changed: true }
  })
}

async function carryOut(
  trx: Trx,
  { id, kind, listingId, requestId, reportId, facts }: Decision,
  by: { actor: Exclude<Actor, 'reporter'>; explanation: string; outcomeId: string },
  now: number,
): Promise<void> {
  if (kind === 'refuse' && requestId !== null) await reopenAttempt(trx, requestId, facts, now)
  if (kind === 'settle' && reportId !== null) await reopenReport(trx, reportId, by.outcomeId)
  if ((kind !== 'hide' && kind !== 'term') || listingId === null) return
  const listing = await trx.selectFrom('listing').selectAll().where('id', '=', listingId).executeTakeFirstOrThrow()
  // The listing may have been taken down again since, for another reason. One that was ended gets a whole term.
  if ((await hidingDecision(trx, listing.slug)) !== id) return
  await restore(trx, listing, by.explanation, now, {
    actor: by.actor,
    ground: 'rules/appeals',
    reason: 'reversed',
    // An operator may have repeated the decision by undoing something. A decision is restored once.
    about: (await lastShowing(trx, listing.slug))?.id ?? id,
  })
}

/** An operator with no decision for this long counts as gone, except with access to the console. */
const OPERATOR_DAYS = 90

/** Returns the names of all operators with recent decisions or access to the console. */
async function operatorsKnown(db: Db, now: number): Promise<string[]> {
  const mayEnter = await db.selectFrom('console_operator').select('name').execute()
  const decided = await db
    .selectFrom('decision')
    .select('actor')
    .distinct()
    // Repeats the condition of the index, which excludes publications.
    .where('actor', '<>', 'automatic')
    .where('at', '>', now - daysMs(OPERATOR_DAYS))
    .execute()
  const names = decided.flatMap(({ actor }) => operatorOf(actor) ?? [])
  return [...new Set([...names, ...mayEnter.map(({ name }) => name)])].sort()
}

async function contestedBy(db: Db, id: string): Promise<FoundDecision | undefined> {
  const found = await findDecision(db, id)
  return found?.kind === 'appeal' && found.about !== null ? findDecision(db, found.about) : found
}

/** An undecided appeal: the decision that it appeals, and the listing that the decision is about, if any. */
export interface OpenAppeal {
  about: string
  listingId: number | null
  at: number
}

/** Returns undecided appeals, oldest first. @param listings only appeals about these; without it, all */
export const listOpenAppeals = ({ db }: Store, count: number, listings?: readonly number[]): Promise<OpenAppeal[]> =>
  db
    .selectFrom('decision')
    .select(['about', 'listingId', 'at'])
    .where(isOpenAppeal)
    // Repeats the condition of the index, which excludes publications.
    .$if(listings !== undefined, query => query.where('listingId', 'in', listings ?? []).where('kind', '<>', 'accept'))
    .orderBy('at')
    .orderBy('id')
    .limit(count)
    .$narrowType<{ about: NotNull }>()
    .execute()

/** Returns the appealed decisions with their appeals. */
export async function contestedIn(
  { db }: Store,
  appeals: readonly Pick<OpenAppeal, 'about'>[],
): Promise<FoundDecision[]> {
  const found: FoundDecision[] = []
  for (const { about } of appeals) {
    const contested = await findDecision(db, about)
    if (contested) found.push(contested)
  }
  return found
}

import { DECISIONS_PATH, type DecisionStatement, REVIEW_REASONS, type ReviewReason } from '@placard/contract'
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/store.ts'
import { CONTEST_DAYS, type DecisionKind } from '../../../platform/db/tables/decisions.ts'
import type { Links } from '../../../platform/http/links.ts'
import { isUuid } from '../../../platform/lib/text.ts'
import { daysMs, utcMinute } from '../../../platform/lib/time.ts'
import { groundOf } from '../../decisions/grounds.ts'
import type { Decision } from '../../decisions/record.ts'
import { isOfNewOwner, OR_BY_API, operatorOf, WITHDRAWN } from '../../decisions/record.ts'

/** Returns the reasons for a decision. This shape never changes, and contains no person's name. */
export function statementOf(decision: FoundDecision, links: Links, now: number): DecisionStatement {
  const { id, kind, at, actor, hostname, requestId, slug, about, reason, factsHash, position } = decision
  const ground = groundOf(decision.ground)
  const isAutomatic = actor === 'automatic'
  return {
    id,
    kind,
    decision: wordsOf(decision),
    decidedAt: at,
    decidedBy: operatorOf(actor) === undefined ? actor : 'operator',
    automated: { detection: isAutomatic, decision: isAutomatic },
    about: {
      ...(hostname !== null && { website: hostname }),
      ...(requestId !== null && { requestId }),
      ...(slug !== null && { productUrl: links.product(slug) }),
      ...(about !== null && { decision: about }),
    },
    reason,
    ground: { ...ground, url: `${links.base}/rules` },
    ...factsShown(decision),
    factsSha256: factsHash,
    scope: {
      territory: 'Everywhere: the site is the same for everyone.',
      duration: durationOf(decision),
    },
    contest: contestOf(decision, links, now),
    ...appealOf(decision),
    ...(position !== null && { logIndex: position }),
    chargeCreated: false,
  }
}

const WORDS: Record<DecisionKind, string> = {
  accept: 'The website was listed.',
  refuse: 'The website was not listed.',
  hide: 'The listing was taken down.',
  restore: 'The listing is shown again.',
  term: 'The end of the listing was changed.',
  refresh: 'The listing was updated from its page.',
  category: 'The listing was moved to another category.',
  renew: 'The private link was renewed.',
  prove: 'Someone proved that the website is theirs.',
  report: 'A report was received.',
  settle: 'A report was reviewed and closed.',
  settle_finding: 'A finding about the page was reviewed and closed.',
  settle_payment: 'An unmatched payment was settled.',
  block: 'A host was blocked.',
  unblock: 'A host is no longer blocked.',
  pick: 'The operator recommended the listing.',
  unpick: 'The operator no longer recommends the listing.',
  exclude: 'The listing was left out of the daily draws.',
  include: 'The listing takes part in the daily draws again.',
  appeal: 'An appeal was received.',
  outcome: 'An appeal was decided.',
}

function wordsOf({ kind, reason }: Decision): string {
  if (kind === 'refuse' && Object.hasOwn(REVIEW_REASONS, reason)) {
    return `${WORDS.refuse} ${REVIEW_REASONS[reason as ReviewReason]}`
  }
  if (reason === WITHDRAWN) return 'The listing was withdrawn by its owner.'
  if (reason === 'listing_hidden') return `${WORDS[kind]} The listing is taken down.`
  if (reason === 'listing_kept') return `${WORDS[kind]} The listing stays up.`
  if (reason === 'ended') return 'The listing was ended before its time.'
  if (reason === 'extended') return 'The listing was given more time.'
  if (reason === 'reissued') return 'The owner was given a new private link.'
  if (reason === 'reopened' && kind !== 'restore') return 'What was closed is open again.'
  if (reason === 'upheld') return `${WORDS.outcome} The decision stands.`
  if (reason === 'reversed') return `${WORDS.outcome} The decision is reversed.`
  return WORDS[kind]
}

function durationOf({ kind, reason, outcome }: FoundDecision): string {
  if (outcome?.reason === 'reversed') return 'It was reversed, and no longer has any effect.'
  if (kind === 'refuse') return 'For this submission. A new submission is reviewed again.'
  if (reason === WITHDRAWN) return 'Until its owner or the operator shows the listing again.'
  const isDown = kind === 'hide' || reason === 'ended'
  return isDown ? 'Until the operator restores the listing.' : 'It has taken effect.'
}

const WAYS: Partial<Record<DecisionKind, string>> = {
  refuse: 'by the API (appealUrl)',
  hide: `on the private page${OR_BY_API}`,
  term: `on the private page${OR_BY_API}`,
  settle: 'on the page of the report',
}

function contestOf(decision: FoundDecision, links: Links, now: number): DecisionStatement['contest'] {
  const { id, kind, appeal, outcome } = decision
  const until = contestableUntil(decision)
  if (until === undefined) return { isPossible: false, how: nothingToAppeal(decision, links, now) }
  const day = `${utcMinute(until)} UTC`
  if (appeal) {
    const how = outcome
      ? `The appeal was decided. You cannot appeal again. ${afterwards(decision)}`
      : 'An appeal was received. A person will decide it.'
    return { isPossible: false, until, how: `${how} ${elsewhere(links)}` }
  }
  if (until <= now) return { isPossible: false, until, how: `The time for an appeal ended ${day}. ${elsewhere(links)}` }
  const appealUrl = `${links.base}${DECISIONS_PATH}/${id}/appeal`
  return {
    isPossible: true,
    until,
    ...(isOwners(decision) && { appealUrl }),
    how: `You can appeal once, until ${day}, ${WAYS[kind] ?? 'to support'}: say in at most 1,000 characters why the decision is wrong. A person decides, free of charge. ${elsewhere(links)}`,
  }
}

const afterwards = ({ kind, outcome }: FoundDecision): string =>
  kind === 'refuse' && outcome?.reason === 'reversed' ? REPEAT : ''

const REPEAT = 'Repeat the original request once more, with the same key, secret and body.'

/** Owners need no advice about their own decisions, nor about those in their favour. */
function nothingToAppeal(
  { kind, reason, actor, requestId, hiddenAt, expiresAt }: FoundDecision,
  links: Links,
  now: number,
): string {
  if (kind === 'outcome' && reason === 'reversed') {
    if (requestId !== null) return REPEAT
    if (hiddenAt !== null) return 'Another decision has taken the listing down.'
    return expiresAt !== null && expiresAt <= now ? 'The time of the listing has ended since.' : WORDS.restore
  }
  if (kind === 'outcome') return `You cannot appeal again. ${elsewhere(links)}`
  return `There is nothing to appeal.${actor === 'owner' ? '' : ` ${elsewhere(links)}`}`
}

const elsewhere = (links: Links): string =>
  links.isSupportGiven
    ? `Support is at ${links.support}. Courts and out-of-court bodies stay open to you.`
    : 'Courts and out-of-court bodies stay open to you.'

function appealOf({ appeal, outcome }: FoundDecision): Pick<DecisionStatement, 'appeal'> {
  if (!appeal) return {}
  const statement = textIn(appeal, 'statement')
  return {
    appeal: {
      id: appeal.id,
      receivedAt: appeal.at,
      ...(statement !== undefined && { statement }),
      ...(outcome && { outcome: outcomeOf(outcome) }),
    },
  }
}

function outcomeOf({ id, reason, at, ...rest }: Decision) {
  const explanation = textIn({ id, reason, at, ...rest }, 'explanation')
  return { id, result: reason, ...(explanation !== undefined && { explanation }), decidedAt: at }
}

const factsOf = ({ facts }: Decision): Pick<DecisionStatement, 'facts'> =>
  facts === null ? {} : { facts: JSON.parse(facts) as Record<string, unknown> }

/**
 * Returns the facts for the people affected: only the evidence of reviewers that refused. The others' notes did not
 * decide. They also show how near a page came, and which words would pass.
 */
function factsShown(decision: Decision): Pick<DecisionStatement, 'facts'> {
  const { facts } = factsOf(decision)
  if (!Array.isArray(facts?.verdicts)) return facts ? { facts } : {}
  const verdicts = facts.verdicts.map(({ evidence, ...verdict }) =>
    verdict.outcome === 'reject' ? { ...verdict, evidence } : verdict,
  )
  return { facts: { ...facts, verdicts } }
}

/** Returns a text from the facts, unless they are deleted. */
export function textIn(decision: Decision, name: string): string | undefined {
  const text = factsOf(decision).facts?.[name]
  return typeof text === 'string' ? text : undefined
}

/** A decision, with everything for its statement. */
export interface FoundDecision extends Decision {
  /**
   * Of the submission that it is about. Null if a payment listed the website without one, if the submission was deleted,
   * or if a proof of the website had given the listing to another person.
   */
  secretHash: string | null
  hostname: string | null
  slug: string | null
  /** When the listing was hidden, if it is still hidden. */
  hiddenAt: number | null
  /** When the listing ends; null without an end, or without a listing. */
  expiresAt: number | null
  /** The appeal against it, with its outcome. */
  appeal: Decision | undefined
  outcome: Decision | undefined
}

/** A stranger may have posted the listing. From the proof on, only the private link opens decisions about it. */
const secretHashOfReader = sql<string | null>`case
  when decision."requestId" is null and ${isOfNewOwner(sql`decision."listingId"`, 'decision')} then null
  else attempt."secretHash" end`

export async function findDecision(db: Db, id: string): Promise<FoundDecision | undefined> {
  if (!isUuid(id)) return undefined
  const decision = await db
    .selectFrom('decision')
    .leftJoin('listing', 'listing.id', 'decision.listingId')
    .leftJoin('claim', 'claim.listingId', 'decision.listingId')
    .leftJoin('attempt', join =>
      join.on(sql<boolean>`attempt."requestId" = coalesce(decision."requestId", claim."requestId")`),
    )
    .selectAll('decision')
    .select([secretHashOfReader.as('secretHash'), 'listing.slug', 'listing.hiddenAt', 'listing.expiresAt'])
    .select(sql<string | null>`coalesce(listing.hostname, attempt.hostname)`.as('hostname'))
    .where('decision.id', '=', id)
    .executeTakeFirst()
  if (!decision) return undefined
  const answers = await db
    .selectFrom('decision')
    .selectAll()
    .where('about', '=', id)
    .where('kind', 'in', ['appeal', 'outcome'])
    .execute()
  return {
    ...decision,
    appeal: answers.find(({ kind }) => kind === 'appeal'),
    outcome: answers.find(({ kind }) => kind === 'outcome'),
  }
}

/** Returns the last moment to appeal a decision; undefined if it can't be appealed. An owner's own action can't. */
export function contestableUntil({ kind, reason, at }: Decision): number | undefined {
  const isTakenDown = (kind === 'hide' && reason !== WITHDRAWN) || (kind === 'term' && reason === 'ended')
  const isContestable = kind === 'refuse' || kind === 'settle' || isTakenDown
  return isContestable ? at + daysMs(CONTEST_DAYS) : undefined
}

/**
 * Returns whether the submission's secret gives access to a decision. A report and its outcome belong to the reporter,
 * and what an operator notes about a finding to the operators.
 */
export const isOwners = ({ kind, about, reportId, reason }: Decision): boolean =>
  !['report', 'settle', 'settle_finding'].includes(kind) &&
  !(about !== null && reportId !== null) &&
  !(kind === 'outcome' && reason === 'reopened')

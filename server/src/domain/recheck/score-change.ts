import type { ReviewReason } from '@placard/contract'
import { registrableDomain } from '../destinations/hostname.ts'
import { distinctiveWords, isSameText, type Snapshot, sharedWords } from '../listings/seen-page.ts'
import type { Finding } from '../moderation/findings.ts'
import type { PageMetadata } from '../review/page.ts'
import type { Judged } from '../review/reviewers/admitted.ts'
import type { Evidence } from '../review/verdict.ts'

/** What a recheck saw of a listed page: a page with its review, or why there was none. `text` is its whole text. */
export type Observation =
  | { seen: Snapshot; text: string; refusal: Judged | undefined }
  | { seen?: undefined; why: string }

/** How a page has changed. Only a takeover hides the listing, for `refusal`. Every other problem is a finding. */
export type Change =
  | { verdict: 'same' | 'changed' | 'gone'; findings: readonly Finding[] }
  | { verdict: 'taken_over'; refusal: Judged; findings: readonly Finding[] }

/** The review reason for phrases of a kind. Every kind not named here is against the policy. */
const REASONS: Readonly<Record<string, ReviewReason>> = { adult: 'adult_content', login: 'malicious' }

/** Reasons that follow from words alone. New rules may refuse an old page, which has not changed. */
const OF_THE_PAGE: readonly ReviewReason[] = ['adult_content', 'parked_domain', 'policy', 'blocklisted']

/** Named as the reviewer if no reviewer refused. Change the version with the rules of `scoreChange`. */
const RECHECK = { reviewer: 'recheck', version: '1' } as const

/**
 * Scores how a listed page has changed. Pure. A page that is recognisably the same was not taken over: what a visitor
 * wrote on it may be refused, and the operator decides. The labelled pairs in `server/test/review/pages/pairs.txt`
 * decided the thresholds: no rebrand, redesign or outage among them counts as a takeover.
 */
export function scoreChange(before: Snapshot, observation: Observation): Change {
  if (!observation.seen) return { verdict: 'gone', findings: [{ kind: 'gone', evidence: { why: observation.why } }] }
  const { seen, text, refusal } = observation
  const isMoved = seen.domain !== before.domain
  const isSame = isSameText(before, seen)
  const isKnown = isRecognisable(before, seen, text)
  const evidence = evidenceOf(before, seen)
  // A hosting company's page says that the website is down, not that it has a new owner.
  if (seen.parking.includes('default_page') || refusal?.reason === 'empty_page') {
    return {
      verdict: 'gone',
      findings: [{ kind: 'gone', evidence: { why: 'nothing to show', ...evidence } }],
    }
  }
  const refused = (kind: 'taken_over' | 'fails_review', by: Judged): Finding => {
    const judged = { ...by.evidence, reason: by.reason, reviewer: by.reviewer, version: by.version }
    return { kind, evidence: { ...evidence, ...judged }, judged }
  }
  const takenOver = (by: Judged): Change => ({
    verdict: 'taken_over',
    refusal: by,
    findings: [refused('taken_over', by)],
  })
  if (refusal) {
    const { reason } = refusal
    const isOther = reason === 'malicious' || (!isSame && OF_THE_PAGE.includes(reason))
    if (isOther && !isKnown) return takenOver(refusal)
    return { verdict: 'changed', findings: [refused('fails_review', refusal)] }
  }
  const isStranger = !isSame && !isKnown && !hasTies(before, seen)
  const [kind] = seen.kinds.filter(each => !before.kinds.includes(each))
  const { title, domain, kinds, parking } = seen
  const byUs = (reason: ReviewReason): Change =>
    takenOver({ ...RECHECK, reason, evidence: { title, domain, ...notEmpty({ kinds, parking }) } })
  if (isStranger) {
    if (kind !== undefined) return byUs(REASONS[kind] ?? 'policy')
    if (parking.length > before.parking.length) return byUs('parked_domain')
    if (isMoved && !isVouchedFor(before, seen)) return byUs('redirects_elsewhere')
  }
  if (isMoved) return { verdict: 'changed', findings: [{ kind: 'moved', evidence }] }
  if (isStranger) return { verdict: 'changed', findings: [{ kind: 'rewritten', evidence }] }
  const news = newsIn(before, seen, isKnown)
  if (news) {
    return {
      verdict: 'changed',
      findings: [{ kind: 'flagged', evidence: { ...evidence, ...news }, judged: news }],
    }
  }
  return { verdict: isSame ? 'same' : 'changed', findings: [] }
}

/** Returns what a page by the same people newly does, if an operator should check it. */
function newsIn(before: Snapshot, seen: Snapshot, isKnown: boolean): Evidence | undefined {
  const { kinds, quotes = [], asksPassword = false } = seen
  const used = [...before.kinds, ...(before.quotes ?? quotes)]
  const isNew = [...kinds, ...quotes].some(kind => !used.includes(kind))
  // Legitimate pages get a login, too, but keep their words.
  const asks = asksPassword && before.asksPassword === false && !isKnown
  return isNew || asks ? { ...notEmpty({ kinds, quotes }), asksPassword } : undefined
}

const notEmpty = (lists: Readonly<Record<string, readonly string[]>>): Evidence =>
  Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0))

/**
 * Scores the change of a page that was also fetched under a browser's name. What only one of them saw is a finding: a
 * page that lies to us may lie to browsers as well, so no listing is hidden for it.
 */
export function scoreFaces(before: Snapshot, toUs: Observation, toBrowsers: Observation): Change {
  const change = scoreChange(before, toUs)
  if (!toUs.seen || !toBrowsers.seen) return change
  const isTakenOver = scoreChange(before, toBrowsers).verdict === 'taken_over'
  if (isTakenOver && change.verdict === 'taken_over') return change
  const [ours, theirs] = [toUs.seen, toBrowsers.seen]
  const isOther = ours.domain !== theirs.domain || !(isSameText(ours, theirs) || hasTies(ours, theirs))
  if (!isOther && !isTakenOver && change.verdict !== 'taken_over') return change
  const evidence = {
    titleToUs: ours.title,
    titleToBrowsers: theirs.title,
    domainToUs: ours.domain,
    domainToBrowsers: theirs.domain,
    ...(toUs.refusal && { refusedToUs: toUs.refusal.reason }),
    ...(toBrowsers.refusal && { refusedToBrowsers: toBrowsers.refusal.reason }),
  }
  const verdict = change.verdict === 'gone' ? 'gone' : 'changed'
  return { verdict, findings: [...change.findings, { kind: 'two_faces', evidence }] }
}

/** Returns a short summary of the change. */
function evidenceOf(before: Snapshot, seen: Snapshot): Evidence {
  const issuers = [before.certificate?.issuer ?? '', seen.certificate?.issuer ?? '']
  const outgoing = seen.outgoing.filter(domain => !before.outgoing.includes(domain))
  return {
    titleBefore: before.title,
    title: seen.title,
    ...(seen.domain !== before.domain && { domainBefore: before.domain, domain: seen.domain }),
    ...(issuers[0] !== issuers[1] && { issuerBefore: issuers[0] ?? '', issuer: issuers[1] ?? '' }),
    ...(seen.language !== before.language && { languageBefore: before.language, language: seen.language }),
    ...(outgoing.length > 0 && { newOutgoing: outgoing.slice(0, 10) }),
    ...(seen.parking.length > 0 && { parking: seen.parking }),
    ...(seen.kinds.length > 0 && { kinds: seen.kinds }),
    wordsInCommon: sharedWords(before, seen),
  }
}

/** The minimum number of shared words for pages about the same subject. */
const TIES_MIN = 2
/** The share of its words that a page keeps if it is the same one, and the share if its title stayed, too. */
const KEPT_MIN = 1 / 2
const KEPT_WITH_TITLE_MIN = 1 / 4

/** Returns all words of a page, to search for those that it had before. */
export const wholeText = ({ metadata, text }: { metadata: PageMetadata; text: string }): string =>
  `${metadata.title}\n${metadata.description}\n${text}`.toLowerCase()

/**
 * Returns whether a page is recognisably the one that was listed: at the same place, with the same text or enough of
 * its words. What visitors add to a page removes nothing from it, so the words are searched in the whole text. A title
 * is easily left in place, so it proves little.
 */
export function isRecognisable(before: Snapshot, seen: Snapshot, text: string): boolean {
  if (seen.domain !== before.domain && !isVouchedFor(before, seen)) return false
  if (isSameText(before, seen)) return true
  const [kept, all] = keptWords(before, text)
  if (before.title !== '' && before.title === seen.title) return kept >= all * KEPT_WITH_TITLE_MIN
  return isHalf(kept, all)
}

const isHalf = (kept: number, all: number): boolean => kept >= TIES_MIN && kept >= all * KEPT_MIN

/** Counts the words of a page that a text still has, and all of them, without those of its title. */
function keptWords(before: Snapshot, text: string): [kept: number, all: number] {
  const title = before.title.toLowerCase()
  const words = distinctiveWords(before).filter(word => !title.includes(word))
  return [words.filter(word => text.includes(word)).length, words.length]
}

/**
 * Returns the snapshot to compare later pages with. While half of the page's words are still there, they stay: otherwise
 * a visitor could replace them by those of a comment, and then edit it.
 */
export function nextSnapshot(before: Snapshot, seen: Snapshot, text: string): Snapshot {
  return isHalf(...keptWords(before, text)) ? { ...seen, words: before.words } : seen
}

/**
 * Returns whether the words of a page show that it is still by the same people. On another domain, naming the old one
 * proves nothing.
 */
function hasTies(before: Snapshot, seen: Snapshot): boolean {
  const shared = sharedWords(before, seen)
  const [name = ''] = before.domain.replaceAll('-', '').split('.', 1)
  const isOfName = (word: string) => name.includes(word)
  if (seen.domain !== before.domain) return shared.length >= TIES_MIN && !shared.every(isOfName)
  return shared.length >= TIES_MIN || shared.some(isOfName)
}

/**
 * Returns whether the listed page showed that the domain that it now leads to belongs to it: by its certificate, or a
 * link. Only what was known before counts, because a stranger can link back, and get a certificate for both domains.
 */
const isVouchedFor = ({ outgoing, certificate }: Snapshot, { domain }: Snapshot): boolean =>
  outgoing.includes(domain) || (certificate?.names ?? []).some(name => registrableDomain(bare(name)) === domain)

const bare = (name: string) => (name.startsWith('*.') ? name.slice(2) : name)

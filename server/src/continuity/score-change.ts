import type { ReviewReason } from '@placard/contract'
import { registrableDomain } from '../destinations/hostname.ts'
import type { Evidence, Reject } from '../destinations/verdict.ts'
import { isSameText, type Snapshot, sharedWords } from './snapshot.ts'

/** What a look at a listed page found: a page with its review, or why there was none. */
export type Look =
  | { seen: Snapshot; refusal: Pick<Reject, 'reason' | 'evidence'> | undefined }
  | { seen?: undefined; why: string }

/** Something for the operator to see. */
export interface Finding {
  kind: FindingKind
  evidence: Evidence
}

export const FINDING_KINDS = {
  taken_over: 'Somebody else seems to have taken the website over',
  gone: 'The page does not load any more, or its server has nothing to show',
  moved: 'The page leads to another domain, which seems to be the same people’s',
  rewritten: 'The page has nothing in common with what was listed',
  fails_review: 'The page would be refused now',
  flagged: 'The page uses phrases that it did not use before',
  two_faces: 'The page shows us one thing and browsers another',
} as const
export type FindingKind = keyof typeof FINDING_KINDS

/** How a page has changed. Only what is taken over is hidden, for `reason`; whatever else there is to see is a finding. */
export type Change =
  | { verdict: 'same' | 'changed' | 'gone'; findings: readonly Finding[] }
  | { verdict: 'taken_over'; reason: ReviewReason; findings: readonly Finding[] }

/** The review reason that phrases of a kind stand for. Every kind not named here is against the policy. */
const REASONS: Readonly<Record<string, ReviewReason>> = { adult: 'adult_content', login: 'malicious' }

/** Of those that words alone give: an old page may be refused by new rules, and has not changed for that. */
const OF_THE_PAGE: readonly ReviewReason[] = ['adult_content', 'parked_domain', 'policy', 'blocklisted']

/**
 * Scores what has become of a listed page. Pure. The labelled pairs in `server/test/review/pages/pairs.txt` decided the
 * thresholds: no rebrand, redesign or outage among them counts as a takeover.
 */
export function scoreChange(before: Snapshot, look: Look): Change {
  if (!look.seen) return { verdict: 'gone', findings: [{ kind: 'gone', evidence: { why: look.why } }] }
  const { seen, refusal } = look
  const isMoved = seen.domain !== before.domain
  const isSame = isSameText(before, seen)
  const evidence = evidenceOf(before, seen)
  // A hosting company's page says that the website is down, not that it is somebody else's.
  if (seen.parking.includes('default_page') || refusal?.reason === 'empty_page') {
    return {
      verdict: 'gone',
      findings: [{ kind: 'gone', evidence: { why: 'nothing to show', ...evidence } }],
    }
  }
  const takenOver = (reason: ReviewReason): Change => ({
    verdict: 'taken_over',
    reason,
    findings: [{ kind: 'taken_over', evidence: { reason, ...evidence, ...refusal?.evidence } }],
  })
  if (refusal?.reason === 'malicious') return takenOver('malicious')
  if (refusal) {
    if (!isSame && OF_THE_PAGE.includes(refusal.reason)) return takenOver(refusal.reason)
    const { reason } = refusal
    return { verdict: 'changed', findings: [{ kind: 'fails_review', evidence: { reason, ...evidence } }] }
  }
  const isStranger = !isSame && !hasTies(before, seen)
  const [kind] = seen.kinds.filter(each => !before.kinds.includes(each))
  if (isStranger) {
    if (kind !== undefined) return takenOver(REASONS[kind] ?? 'policy')
    if (seen.parking.length > before.parking.length) return takenOver('parked_domain')
    if (isMoved && !isVouchedFor(before, seen)) return takenOver('redirects_elsewhere')
  }
  if (isMoved) return { verdict: 'changed', findings: [{ kind: 'moved', evidence }] }
  if (isStranger) return { verdict: 'changed', findings: [{ kind: 'rewritten', evidence }] }
  if (kind !== undefined) return { verdict: 'changed', findings: [{ kind: 'flagged', evidence }] }
  return { verdict: isSame ? 'same' : 'changed', findings: [] }
}

/**
 * The same, once the page was fetched under a browser's name too. What only one of them saw is a finding: a page that lies
 * to us may lie to browsers as well, so nobody is hidden for it.
 */
export function scoreFaces(before: Snapshot, toUs: Look, toBrowsers: Look): Change {
  const change = scoreChange(before, toUs)
  if (!toUs.seen || !toBrowsers.seen) return change
  const isTakenOver = scoreChange(before, toBrowsers).verdict === 'taken_over'
  if (isTakenOver && change.verdict === 'taken_over') return change
  const [ours, theirs] = [toUs.seen, toBrowsers.seen]
  const isOther = ours.domain !== theirs.domain || !(isSameText(ours, theirs) || hasTies(ours, theirs))
  if (!isOther && !isTakenOver && change.verdict !== 'taken_over') return change
  const evidence = {
    ...{ titleToUs: ours.title, titleToBrowsers: theirs.title },
    ...{ domainToUs: ours.domain, domainToBrowsers: theirs.domain },
    ...(toUs.refusal && { refusedToUs: toUs.refusal.reason }),
    ...(toBrowsers.refusal && { refusedToBrowsers: toBrowsers.refusal.reason }),
  }
  const verdict = change.verdict === 'gone' ? 'gone' : 'changed'
  return { verdict, findings: [...change.findings, { kind: 'two_faces', evidence }] }
}

/** Words in common from which a page is about the same. */
const TIES_MIN = 2

/** Whether its words show that a page is still by the same people. */
function hasTies(before: Snapshot, seen: Snapshot): boolean {
  const shared = sharedWords(before, seen)
  if (shared.length >= TIES_MIN) return true
  const name = (before.domain.split('.', 1)[0] ?? '').replaceAll('-', '')
  return shared.some(word => name.includes(word))
}

/** Whether the domain that a page moved to shows that it belongs with the old one: by its certificate, or a link. */
const isVouchedFor = ({ domain }: Snapshot, { certificate, outgoing }: Snapshot): boolean =>
  outgoing.includes(domain) ||
  (certificate?.names ?? []).some(name => registrableDomain(bare(name)) === domain)

const bare = (name: string) => (name.startsWith('*.') ? name.slice(2) : name)

/** What changed, in few words. */
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

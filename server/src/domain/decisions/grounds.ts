import type { ReviewReason } from '@placard/contract'

/**
 * The grounds of decisions, the only table of their words: all versions of each, oldest first. Never edit one, because
 * records, statements of reasons and pages name a row and the number of its version, from 1.
 */
const GROUNDS = {
  'rules/review': [
    'A listing is a public web page. The service fetches and reviews the page before it is listed, and lists what passes.',
  ],
  'rules/content': [
    'No adult content, no pages that steal passwords or spread malware, no fraud, hate, harassment or illegal offers, and no websites on the blocklists of this service.',
  ],
  'rules/review-again': [
    'A listed page is read again from time to time. A listing whose website somebody else has taken over, or which leads to another’s website or to a parked page, is taken down.',
  ],
  'rules/no-takeovers': ['An address is listed once. A second submission for it is refused and gains nothing.'],
  'rules/reports': [
    'Anybody can report a listing. The operator sees every report and decides. A report alone takes nothing down.',
  ],
  'rules/operator': [
    'The operator decides whether a listing that ended or was taken down is shown again.',
    'The operator decides how long a free listing stays up, whether one that ended or was taken down is shown again, and whether an owner who has lost the private link gets a new one.',
  ],
  'rules/featured': [
    'Ten listings are drawn by lot each day, each with the same chance. The operator leaves out what is under review, and recommends listings by choice. No payment changes either.',
  ],
  'rules/appeals': [
    'A refusal, a hidden listing and the outcome of a report can be contested once, within 184 days. A person decides, and where there are two operators, one who did not decide before.',
    'A refusal, a listing that was hidden or ended before its time, and the outcome of a report can be contested once, within 184 days. A person decides, and where there are two operators, one who did not decide before.',
  ],
  'rules/payments': [
    'A payment that belongs to no order here is credited to nobody. The operator settles it at the payment processor.',
  ],
  'law/illegal-content': ['The content or the offer is against the law. The explanation names the law.'],
  'law/notice': ['A court or another authority has ordered it. The explanation names the order.'],
  owner: [
    'Its owner may update the listing, move it, withdraw it, and renew its private link.',
    'Its owner may update the listing, move it, withdraw it, and renew its private link. Whoever proves that the website is theirs gets a private link, and may also reopen a listing that ended or was withdrawn.',
  ],
} as const satisfies Record<string, readonly [string, ...string[]]>

export type GroundId = keyof typeof GROUNDS

const isGround = (id: string): id is GroundId => Object.hasOwn(GROUNDS, id)

/** The grounds that an operator can choose, in the shell and in the console. */
const CHOICES: readonly GroundId[] = ['rules/content', 'law/illegal-content', 'law/notice']

/** Returns the ground that an operator chose; undefined if it is none of those offered. */
export const chosenGround = (id: unknown): GroundId | undefined => CHOICES.find(each => each === id)

/** Returns a ground as it is recorded: with its current version. */
export const groundNow = (id: GroundId): string => `${id}@${GROUNDS[id].length}`

/** Returns what a recorded ground said. @throws Error if the table never had it */
export function groundOf(recorded: string) {
  const [id = '', version = ''] = recorded.split('@')
  const text: string | undefined = isGround(id) ? GROUNDS[id][Number(version) - 1] : undefined
  if (!isGround(id) || text === undefined) throw new Error(`there is no ground ${recorded}`)
  return { id, version: Number(version), kind: kindOf(id), text }
}

/** `rule`: of this service. `law`: the facts name it. `choice`: the owner's or reporter's own. */
function kindOf(id: string): 'rule' | 'law' | 'choice' {
  if (id.startsWith('rules/')) return 'rule'
  return id.startsWith('law/') ? 'law' : 'choice'
}

const ABOUT_CONTENT: readonly ReviewReason[] = ['adult_content', 'blocklisted', 'malicious', 'policy']

/** Returns the ground on which the service takes a listing down because of its page. */
export const groundOfTakeover = (reason: ReviewReason): GroundId =>
  ABOUT_CONTENT.includes(reason) ? 'rules/content' : 'rules/review-again'

/** Returns the ground of a refusal. Without a reason, the address is already listed. */
export function groundOfRefusal(reason: ReviewReason | null): GroundId {
  if (reason === null) return 'rules/no-takeovers'
  return ABOUT_CONTENT.includes(reason) ? 'rules/content' : 'rules/review'
}

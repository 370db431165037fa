import { REVIEW_REASONS, type ReviewReason } from '@placard/contract'
import type { WhyNotRenewed } from '../../domain/ownership/renew-link.ts'
import type { ProofFindings } from '../../domain/ownership/site-proof.ts'
import type { WhyNotReopened } from '../../domain/recheck/refresh.ts'
import type { Problem } from '../../platform/http/problem.ts'
import { NO_TOKEN } from '../ui/site-proof.tsx'
import { waitText } from '../ui/time.tsx'

/** The result of an action, at the top of the private page. */
export interface Notice {
  status: number
  headline: string
  text: string
  /** What a check found at each place instead of the token. */
  findings?: ProofFindings
}

/** What the page says after a redirect back to it, by the `done` in its address. */
const DONE = {
  refresh: 'Your listing now matches your page.',
  category: 'Your listing is in the category that you chose.',
  feed: 'Copy the feed’s new address below into your feed reader.',
  'feed-off': 'The feed is off, and its address no longer works.',
  appeal: 'Your appeal arrived. A person will decide it, and this page will show the outcome.',
  webhook: 'Events go to your address from now on. Send a test to check that they arrive.',
  'webhook-test': 'The test is on its way. Reload this page in a few seconds to see how it went.',
  'webhook-secret': 'The webhook has a new secret, and no longer signs with the old one.',
  'webhook-on': 'The webhook is on again.',
  'webhook-remove': 'The webhook is removed.',
  mail: 'Your choices are saved.',
  'mail-asked': 'Open the link in the mail that we sent to your address. Then mail is on.',
  'mail-off': 'Mail is off. A confirmed address gets one last mail about that, and is then deleted.',
  prove: 'We found your token. The listing now says “Owner verified”.',
  withdraw: 'The listing is withdrawn, and no longer shown.',
  reopen: 'The listing is shown again.',
}
export type DoneCode = keyof typeof DONE

/** The notice for the `done` in an address, which may hold anything. */
export const doneNotice = (done: unknown): Notice | undefined =>
  typeof done === 'string' && Object.hasOwn(DONE, done)
    ? { status: 200, headline: 'Done.', text: DONE[done as DoneCode] }
    : undefined

const unchanged = (status: number, text: string): Notice => ({ status, headline: 'Nothing changed.', text })

export const NOT_HIDDEN = unchanged(409, 'The listing is not taken down, so there is nothing to appeal.')

/** An appeal that was not accepted. */
export const refusedAppeal = ({ status, message }: Problem): Notice => unchanged(status, message)

export const UNCONFIRMED = unchanged(400, 'Please tick the box to confirm.')
export const NO_SUCH_CATEGORY = unchanged(400, 'Please choose one of the categories.')
export const NO_WEBHOOK_ADDRESS = unchanged(
  400,
  'A webhook needs a public address that starts with https://, on the standard port and without a password.',
)
/** It was changed in another tab, or by deliveries that failed. */
export const NO_WEBHOOK = unchanged(409, 'The webhook is off or removed, as you see below.')
/** Quotation marks, names, several addresses and other alphabets are valid in mails, but no one needs them here. */
export const NOT_A_MAIL_ADDRESS =
  'Enter one plain mail address, such as jane@example.org: without a name, quotation marks or spaces, in the letters A to Z.'
export const NO_MAIL_ADDRESS = unchanged(400, NOT_A_MAIL_ADDRESS)
export const MAIL_TOO_SOON = unchanged(
  429,
  'An address gets one mail a day that asks to confirm it, and this one already got it. Look for that mail, or try again tomorrow.',
)
export const NOT_PUBLISHED = unchanged(409, 'The listing is no longer published.')

export const TOKEN_LOST = unchanged(400, NO_TOKEN)
export const NOT_PROVEN = unchanged(
  422,
  'We couldn’t find your token on the website yet. Below each proof is what we found.',
)
export const NOT_REOPENED: Record<WhyNotReopened, Notice> = {
  not_down: unchanged(409, 'The listing is published.'),
  taken_down: unchanged(409, 'It was taken down, and only an appeal or the operator can restore it.'),
  not_proven: unchanged(403, 'Prove below that the website is yours first.'),
}

/** @param detail what the website did, in one sentence */
export const notRead = (detail: string | undefined): Notice => ({
  status: 503,
  headline: 'We couldn’t read your page right now.',
  text: `${detail ? `${detail} ` : ''}Your listing is unchanged. Try again in a minute.`,
})

/** What was found says "it" for the website that the reason names. */
const reasonText = (reason: ReviewReason, detail: string | undefined): string =>
  detail ? `${REVIEW_REASONS[reason]} ${detail}` : REVIEW_REASONS[reason]

/** Review refuses the page as it is now. `detail` says in one sentence what was found. */
export const refusedNotice = (reason: ReviewReason, detail: string | undefined): Notice => ({
  status: 422,
  headline: 'Your page did not pass review, so nothing changed.',
  text: `${reasonText(reason, detail)} Your listing stays up unchanged, and we notify the operator.`,
})

/** Review refuses the page of a listing that was to be shown again. */
export const notReopened = (reason: ReviewReason, detail: string | undefined): Notice => ({
  status: 422,
  headline: 'Your page did not pass review, so the listing stays down.',
  text: reasonText(reason, detail),
})

export const tooManyNotice = (retryAfterSeconds: number): Notice =>
  unchanged(429, `You have tried too often. Try again in ${waitText(retryAfterSeconds)}.`)

export const RENEWAL_NOTICES: Record<WhyNotRenewed, Notice> = {
  wrong_link: unchanged(
    403,
    'This is not this listing’s current private link. Paste the whole link, up to its last character.',
  ),
  too_often: unchanged(
    409,
    'You can’t renew this link again: it has reached its limit. If someone else uses it, ask support to take the listing down.',
  ),
}

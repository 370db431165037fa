import { REVIEW_REASONS, type ReviewReason } from '@placard/contract'
import type { WhyNotRenewed } from '../../ownership/renew-link.ts'
import { waitText } from '../ui/time.tsx'

/** The result of an action, at the top of the private page. */
export interface Notice {
  /** Status of the reply. */
  status: number
  headline: string
  text: string
}

/** What the page says after a redirect back to it, by the `done` in its address. */
const DONE: Record<string, Notice> = {
  refresh: { status: 200, headline: 'Done.', text: 'Your listing now matches your page.' },
  category: { status: 200, headline: 'Done.', text: 'Your listing is in its new category.' },
  feed: { status: 200, headline: 'Done.', text: 'Copy the feed’s new address below into your feed reader.' },
  'feed-off': { status: 200, headline: 'Done.', text: 'The feed is off, and its address no longer works.' },
}

/** The notice for the `done` in an address, which may hold anything. */
export const doneNotice = (done: unknown): Notice | undefined =>
  typeof done === 'string' && Object.hasOwn(DONE, done) ? DONE[done] : undefined

const unchanged = (status: number, text: string): Notice => ({ status, headline: 'Nothing changed.', text })

export const UNCONFIRMED = unchanged(400, 'Please tick the box to confirm.')
export const NO_SUCH_CATEGORY = unchanged(400, 'Please choose one of the categories.')
export const NOT_PUBLISHED = unchanged(409, 'The listing is no longer published.')

export const NOT_READ: Notice = {
  status: 503,
  headline: 'We couldn’t read your page right now.',
  text: 'Your listing stays as it was. Try again in a minute.',
}

/** Review refuses the page as it is now. `detail` says in one sentence what was found. */
export const refusedNotice = (reason: ReviewReason, detail: string | undefined): Notice => ({
  status: 422,
  headline: 'Your page did not pass review, so nothing changed.',
  text: `${detail ? `${detail} ` : ''}${REVIEW_REASONS[reason]} Your listing stays up as it was, and we tell the operator.`,
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
    'You can’t renew this link again: it has reached its limit. If somebody else uses it, ask support to take the listing down.',
  ),
}

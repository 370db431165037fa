import { REVIEW_REASONS, type ReviewReason } from '@placard/contract'
import type { WhyNotRenewed } from '../../ownership/renew-link.ts'
import { waitText } from '../ui/time.tsx'

/** What became of an act, said first thing on the private page. */
export interface Notice {
  /** Of the reply. */
  status: number
  headline: string
  text: string
}

const UNCHANGED = 'Nothing was changed.'

/** What a page says after it was led back to, by the `done` of its address. */
const DONE: Record<string, Notice> = {
  refresh: { status: 200, headline: 'Done.', text: 'The listing says what your page says now.' },
  category: { status: 200, headline: 'Done.', text: 'The listing is in its new category.' },
}

/** The notice for the `done` of an address, which may be anything. */
export const doneNotice = (done: unknown): Notice | undefined =>
  typeof done === 'string' && Object.hasOwn(DONE, done) ? DONE[done] : undefined

export const UNCONFIRMED: Notice = {
  status: 400,
  headline: UNCHANGED,
  text: 'Please tick the box to confirm.',
}

export const NO_SUCH_CATEGORY: Notice = {
  status: 400,
  headline: UNCHANGED,
  text: 'Please choose one of the categories.',
}

export const NOT_PUBLISHED: Notice = {
  status: 409,
  headline: UNCHANGED,
  text: 'The listing is not published any more.',
}

export const NOT_READ: Notice = {
  status: 503,
  headline: 'Your page could not be read just now.',
  text: 'The listing stays as it was. Try again in a minute.',
}

/** Review refuses what the page says now. `detail` is one sentence on what was found. */
export const refusedNotice = (reason: ReviewReason, detail: string | undefined): Notice => ({
  status: 422,
  headline: 'Your page did not pass review, so nothing was changed.',
  text: `${detail ? `${detail} ` : ''}${REVIEW_REASONS[reason]} The listing stays up as it was, and the operator is told.`,
})

export const tooManyNotice = (retryAfterSeconds: number): Notice => ({
  status: 429,
  headline: UNCHANGED,
  text: `That is too often. Try again in ${waitText(retryAfterSeconds)}.`,
})

export const RENEWAL_NOTICES: Record<WhyNotRenewed, Notice> = {
  wrong_link: {
    status: 403,
    headline: UNCHANGED,
    text: 'This is not the present private link of this listing. Paste the whole link, up to its last character.',
  },
  too_often: {
    status: 409,
    headline: UNCHANGED,
    text: 'This link was renewed as often as it can be. If somebody else uses it, ask support to take the listing down.',
  },
}

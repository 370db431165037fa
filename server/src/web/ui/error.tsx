import { ERRORS, type ErrorCode } from '@placard/contract'
import type { Links } from '../../http/links.ts'
import { Layout, renderDocument } from './layout.tsx'
import { waitText } from './time.tsx'

const HEADINGS: Partial<Record<number, string>> = {
  403: 'Not allowed from there',
  404: 'Page not found',
  405: 'That doesn’t work here',
  413: 'That’s too long',
  415: 'We can’t read that',
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Not available right now',
}

/**
 * The table's messages are for programs; these are for people. A code without an entry keeps the table's message, and a
 * 5xx error with a message of its own keeps that.
 */
const WORDS: Partial<Record<ErrorCode, string>> = {
  cross_origin_rejected:
    'Your browser says that another website sent this, so we did nothing. Open the page here and send it again.',
  not_found:
    'There is no page at this address. Check it for typos and missing characters, or the page may be gone.',
  method_not_allowed:
    'You can’t open this address like this. If it belongs to a form, go back to the form and send it from there.',
  body_too_large: 'What you sent is too long. Go back, shorten it, and send it again.',
  unsupported_media_type: 'We can’t read what you sent. Go back to the form and send it from there.',
  rate_limited: 'Your network has sent too many requests.',
  internal_error:
    'It’s our fault, and nothing was charged. Try again later; you may have to send what you sent again.',
  not_ready: 'We can’t reach our database right now. Nothing is lost.',
  payment_evidence_unavailable:
    'We can’t read the payments right now, so we can show neither a board nor a price. Nothing was charged.',
  payments_unavailable: 'The payment processor isn’t answering right now. Nothing was charged.',
}

interface ShownProblem {
  status: number
  code: ErrorCode
  message: string
  retryAfterSeconds?: number | undefined
}

/** An error as a page. The caller sets the status and headers. */
export function renderErrorPage(
  { status, code, message, retryAfterSeconds }: ShownProblem,
  links: Links,
): string {
  const heading = HEADINGS[status] ?? 'That didn’t work'
  const isPassing = status === 429 || status === 503
  const isOfThisCase = status >= 500 && message !== ERRORS[code].error
  const words = isOfThisCase ? undefined : WORDS[code]
  const said =
    words && isPassing ? `${words} Try again in ${waitText(retryAfterSeconds ?? 60)}.` : (words ?? message)
  return renderDocument(
    <Layout isMoneyPlay={links.isMoneyPlay} title={heading} description={heading}>
      <div class="board">
        <div class="card lone pin-1">
          <h1>{heading}</h1>
          <p>{said}</p>
          <p>
            <a href="/">Back to the board</a>, or{' '}
            <a href={links.support}>{links.isSupportGiven ? 'get help' : 'see your options'}</a>.
          </p>
          <p class="note">
            {status} <code>{code}</code>
          </p>
        </div>
      </div>
    </Layout>,
  )
}

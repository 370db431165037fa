import { ERRORS, type ErrorCode } from '@placard/contract'
import type { Links } from '../../http/links.ts'
import { Layout, renderDocument } from './layout.tsx'
import { waitText } from './time.tsx'

const HEADINGS: Partial<Record<number, string>> = {
  403: 'That is not allowed from there',
  404: 'Nothing is pinned here',
  405: 'That does not work here',
  413: 'That is too much at once',
  415: 'That cannot be read here',
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Not available just now',
}

/** The messages of the table are for programs. What is not here is said as there, and so is a fault of ours of which more is known. */
const WORDS: Partial<Record<ErrorCode, string>> = {
  cross_origin_rejected:
    'Your browser says that another website sent this, so nothing was done. Open the page here, and send it from there.',
  not_found: 'There is no page at this address. It may be mistyped or cut short, or what was here is gone.',
  method_not_allowed:
    'This address cannot be used like this. If it belongs to a form, go back to the page with the form, and send it from there.',
  body_too_large: 'What you sent is longer than can be taken here. Go back, shorten it, and send it again.',
  unsupported_media_type:
    'What you sent cannot be read here. Go back to the page with the form, and send it from there.',
  rate_limited: 'There were more requests from your network than one is allowed.',
  internal_error:
    'The fault is ours, and nothing was charged. Try again later; what you sent may have to be sent again.',
  not_ready: 'The board cannot look up what hangs on it just now. Nothing is lost.',
  payment_evidence_unavailable:
    'What was paid cannot be read just now, so there is neither a board nor a price to show. Nothing was charged.',
  payments_unavailable: 'The payment processor does not answer just now. Nothing was charged.',
}

interface ShownProblem {
  status: number
  code: ErrorCode
  message: string
  retryAfterSeconds?: number | undefined
}

/** An error as a page for people. The status and headers are the caller's. */
export function renderErrorPage(
  { status, code, message, retryAfterSeconds }: ShownProblem,
  links: Links,
): string {
  const heading = HEADINGS[status] ?? 'That did not work'
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
            <a href={links.support}>{links.isSupportGiven ? 'get help' : 'read what may help'}</a>.
          </p>
          <p class="note">
            {status} <code>{code}</code>
          </p>
        </div>
      </div>
    </Layout>,
  )
}

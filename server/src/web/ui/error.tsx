import { ERRORS, type ErrorCode } from '@placard/contract'
import type { Links } from '../../http/links.ts'
import { Layout, renderDocument } from './layout.tsx'
import { SearchForm } from './masthead.tsx'
import { SignPage } from './sign-page.tsx'
import { waitText } from './time.tsx'

const HEADINGS: Partial<Record<number, string>> = {
  403: 'That is not allowed from there',
  404: 'Nothing is posted here',
  405: 'That does not work here',
  413: 'That is too much at once',
  415: 'That cannot be read here',
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Not available just now',
}

/** What stands on the sheet beside the heading. */
const SIGNS: Partial<Record<number, string>> = {
  403: 'NOT FROM THERE',
  404: 'NO BILL HERE',
  405: 'NOT LIKE THIS',
  410: 'GO NE',
  413: 'TOO MUCH',
  415: 'NOT LIKE THIS',
  500: 'OUR FAULT',
  503: 'NOT JUST NOW',
}
const TONES: Partial<Record<number, 'ink' | 'green'>> = { 410: 'ink', 429: 'green', 500: 'ink' }

/** The messages of the table are for programs. What is not here is said as there, and so is a fault of ours of which more is known. */
const WORDS: Partial<Record<ErrorCode, string>> = {
  cross_origin_rejected:
    'Your browser says that another website sent this, so nothing was done. Open the page here, and send it from there.',
  not_found: 'The address may be mistyped or cut short, or what was here is gone.',
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
export function renderErrorPage(problem: ShownProblem, links: Links): string {
  const { status, code, retryAfterSeconds = 60 } = problem
  const heading = HEADINGS[status] ?? 'That did not work'
  const isPassing = status === 429 || status === 503
  return renderDocument(
    <Layout isMoneyPlay={links.isMoneyPlay} title={heading} description={heading}>
      <SignPage
        sign={status === 429 ? waitSign(retryAfterSeconds) : (SIGNS[status] ?? 'NO')}
        {...(TONES[status] && { tone: TONES[status] })}
        heading={heading}
      >
        <p>
          {wordsOf(problem)}
          {isPassing && <strong> Try again in {waitText(retryAfterSeconds)}.</strong>}
        </p>
        {status === 404 && <SearchForm isMain />}
        <p class="acts">
          <a class="btn" href="/newest">
            Newest listings
          </a>
          <a class="btn" href="/">
            Home
          </a>
          <a class="btn" href={links.support}>
            {links.isSupportGiven ? 'Get help' : 'What may help'}
          </a>
        </p>
        <p class="host">
          {status} <code>{code}</code>
        </p>
      </SignPage>
    </Layout>,
  )
}

/** The table's own words where more is known of a fault of ours, or where there are none for people. */
function wordsOf({ status, code, message }: ShownProblem): string {
  const isOfThisCase = status >= 500 && message !== ERRORS[code].error
  return (isOfThisCase ? undefined : WORDS[code]) ?? message
}

const waitSign = (seconds: number) =>
  seconds <= 90 ? `WAIT ${seconds} SECONDS` : `WAIT ${Math.ceil(seconds / 60)} MINUTES`

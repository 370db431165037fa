import { ERRORS, type ErrorCode } from '@placard/contract'
import { mayHoldOwnerKey } from '../../domain/ownership/claims.ts'
import type { FailedRequest } from '../../platform/http/error-reply.ts'
import type { Links } from '../../platform/http/links.ts'
import { plainText } from '../../platform/lib/text.ts'
import { Button, ButtonLink, Form } from './elements.tsx'
import { Layout, renderDocument } from './layout.tsx'
import { SearchForm } from './masthead.tsx'
import { SignPage } from './poster.tsx'
import { waitText } from './time.tsx'

const HEADINGS: Partial<Record<number, string>> = {
  403: 'Request not allowed',
  404: 'Page not found',
  405: 'That doesn’t work here',
  413: 'That’s too long',
  415: 'We can’t read that',
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Not available right now',
}

/** The decoration next to the heading. */
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

/**
 * The table's messages are for programs; these are for people. A code without an entry keeps the table's message, and a
 * 404 or 5xx error with a message of its own keeps that.
 */
const WORDS: Partial<Record<ErrorCode, string>> = {
  cross_origin_rejected:
    'Another website sent this request, so we ignored it. Open the page on this site and send it from there.',
  not_found: 'The address may be mistyped or incomplete, or the page is gone.',
  invalid_cursor:
    'This address is incomplete, or the list has changed since: a day’s board ends at midnight UTC. To start at the first page, remove “after” or “cursor” and everything behind it from the address.',
  method_not_allowed: 'This address can’t be opened directly. If it belongs to a form, go back and send the form.',
  body_too_large: 'What you sent is too long. Go back, shorten it, and send it again.',
  unsupported_media_type: 'We can’t read what you sent. Go back to the form and send it from there.',
  rate_limited: 'Your network has sent too many requests.',
  internal_error:
    'This is our fault, and nothing was charged. Try again later. You may have to send your request again.',
  not_ready: 'We can’t reach our database right now. Nothing is lost.',
  payment_evidence_unavailable:
    'We can’t read the payments right now, so we can’t show boards or prices. Nothing was charged.',
  payments_unavailable: 'The payment processor isn’t answering right now. Nothing was charged.',
}

/** An operation that people can open. */
const MEANT_PAGE = /^GET (\/[\w/.-]+)$/

interface ShownProblem {
  status: number
  code: ErrorCode
  message: string
  meant?: string | undefined
  retryAfterSeconds?: number | undefined
}

/**
 * An error as a page for people: its code is for programs. The status and headers are the caller's. A form that may
 * succeed later can be sent again from the page, so that nothing typed is lost.
 */
export function renderErrorPage(problem: ShownProblem, links: Links, request?: FailedRequest): string {
  const { status, retryAfterSeconds = 60 } = problem
  const heading = HEADINGS[status] ?? 'That didn’t work'
  const isPassing = status === 429 || status === 503
  const wait = waitText(retryAfterSeconds)
  const [, meant] = MEANT_PAGE.exec(problem.meant ?? '') ?? []
  const fields = isPassing || status === 500 ? sentFields(request) : undefined
  return renderDocument(
    <Layout links={links} title={heading} description={heading}>
      <SignPage
        sign={status === 429 ? `WAIT ${wait.toUpperCase()}` : (SIGNS[status] ?? 'NO')}
        {...(TONES[status] && { tone: TONES[status] })}
        heading={heading}
      >
        <p>
          {meant && (
            <>
              Did you mean <a href={meant}>{meant}</a>?{' '}
            </>
          )}
          {wordsOf(problem)}
          {isPassing && <strong> Try again in {wait}.</strong>}
        </p>
        {fields && (
          <Form fields={fields} action={request?.url}>
            <p>This page keeps what you sent.</p>
            <p>
              <Button look="go">Send it again</Button>
            </p>
          </Form>
        )}
        {status === 404 && <SearchForm isMain />}
        <p class="acts">
          <ButtonLink href="/newest">Newest listings</ButtonLink>
          <ButtonLink href="/">Home</ButtonLink>
          <ButtonLink href={links.support}>{links.isSupportGiven ? 'Get help' : 'Support'}</ButtonLink>
        </p>
      </SignPage>
    </Layout>,
  )
}

/** Returns the message of the error itself, if it says more about this case, or if there is none for people. */
function wordsOf({ status, code, message, meant }: ShownProblem): string {
  const isOfThisCase = (status === 404 || status >= 500) && meant === undefined && message !== ERRORS[code].error
  return (isOfThisCase ? undefined : WORDS[code]) ?? message
}

/** Returns the fields of the form that was sent, unless one may hold a private link, which no page repeats. */
function sentFields(request: FailedRequest | undefined): Record<string, string | string[]> | undefined {
  const isForm = request?.headers['content-type']?.startsWith('application/x-www-form-urlencoded')
  if (!isForm || !request?.body) return undefined
  const fields = request.body as Record<string, string | string[]>
  const isSecret = (value: string) => mayHoldOwnerKey(plainText(value, Number.POSITIVE_INFINITY))
  return Object.entries(fields).flat(2).some(isSecret) ? undefined : fields
}

import type { Links } from '../http/links.ts'
import { Layout, renderDocument } from './layout.tsx'

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

interface ShownProblem {
  status: number
  code: string
  message: string
  retryAfterSeconds?: number | undefined
}

/** An error as a page for people. The status and headers are the caller's. */
export function renderErrorPage(
  { status, code, message, retryAfterSeconds }: ShownProblem,
  links: Links,
): string {
  const heading = HEADINGS[status] ?? 'That did not work'
  const again = status === 429 && retryAfterSeconds !== undefined && tryAgainIn(retryAfterSeconds)
  return renderDocument(
    <Layout title={heading} description={heading}>
      <div class="board">
        <div class="card lone pin-1">
          <h1>{heading}</h1>
          <p>{again || message}</p>
          <p>
            <a href="/">Back to the board</a>, or <a href={links.support}>get help</a>.
          </p>
          <p class="note">
            {status} <code>{code}</code>
          </p>
        </div>
      </div>
    </Layout>,
  )
}

/** The message of the table is for agents, which hold credentials; a person has only to wait. */
function tryAgainIn(seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  const wait = minutes > 1 ? `${minutes} minutes` : 'a minute'
  return `There were more requests from your network than one is allowed. Try again in ${wait}.`
}

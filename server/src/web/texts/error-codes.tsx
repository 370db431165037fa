import {
  actionAfter,
  ERROR_HELP,
  ERRORS,
  ERRORS_PATH,
  type ErrorAction,
  type ErrorCode,
  exampleOfError,
} from '@placard/contract'
import type { Links } from '../../platform/http/links.ts'
import { CopyButton } from '../ui/elements.tsx'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { OnThisPage } from './text-page.tsx'

/** Only quotes and orders give these, so a site that sells no places links to none. */
const OF_BUYING: ReadonlySet<string> = new Set([
  'invalid_target_bid',
  'target_not_above_current',
  'payment_evidence_unavailable',
  'payments_unavailable',
])

export const codesOf = ({ site }: Links): ErrorCode[] =>
  (Object.keys(ERRORS) as ErrorCode[]).filter(code => site.sellsPlaces || !OF_BUYING.has(code))

export const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(ERRORS, text)

const errorPath = (code: ErrorCode): string => `${ERRORS_PATH}/${code}`

const ACTIONS: Record<ErrorAction, readonly [word: string, what: string]> = {
  repeat: ['Repeat', 'the same request, unchanged'],
  correct: ['Correct', 'the request, then send it'],
  stop: ['Stop', 'because repeating changes nothing'],
}

const hasWait = (code: ErrorCode) => [429, 503].includes(ERRORS[code].status)

/** The facts about a code, in the order of the page. */
const factsOf = (code: ErrorCode, { site }: Links): [value: string, name: string][] => [
  [String(ERRORS[code].status), 'status'],
  [...ACTIONS[actionAfter(code)]],
  ...(hasWait(code) ? ([['Wait', 'retryAfterSeconds']] as [string, string][]) : []),
  ...(site.sellsPlaces ? ([['$0', 'no request here can charge']] as [string, string][]) : []),
]

/** The reply as it is sent, from its status line on. */
function exampleReply(code: ErrorCode, { base }: Links): string {
  const head = [
    `HTTP/1.1 ${ERRORS[code].status}`,
    'Content-Type: application/json; charset=utf-8',
    ...(hasWait(code) ? ['Retry-After: 30'] : []),
  ]
  return `${head.join('\n')}\n\n${JSON.stringify(exampleOfError(code, base), null, 2)}`
}

/** What an error means and what to do about it. `documentationUrl` of every error leads here. */
export function renderErrorCode(code: ErrorCode, links: Links): string {
  const { means, steps } = ERROR_HELP[code]
  const codes = codesOf(links)
  const place = codes.indexOf(code)
  const related = codes.filter(other => other !== code && ERRORS[other].status === ERRORS[code].status)
  return renderDocument(
    <Layout
      links={links}
      title={`${code} · Errors`}
      description={`What the error ${code} of the API means, and what to do about it.`}
      path="/agents"
      canonical={links.base + errorPath(code)}
      scripts={['copy.js']}
    >
      <div class="page-head code-head">
        <h1>
          <Breakable text={code} />
        </h1>
        <p class="lead">{ERRORS[code].error}</p>
      </div>
      <ul class="verdict">
        {factsOf(code, links).map(([value, name]) => (
          <li key={name}>
            <b>{value}</b> <span>{name}</span>
          </li>
        ))}
      </ul>
      <div class="book">
        <div class="toc" data-for-people>
          <OnThisPage parts={PARTS} />
          {related.length > 0 && (
            <nav aria-label="Related errors">
              <h2>Related</h2>
              <ul>
                {related.slice(0, 8).map(other => (
                  <li key={other}>
                    <CodeLink code={other} />
                  </li>
                ))}
              </ul>
            </nav>
          )}
        </div>
        <article class="sheet read">
          <h2 id="means">What it means</h2>
          <p>
            <Marked text={means} />
          </p>
          <h2 id="do">What to do</h2>
          <ol>
            {steps.map(step => (
              <li key={step}>
                <Marked text={step} />
              </li>
            ))}
          </ol>
          <h2 id="example">Example</h2>
          <div class="bar">
            <h3>The reply</h3>
            <CopyButton source="reply" label="Copy reply" />
          </div>
          <pre class="prompt" id="reply">
            {exampleReply(code, links)}
          </pre>
          <h2 id="programs">For programs</h2>
          <p>
            As Markdown: <a href={`${errorPath(code)}.md`}>{links.base + errorPath(code)}.md</a>. The steps of a publish
            are in the <a href="/agent-guide.md">agent guide</a>, and all codes in the{' '}
            <a href="/api#errors">API reference</a>.
          </p>
        </article>
      </div>
      <nav class="pager" aria-label="Errors" data-for-people>
        {codes[place - 1] && <Neighbour code={codes[place - 1] as ErrorCode} what="Previous code" />}
        {codes[place + 1] && <Neighbour code={codes[place + 1] as ErrorCode} what="Next code" />}
      </nav>
    </Layout>,
  )
}

const PARTS = [
  ['means', 'What it means'],
  ['do', 'What to do'],
  ['example', 'Example'],
  ['programs', 'For programs'],
] as const

export const CodeLink = ({ code }: { code: ErrorCode }) => (
  <a href={errorPath(code)}>
    <code>
      <Breakable text={code} />
    </code>
  </a>
)

const Neighbour = ({ code, what }: { code: ErrorCode; what: string }) => (
  <a href={errorPath(code)}>
    <small>{what}</small> {code}
  </a>
)

/** A long code may break after an underscore. */
const Breakable = ({ text }: { text: string }) => (
  <>
    {text.split('_').map((part, place) => (
      <>
        {place > 0 && '_'}
        {place > 0 && <wbr />}
        {part}
      </>
    ))}
  </>
)

/** Text with `code` in backticks. */
export const Marked = ({ text }: { text: string }) => (
  <>{text.split('`').map((part, place) => (place % 2 === 1 ? <code key={part}>{part}</code> : part))}</>
)

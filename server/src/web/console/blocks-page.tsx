import type { Case } from '../../domain/moderation/console/queue.ts'
import { justDoneIn } from '../../domain/moderation/console/undo.ts'
import type { BlockedHost, HostRange } from '../../domain/review/reviewers/blocked-hosts.ts'
import { rangeText } from '../../domain/review/reviewers/blocked-hosts.ts'
import { Minute } from '../ui/time.tsx'
import { DoneMessage } from './done.tsx'
import { type ConsoleView, renderConsole } from './frame.tsx'
import { caseValue } from './request.ts'
import { counted } from './words.ts'

/** The requested host: the block that applies to it, and its listings. */
interface WantedHost {
  range: HostRange
  block: BlockedHost | undefined
  cases: readonly Case[]
  areMore: boolean
}

interface BlocksPage {
  view: ConsoleView
  known: readonly BlockedHost[]
  typed?: string
  /** What is wrong with what was typed, as the end of a sentence. */
  problem?: string
  wanted?: WantedHost
}

/** The blocked hosts, and the form to block one, which first shows the listings of that host. */
export function renderBlocks({ view, known, typed = '', problem, wanted }: BlocksPage): string {
  const done = justDoneIn(view.session, view.now)
  return renderConsole({
    view,
    title: 'Blocks',
    path: '/console/blocks',
    children: (
      <>
        <div class="console-head">
          <h1>Blocked hosts</h1>
          <p class="lead">Pages of a blocked host can’t be listed. Existing listings stay, unless you hide them.</p>
        </div>
        {done && <DoneMessage done={done} now={view.now} />}
        <search>
          <form class="console-words" action="/console/blocks">
            <p>
              <label for="host">Host</label>
              <input
                type="text"
                id="host"
                name="host"
                value={typed}
                maxLength={300}
                required
                autocomplete="off"
                autocapitalize="none"
                spellcheck={false}
                placeholder="evil.com"
                {...(problem && { 'aria-invalid': 'true', 'aria-describedby': 'host-problem' })}
              />
            </p>
            {problem && (
              <p class="field-error" id="host-problem" role="alert">
                “<bdi>{typed}</bdi>” {problem}.
              </p>
            )}
            <label class="check">
              <input type="checkbox" name="below" value="yes" checked={wanted?.range.subdomains ?? false} />
              <span>And its subdomains</span>
            </label>
            <p>
              <button class="btn" type="submit">
                Show its listings
              </button>
            </p>
          </form>
        </search>
        {wanted && <Wanted wanted={wanted} />}
        <section class="console-sec" aria-labelledby="known">
          <h2 id="known">All blocks</h2>
          {known.length === 0 && <p class="soft">No host is blocked.</p>}
          <ul class="console-log">
            {known.map(block => (
              <Block key={block.id} block={block} />
            ))}
          </ul>
        </section>
      </>
    ),
  })
}

function Wanted({ wanted: { range, block, cases, areMore } }: { wanted: WantedHost }) {
  const what = rangeText(range)
  return (
    <section class="console-sec" aria-labelledby="wanted">
      <h2 id="wanted">
        <bdi dir="ltr">{what}</bdi>
      </h2>
      {block && (
        <p class="callout">
          <bdi>{rangeText({ host: block.host, subdomains: block.subdomains === 1 })}</bdi> is blocked, by{' '}
          <bdi>{block.blockedBy}</bdi>: <span dir="auto">{block.reason}</span>
        </p>
      )}
      <p>
        {cases.length === 0
          ? 'It has no listings.'
          : `${areMore ? 'The newest ' : ''}${counted(cases.length, 'listing')}:`}
      </p>
      <ul class="console-log">
        {cases.map(({ listing }) => (
          <li key={listing.id}>
            <p>
              <a href={`/console/listing/${listing.slug}`}>
                <bdi>{listing.title}</bdi>
              </a>
            </p>
            <p class="host">
              <bdi dir="ltr">{listing.hostname}</bdi> · {listing.category}
            </p>
          </li>
        ))}
      </ul>
      {(!block || cases.length > 0) && <BlockForm range={range} isBlocked={block !== undefined} cases={cases} />}
    </section>
  )
}

function BlockForm({
  range: { host, subdomains },
  isBlocked,
  cases,
}: {
  range: HostRange
  isBlocked: boolean
  cases: readonly Case[]
}) {
  return (
    <form class="console-words" method="post" action="/console/block">
      <input type="hidden" name="host" value={host} />
      {subdomains && <input type="hidden" name="below" value="yes" />}
      <input type="hidden" name="cases" value={cases.map(caseValue).join(' ')} />
      <p>
        <label for="why">Why</label>
        <input type="text" id="why" name="explanation" maxLength={500} required autocomplete="off" />
      </p>
      <p class="hint">Owners of hidden listings can read this.</p>
      {isBlocked ? (
        <>
          <input type="hidden" name="hide" value="yes" />
          <input type="hidden" name="only" value="hide" />
        </>
      ) : (
        cases.length > 0 && (
          <label class="check">
            <input type="checkbox" name="hide" value="yes" />
            <span>
              Hide {cases.length === 1 ? 'this listing' : `these ${cases.length} listings`}, too, and settle the open
              items of {cases.length === 1 ? 'it' : 'them'}
            </span>
          </label>
        )
      )}
      <p>
        <button class="btn ink" type="submit">
          {isBlocked ? `Hide ${counted(cases.length, 'listing')}` : `Block ${host}`}
        </button>
      </p>
    </form>
  )
}

function Block({ block }: { block: BlockedHost }) {
  const { host, subdomains, reason, blockedBy, blockedAt, decisionId, endedAt } = block
  return (
    <li class="console-block">
      <div>
        <p>
          <strong>
            <bdi dir="ltr">{rangeText({ host, subdomains: subdomains === 1 })}</bdi>
          </strong>{' '}
          <span class="soft">
            by <bdi>{blockedBy}</bdi>
          </span>
        </p>
        <p dir="auto">{reason}</p>
        <p class="host">
          <Minute at={blockedAt} />
          {endedAt !== null && (
            <>
              {' · unblocked '}
              <Minute at={endedAt} />
            </>
          )}
        </p>
      </div>
      {endedAt === null && (
        <form method="post" action="/console/unblock">
          <input type="hidden" name="host" value={host} />
          <input type="hidden" name="id" value={decisionId} />
          <button class="btn" type="submit">
            Unblock<span class="unseen"> {host}</span>
          </button>
        </form>
      )}
    </li>
  )
}

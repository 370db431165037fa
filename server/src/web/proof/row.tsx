import type { LogEntry } from '@placard/contract/log'
import { Fragment } from 'preact'
import type { LogNow, LogRow } from '../../domain/log/read-log.ts'
import type { Links } from '../../platform/http/links.ts'
import { dollars } from '../../platform/lib/text.ts'
import { KINDS, rowPath, rowProofPath } from '../ui/log-rows.ts'
import { secondText } from '../ui/time.tsx'

export interface ShownListing {
  id: number
  slug: string
  hostname: string
}

/** A visitor's search for a row, and its result. */
export interface RowLookup {
  typed: string
  row?: LogRow & { listing?: ShownListing | undefined }
  /** A listing with this address, and its latest rows. */
  listing?: ShownListing & { rows: readonly LogRow[] }
  /** Whether the row is there, but in no signed checkpoint yet. */
  isUnsigned?: boolean
  /** What is wrong with the address. */
  fault?: string
}

/** The result of a search: a row to check, the rows of a listing, or why there are none. */
export function LookupResult({ asked, log, links }: { asked: RowLookup; log: LogNow | undefined; links: Links }) {
  const { row, listing } = asked
  if (row && log) return <Slip row={row} log={log} links={links} />
  return (
    <section id="row" class="sec" aria-labelledby="found">
      {listing ? <RowsOf listing={listing} /> : <NoRow asked={asked} size={log?.size ?? 0} />}
    </section>
  )
}

const RowsOf = ({ listing: { slug, hostname, rows } }: { listing: NonNullable<RowLookup['listing']> }) => (
  <>
    <div class="sec-head">
      <h2 id="found">
        Rows of{' '}
        <a href={`/product/${slug}`}>
          <bdi dir="ltr">{hostname}</bdi>
        </a>
      </h2>
      {rows.length > 0 && <p class="soft">The latest first. Choose one to check it.</p>}
    </div>
    {rows.length === 0 ? (
      <p>None is signed yet. Reload in a few seconds.</p>
    ) : (
      <ul class="bullets">
        {rows.map(({ index, entry }) => (
          <li key={index}>
            <a href={rowPath(index)}>Row {index.toLocaleString('en')}</a>: {KINDS[entry.kind] ?? entry.kind}
            {entry.board !== undefined &&
              ` on ${entry.board === 'all' ? 'the all-time board' : `the board of ${entry.board}`}`}
            , <span class="soft">{secondText(Date.parse(entry.time))}</span>
          </li>
        ))}
      </ul>
    )}
  </>
)

function NoRow({ asked: { fault, isUnsigned }, size }: { asked: RowLookup; size: number }) {
  const known = size > 0 ? ` from 0 to ${(size - 1).toLocaleString('en')}` : ''
  const advice = `Type a row number${known}, or the address of a website that is listed here.`
  return (
    <>
      <div class="sec-head">
        <h2 id="found">{isUnsigned ? 'Not signed yet' : 'No such row'}</h2>
      </div>
      <p>
        {isUnsigned
          ? 'This row is written, and the next checkpoint signs it. Reload in a few seconds.'
          : `${fault ? `${fault} ` : ''}${advice}`}
      </p>
    </>
  )
}

/** A row that the browser has not checked yet. Without JavaScript, it says how to check it by hand. */
function Slip({ row, log, links }: { row: NonNullable<RowLookup['row']>; log: LogNow; links: Links }) {
  const { index, entry, text, listing } = row
  return (
    <article
      class="slip check-slip"
      id="row"
      data-check={index}
      data-keys={log.keys.join(' ')}
      data-witnesses={log.witnesses.map(({ verifierKey }) => verifierKey).join(' ')}
    >
      <div>
        <div data-result role="status">
          <h2 class="huge">Not checked</h2>
          <p>
            Your browser checks this row if you turn on JavaScript. Or download{' '}
            <a href={rowProofPath(index)}>its proof</a>, and run{' '}
            <code>{`npx -y ${links.client} verify receipt ${index}.tlog-proof --service ${links.base}`}</code>
          </p>
        </div>
        <div data-way hidden>
          <svg class="path" viewBox="0 0 680 56" aria-hidden="true">
            <path />
            <path class="root" d="M648 4h32v48h-32z" />
          </svg>
          <p class="path-ends small soft">
            <span>your row</span>
            <span>the checkpoint</span>
          </p>
          <details>
            <summary>The hashes on the way</summary>
            <pre class="prompt" data-hashes />
          </details>
          <details>
            <summary>The row as it was hashed</summary>
            <pre class="prompt" data-text />
          </details>
        </div>
      </div>
      <div class="stub">
        <h3>Row {index.toLocaleString('en')}</h3>
        <Facts entry={entry} />
        <p class="hint">
          {listing && (
            <>
              Listing {entry.listing} is <a href={`/product/${listing.slug}`}>{listing.hostname}</a>.{' '}
            </>
          )}
          No names, no client addresses, no private links are in the log.
        </p>
        <p class="small">
          <a href={rowProofPath(index)}>Download the proof</a>
        </p>
        <details>
          <summary>As text</summary>
          <pre class="prompt">{text}</pre>
        </details>
      </div>
    </article>
  )
}

const FACTS = {
  kind: 'What',
  time: 'When',
  listing: 'Listing',
  board: 'Board',
  changeCents: 'Change',
  totalCents: 'Total after',
  place: 'Drawn as number',
} as const

/** The facts of an entry, and places for those it lacks: `assets/proof.js` fills them from the bytes that it checked. */
function Facts({ entry }: { entry: LogEntry }) {
  return (
    <dl class="facts">
      {(Object.keys(FACTS) as (keyof typeof FACTS)[]).map(key => (
        <Fragment key={key}>
          <dt hidden={entry[key] === undefined}>{FACTS[key]}</dt>
          <dd data-key={key} hidden={entry[key] === undefined}>
            {factText(key, entry[key])}
          </dd>
        </Fragment>
      ))}
    </dl>
  )
}

function factText(key: keyof typeof FACTS, value: string | number | undefined) {
  if (value === undefined) return undefined
  if (key === 'kind') return KINDS[value] ?? value
  if (key === 'time') return secondText(Date.parse(`${value}`))
  return key === 'changeCents' || key === 'totalCents' ? dollars(Number(value)) : value
}

/** What each kind of row says, for people and for the script. */
export const Kinds = () => (
  <section class="sec" aria-labelledby="kinds">
    <details class="kinds">
      <summary>
        <h2 id="kinds">What a row can say</h2>
      </summary>
      <dl class="record">
        {Object.entries(KINDS).map(([kind, words]) => (
          <Fragment key={kind}>
            <dt>
              <code>{kind}</code>
            </dt>
            <dd id={`kind-${kind}`}>{words}</dd>
          </Fragment>
        ))}
      </dl>
    </details>
  </section>
)

import type { LogNow } from '../../domain/log/read-log.ts'
import type { Links } from '../../platform/http/links.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'
import { Button, CopyButton, PageHead, Section } from '../ui/elements.tsx'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { CHECKPOINT_PATH, PROOF_PATH } from '../ui/log-rows.ts'
import { Age, Clock, Day, Minute } from '../ui/time.tsx'
import { Kinds, LookupResult, type RowLookup } from './row.tsx'

export interface ProofView {
  /** Undefined before the first checkpoint. */
  log: LogNow | undefined
  /** Undefined unless a visitor asked for a row. */
  asked: RowLookup | undefined
  now: number
}

/** Renders what the log proves and what not, its checkpoint, and one row if a visitor asked for it. */
export const renderProof =
  (links: Links) =>
  ({ log, asked, now }: ProofView): string =>
    renderDocument(
      <Layout
        links={links}
        title="The open log"
        description="Every listing, decision and paid total is a row in a public log. What it proves, and how to check a row in your browser."
        path={PROOF_PATH}
        {...(!asked && { canonical: links.base + PROOF_PATH })}
        scripts={['copy.js', asked?.row && 'proof.js']}
      >
        <PageHead title="The open log">
          Every listing, every decision and every paid total is one row in a public log. If we changed a row, anyone
          could see it.
        </PageHead>
        {log ? <Now log={log} now={now} /> : <p class="later">The log has no signed checkpoint yet.</p>}
        <Section
          id="check"
          title="Check a row"
          note={<p class="soft">Your browser does the arithmetic. It doesn’t trust our answer.</p>}
          look="row-check"
        >
          <form class="ask big-ask row-ask" action={`${PROOF_PATH}#row`}>
            <input
              type="text"
              name="row"
              aria-label="Row number or listing address"
              value={asked?.typed}
              placeholder="Row number or listing address"
              maxLength={2048}
              required
            />
            <Button look="go">Check this row in your browser</Button>
          </form>
        </Section>
        {asked && <LookupResult asked={asked} log={log} links={links} />}
        <Does witnesses={log?.witnesses.length ?? 0} links={links} />
        {log && <Checkpoint log={log} />}
        <Kinds />
      </Layout>,
    )

function Now({ log: { size, at, witnesses }, now }: { log: LogNow; now: number }) {
  const minutes = Math.floor((now - at) / MINUTE_MS)
  const signed = witnesses.filter(({ signedAt }) => signedAt !== undefined).length
  return (
    <section class="log-now" aria-label="The log now">
      <div>
        <p class="label">Rows</p>
        <b class="big num">{size.toLocaleString('en')}</b>
        <p class="soft small">Numbered from 0, without gaps</p>
      </div>
      <div>
        <p class="label">Latest checkpoint</p>
        <b class="big">{minutes > 0 && minutes < 60 ? `${minutes} min ago` : <Age at={at} now={now} />}</b>
        <p class="soft small">
          <Minute at={at} />
        </p>
      </div>
      <div>
        <p class="label">Signed by witnesses</p>
        <b class="big">{witnesses.length > 0 ? `${signed} of ${witnesses.length}` : 'None yet'}</b>
        <p class="soft small">
          {witnesses.length > 0
            ? 'They confirm that rows are only added.'
            : 'Keep a checkpoint: it does the same for you.'}
        </p>
      </div>
    </section>
  )
}

function Does({ witnesses, links }: { witnesses: number; links: Links }) {
  return (
    <section class="sec does" aria-labelledby="proves">
      <div>
        <h2 id="proves">What it proves</h2>
        <ul class="bullets">
          <li>A row in the log has not changed since its checkpoint.</li>
          <li>No row was removed, inserted or moved since a checkpoint that you or a witness kept.</li>
          {witnesses > 0 && (
            <li>
              Everyone is shown the same log: {witnesses === 1 ? 'a witness signs' : `${witnesses} witnesses sign`} one
              checkpoint.
            </li>
          )}
          <li>Every total and rank on the boards, every past day and every draw follows from the rows.</li>
        </ul>
        <p class="hint">
          This page checks one row. To check all of them, run <code>{`npx -y ${links.client} verify board`}</code>
        </p>
      </div>
      <div>
        <h2>What it doesn’t</h2>
        <ul class="bullets">
          <li>That a listing is honest, safe or any good.</li>
          <li>
            That a row was true when we wrote it. If the payment processor reports a payment, we write it down and can’t
            check it.
          </li>
          <li>That we wrote down everything. A row we never wrote leaves no gap.</li>
          <li>Who paid, and why something was decided. Payments are there as sums, reasons as hashes.</li>
        </ul>
      </div>
    </section>
  )
}

function Checkpoint({ log: { note, keys, witnesses } }: { log: LogNow }) {
  return (
    <Section
      id="checkpoint"
      title="The checkpoint"
      note={
        <p>
          <a href={CHECKPOINT_PATH}>The latest, as a file</a>
        </p>
      }
    >
      <div class="cols">
        <div>
          <div class="bar">
            <h3>As text</h3>
            <CopyButton source="checkpoint-text" label="Copy checkpoint" />
          </div>
          <pre class="prompt" id="checkpoint-text">
            {note}
          </pre>
          <p class="hint">In the signed-note format, so that standard tools can read it.</p>
          <div class="bar">
            <h3>{keys.length === 1 ? 'The key that signs it' : 'The keys that sign it'}</h3>
            <CopyButton source="verifier-keys" label={keys.length === 1 ? 'Copy key' : 'Copy keys'} />
          </div>
          <pre class="prompt" id="verifier-keys">
            {keys.join('\n')}
          </pre>
          <p class="hint">Keep it. A later checkpoint with another key, or with fewer rows, is a reason to ask.</p>
        </div>
        <div class="rail">
          <section aria-labelledby="witnesses">
            <h2 id="witnesses">Witnesses</h2>
            {witnesses.length === 0 ? (
              <p>No one else signs our checkpoints yet. Until then, keep one yourself and compare it later.</p>
            ) : (
              <ul class="bullets">
                {witnesses.map(({ name, signedAt }) => (
                  <li key={name}>
                    <strong>
                      <bdi>{name}</bdi>
                    </strong>
                    <br />
                    <span class="soft small">
                      {signedAt === undefined ? (
                        'has not signed this one'
                      ) : (
                        <>
                          signed <Day at={signedAt} />, <Clock at={signedAt} /> UTC
                        </>
                      )}
                    </span>
                  </li>
                ))}
              </ul>
            )}
          </section>
        </div>
      </div>
    </Section>
  )
}

import type { Links } from '../../http/links.ts'
import { PASS_COOKIE, PASS_LIFETIME_MS } from '../../ownership/ownership-pass.ts'
import { SESSION_COOKIE, SESSION_LIFETIME_MS } from '../../ownership/session.ts'
import { PROOF_COOKIE, PROOF_LIFETIME_MS } from '../../ownership/site-proof.ts'
import type { Processor } from '../../payments/processor.ts'
import { RETENTION } from '../../retention/retention.ts'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { lastingText } from '../ui/time.tsx'

/** Every cookie there is: when it is set, and how long it lasts. */
const COOKIES = [
  [SESSION_COOKIE, SESSION_LIFETIME_MS, 'You open the private page of your listing with its link.'],
  [PROOF_COOKIE, PROOF_LIFETIME_MS, 'You ask for a token, to show that a website is yours.'],
  [PASS_COOKIE, PASS_LIFETIME_MS, 'You have shown that a website is yours, and go on to pay for a place.'],
] as const

/** Everything that is kept: of the sandbox only where it is in use. */
const keptHere = ({ name }: Pick<Processor, 'name'>) =>
  Object.entries(RETENTION).flatMap(([table, rules]) =>
    name !== 'sandbox' && table.startsWith('sandbox_') ? [] : rules,
  )

/** What is stored and for how long. Whoever stores something else changes this page with it. */
export const renderPrivacy = (links: Links, processor: Pick<Processor, 'name' | 'label'>): string =>
  renderDocument(
    <Layout
      isMoneyPlay={links.isMoneyPlay}
      title="Privacy"
      description="What Placard stores, what it does not, and for how long."
      path="/privacy"
      canonical={`${links.base}/privacy`}
    >
      <article class="sheet">
        <h1>Privacy</h1>
        <p>
          There are no accounts here, no advertising and no analytics. Pages load nothing from anybody else.
          Whoever only reads gets no cookie.
        </p>

        <h2>A listing</h2>
        <p>
          A listing holds the address and the category that were sent, and what the page said: title,
          description, name of the site, language, and a picture. It is public while it is published.
        </p>
        <p>
          With it is kept what proves the submission: its <code>requestId</code>, the{' '}
          <code>Idempotency-Key</code>, the address as it was sent, the approval that was declared and when,
          and how the review ended. Of the submission secret and the private link only hashes are kept. What
          its owner or the operator did to a listing is kept with the time and the reason.
        </p>

        <h2>Client addresses</h2>
        <p>
          No client address is written down, in the database or in the logs. With each submission a keyed hash
          of the address is kept, which counts the submissions of a day and cannot be turned back without the
          key of this service. It is deleted a day after that day. Limits on requests are counted by address
          in memory alone, for as long as such a limit runs. So are views and clicks, see below.
        </p>

        <h2>Pictures</h2>
        <p>
          The picture of a listing is fetched from its website by this service, made anew and stored here. So
          the browser of a visitor asks no other server for it, and no website learns who looked at its
          listing.
        </p>

        <h2>Views and clicks</h2>
        <p>
          How often a listing is viewed, and its link followed, is counted: two plain numbers for each listing
          and UTC day, later for each month. One address counts once an hour for each listing, so that nobody
          can make the numbers up: for that hour a hash of the address stays in memory, made with a random key
          that is thrown away with it. Nothing stored holds a cookie, an address or a word about the visitor.
          The owner of the listing sees the numbers. The website you go to sees you as every website does, and
          that you come from here.
        </p>

        <h2>Payments</h2>
        <Payments processor={processor} />

        <h2>Reports</h2>
        <p>
          A report holds its reason, what was written, when, and a contact if one was given; none is needed.
          The operator alone reads it. Nothing else about you is kept with it.
        </p>

        <h2>Cookies</h2>
        <p>
          There are {COOKIES.length}, each set by a step that cannot do without it. Scripts cannot read them,
          and other sites cannot make your browser send them. Nothing of them is stored here.
        </p>
        <dl class="fields">
          {COOKIES.map(([name, lifetimeMs, when]) => (
            <div key={name}>
              <dt>
                <code>{name}</code> <span>{lastingText(lifetimeMs)}</span>
              </dt>
              <dd>
                <p>{when}</p>
              </dd>
            </div>
          ))}
        </dl>

        <h2>Logs</h2>
        <p>
          The log of this service names listings, orders and errors. It has no client addresses, secrets or
          private links.
        </p>

        <h2>For how long</h2>
        <p>
          The service deletes by itself what has had its time, within hours. A listing that has ended or was
          withdrawn is not shown any more, but its record stays, so that nobody else can take the address over
          and its receipt can be recovered. To have something deleted that is kept, ask for{' '}
          <a href="/support">support</a>. Backups keep what was deleted for as long as the operator keeps
          them.
        </p>
        <dl class="fields">
          {keptHere(processor).map(({ what, kept, why }) => (
            <div key={what}>
              <dt>
                {what} <span>{kept}</span>
              </dt>
              <dd>
                <p>{why}</p>
              </dd>
            </div>
          ))}
        </dl>
        <p class="note">
          See also <a href="/rules">the rules</a> and <a href="/how-boards-work">how boards work</a>.
        </p>
      </article>
    </Layout>,
  )

function Payments({ processor }: { processor: Pick<Processor, 'name' | 'label'> }) {
  return (
    <>
      {processor.name === 'sandbox' ? (
        <p>
          This service runs with a sandbox: it plays a payment processor, moves no money and asks for nothing
          about you.
        </p>
      ) : (
        <p>
          You pay on a page of {processor.label}. What you type there goes to {processor.label} and never
          comes here.
        </p>
      )}
      <p>
        Kept here are the order (website, category, board, amount, how ownership was shown) and what the
        processor says of the payment: its numbers, times and amounts. Names, addresses, e-mail and cards of
        payers are not kept.
      </p>
    </>
  )
}

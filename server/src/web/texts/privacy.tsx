import type { StripeAccount } from '../../domain/payments/stripe.ts'
import { RETENTION_RULES, type Table } from '../../platform/db/tables/index.ts'
import { MAIL_TABLES } from '../../platform/db/tables/mail.ts'
import type { Links } from '../../platform/http/links.ts'
import { CHALLENGE, CONSOLE, cookiePrefix, PASS, PROOF, sessionCookie } from '../ui/cookies.ts'
import { lastingText } from '../ui/time.tsx'
import { renderText, Term } from './text-page.tsx'

/** Every cookie: when it is set, and whether only a buyer gets it. */
const COOKIES = [
  [sessionCookie(''), 'You open the private page of your listing with its link.', false],
  [PROOF, 'You ask for a token to prove that a website is yours.', false],
  [PASS, 'You proved that a website is yours, and continue to pay for a place.', true],
  [CONSOLE, 'You run this site, and sign in to its console.', false],
  [CHALLENGE, 'You run this site, and use a passkey in its console.', false],
] as const

/** Nothing in these is about a visitor, a customer or an owner. docs/retention.md has their rules, too. */
export const INTERNAL_TABLES: ReadonlySet<Table> = new Set<Table>([
  'board_total',
  'board_count',
  'board_change',
  'board_mark',
  'place_taken',
  'log_outbox',
  'log_entry',
  'log_node',
  'log_head',
  'log_checkpoint',
  'witnessed_log',
  'decision_count',
  'search_word',
  'search_stale',
  'blocked_host',
  'watched_place',
  'told',
  'warning',
  'finding',
  'settled_payment',
  'service_key',
  'console_operator',
  'console_link',
  'console_session',
  'console_passkey',
  'console_challenge',
  'job',
  'write_probe',
  'oldest_service',
])

/** What is stored and for how long. @param stripe undefined if the site sells no places. If you store anything else, change this page too. */
export const renderPrivacy = (links: Links, stripe: Pick<StripeAccount, 'name' | 'label'> | undefined): string => {
  const cookies = COOKIES.filter(([, , isOfBuying]) => stripe || !isOfBuying)
  return renderText(
    {
      links,
      title: 'Privacy',
      description: `What ${links.site.name} stores, what it does not, and for how long.`,
      path: '/privacy',
    },
    <>
      <p>
        There are no accounts here, no advertising and no analytics. Pages load nothing from other sites. If you only
        read, you get no cookie.
      </p>
      <h2>A listing</h2>
      <p>
        A listing holds the address and category that were sent, and the page’s title, description, site name, language
        and picture. It is public while it is published.
      </p>
      <p>
        We also keep proof of the submission: its <code>requestId</code>, the <code>Idempotency-Key</code>, the address
        exactly as sent, the declared approval and its time, and the review result. We keep only hashes of the
        submission secret and the private link. We record what its owner or the operator did to a listing, with the time
        and the reason.
      </p>
      <p>
        Review may ask third parties about a website, if the operator has switched that on: resolvers and blocklists
        about its host, Google Web Risk about its address, a moderation service about its words and picture. They learn
        nothing about the customer, the agent or you.
      </p>
      <h2>The open log</h2>
      <p>
        Decisions, and what counts for a listing on the boards, are rows of <a href="/proof">the open log</a>. A row has
        times, amounts and the number of a listing, but no person, address or payment. Reasons are in it only as a hash
        that no one can reverse without a random number, which we keep with the decision. Anyone can copy the log, so
        its rows are permanent.
      </p>
      <h2>Client addresses</h2>
      <p>
        {links.site.logsAddresses
          ? 'The operator logs each request with the client’s address. No client address is stored in the database.'
          : 'No client address is stored in the database or the logs.'}{' '}
        With each submission we keep keyed hashes of the address and its network to count the day’s submissions; they
        cannot be reversed without this service’s key. They are deleted a day after that day. Request limits count
        addresses in memory, for as long as the limit runs. If several computers serve this site, they share keyed
        hashes, which are deleted within two hours after that. The limits of checks and of requests for approval run for
        a day. Views and clicks are counted in memory: see below.
      </p>
      <h2>Pictures</h2>
      <p>
        This service fetches a listing’s picture from its website, re-encodes it and stores it, here or in object
        storage that only this service reads. So a visitor’s browser asks no other server for it, and no website learns
        who viewed its listing.
      </p>
      <h2>Views and clicks</h2>
      <p>
        We count how often people view a listing and follow its link: two plain numbers per listing and UTC day, later
        per month. Each address counts once an hour per listing, so the numbers cannot be inflated. For that hour a hash
        of the address stays in memory. Its random key is deleted with it. We store no cookie, no address and nothing
        else about the visitor. The listing’s owner sees the numbers. How often we check its page depends on them. The
        website you go to sees you as any website does, and that you came from here.
      </p>
      <h2>What you keep</h2>
      <p>
        Listings that you keep stay in this browser’s storage, until you remove them or clear it. To show them at{' '}
        <a href="/kept">Kept</a>, your browser asks us for these listings. We store nothing about that, and nothing
        about a collection that you share: its address contains it.
      </p>
      <h2>Feeds and webhooks</h2>
      <p>
        If an owner follows a listing, we keep its last ranks on the boards, the notifications we sent, the hash of the
        feed’s address, and the address of the webhook with how its last delivery ended. We load the listing’s page once
        a day. Events contain only public data, except the <code>reason</code> in <code>listing.taken_down</code>. We do
        not count the readers of a feed. An agent can have the events of its submission posted to an address, which we
        keep in the same way.
      </p>
      {links.site.sendsMail && (
        <>
          <h2>Mail to owners</h2>
          <p>
            If an owner turns on mail, we keep the mail address encrypted, with a keyed hash to find and count it, and
            what to send there. Only this service’s key can decrypt it. We show it to no one, write it in no log, and
            use it only for the mail that was chosen and for a link to the private page when its owner asks for one. The
            mail server that the operator uses delivers our mail, and learns the address and the text. Mails load
            nothing, and nothing in them tells us whether they were read. Every mail has a link that deletes the
            address. If mail is turned off on the private page, or the listing is withdrawn there, the address first
            gets a mail about that.
          </p>
          <p>
            An address that is not confirmed is forgotten after 24 hours, and gets one mail a day at most. For that we
            keep a keyed hash of it.
          </p>
        </>
      )}
      <h2>Payments</h2>
      <Payments stripe={stripe} />
      <h2>Reports</h2>
      <p>
        A report holds its reason, its text, the time, and a contact if you gave one. Only the operator reads it. Until
        it is settled, we keep a keyed hash of your network with it, so that one network cannot send too many. We keep
        nothing else about you. The operator may be notified of it by mail: with its reason and the listing, never with
        its text or contact.
      </p>
      <h2>People who run this site</h2>
      <p>
        For each person who decides about listings here, we keep a name, a role and the public keys of their passkeys.
        Fingerprints and faces never leave their device.
      </p>
      <h2>Cookies</h2>
      <p>
        There are {cookies.length}, each set by a step that needs it. Scripts cannot read them, and other sites cannot
        make your browser send them. We store nothing from them.
      </p>
      <dl class="fields">
        {cookies.map(([{ name, lifetimeMs }, when]) => (
          <Term term={<code>{cookiePrefix(links) + name}</code>} note={lastingText(lifetimeMs)} key={name}>
            <p>{when}</p>
          </Term>
        ))}
      </dl>
      <h2>Logs</h2>
      <p>
        The service’s own log names listings, orders and errors. It contains no{' '}
        {links.site.logsAddresses ? '' : 'client addresses, '}secrets or private links.
      </p>
      <h2>For how long</h2>
      <p>
        The service deletes data automatically, within hours after its time is up. A listing that has ended or was
        withdrawn is no longer shown, but its record stays, so that no one else can take over the address and its
        receipt can be recovered. To have other data deleted, ask <a href="/support">support</a>. Deleted data remains
        in backups for as long as the operator keeps them.
      </p>
      <dl class="fields">
        {RETENTION_RULES.filter(
          ({ table }) => !INTERNAL_TABLES.has(table) && (links.site.sendsMail || !MAIL_TABLES.includes(table)),
        ).map(({ what, kept, why }) => (
          <Term term={what} note={kept} key={what}>
            <p>{why}</p>
          </Term>
        ))}
      </dl>
      <p class="note">
        See also <a href="/rules">the rules</a> and <a href="/how-boards-work">how boards work</a>.
      </p>
    </>,
  )
}

function Payments({ stripe }: { stripe: Pick<StripeAccount, 'name' | 'label'> | undefined }) {
  if (!stripe) {
    return (
      <p>
        This site takes no payments. Of any that it took earlier, we keep the order and the processor’s record: its
        numbers, times and amounts. We do not keep payers’ names, addresses, e-mail or cards.
      </p>
    )
  }
  return (
    <>
      {stripe.name === 'sandbox' ? (
        <p>
          This service runs with a sandbox: it imitates a payment processor, moves no money and asks nothing about you.
          It forgets unpaid payment pages and all events after 90 days.
        </p>
      ) : (
        <p>
          You pay on a page of {stripe.label}. What you type there goes to {stripe.label} and never comes here.
        </p>
      )}
      <p>
        We keep the order (website, category, board, amount, how you proved ownership) and the processor’s record of the
        payment: its numbers, times and amounts. We do not keep payers’ names, addresses, e-mail or cards.
      </p>
    </>
  )
}

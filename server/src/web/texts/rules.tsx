import { CONTRACT_VERSION, DISPLAY_DAYS, REVIEW_REASONS } from '@placard/contract'
import { CONTEST_DAYS } from '../../platform/db/tables/decisions.ts'
import type { Links } from '../../platform/http/links.ts'
import { renderText } from './text-page.tsx'

/** The rules, whose version each approval names. */
export function renderRules(links: Links): string {
  const { site } = links
  const { sellsPlaces } = site
  return renderText(
    {
      links,
      title: 'Rules',
      description: `What may be listed on ${site.name}, how review works, and what ${site.name} promises and what it does not.`,
      path: '/rules',
    },
    <>
      <p class="note">Version {CONTRACT_VERSION}. An approval names this version.</p>
      <h2>What may be listed</h2>
      <p>
        A public web page that belongs to the customer: a personal profile, a company website, a service, a portfolio or
        a product. It is listed under one category, in its own words: {site.name} takes title, description and picture
        from the page.
      </p>
      <h2>The customer says yes first</h2>
      <p>
        An agent publishes only after its customer has explicitly approved this website and a public listing. Asking for
        launch ideas is not approval. The approval is the agent’s declaration: it does not verify a person or domain
        ownership.
      </p>
      <h2>Review</h2>
      <p>
        The service fetches and reviews the page automatically before listing it, and judges what the page says at that
        moment. A page that cannot be reviewed at the moment is not listed. The agent repeats its request later. A
        refusal gives one of these reasons:
      </p>
      <ul>
        {Object.entries(REVIEW_REASONS).map(([reason, meaning]) => (
          <li key={reason}>
            {meaning.replace(' They are at /rules.', '')} <code>{reason}</code>
          </li>
        ))}
      </ul>
      <p>
        Listed pages are read again from time to time. A listing is taken down automatically if its website leads to
        someone else’s, is parked, or has turned into something that is not listed here. A new design, a new name, an
        outage or a visitor’s comment takes nothing down.
      </p>
      <p>
        The <code>policy</code> forbids fraud, hate, harassment, illegal offers, impersonation, and the usual spam:
        casinos, quick money, medicines without prescription, fakes. The operator takes such a listing down, even after
        it has passed review.
      </p>
      <h2>Reports</h2>
      <p>
        Anyone can report a listing on its page. The operator sees every report and decides. A report alone takes
        nothing down.
      </p>
      <h2>Reasons and appeals</h2>
      <p>
        Every refusal, and every listing that is taken down or ended before its time, has a reason on record. Its owner
        can read it, and appeal once within {CONTEST_DAYS} days, by the API or on the private page. A person who
        reported a listing can do so on the page of the outcome. A person decides every appeal: if possible, not the
        person who made the first decision.
      </p>
      <h2>{DISPLAY_DAYS} days</h2>
      <p>
        A free listing stays up for {DISPLAY_DAYS} days, unless the operator ends it sooner or gives it more time, with
        a reason. Repeating a request recovers its receipt and never renews it. No request restores a listing that has
        ended or was taken down{sellsPlaces && ', and no one can buy it a place'}. Its proven owner can show a listing
        again that ended or was withdrawn. The operator decides about the others.
      </p>
      <h2>No takeovers</h2>
      <p>
        An address is listed once. A second submission for it is refused and has no effect, even after the first listing
        has ended. The private link belongs to the customer: anyone with it can update the listing from the page, change
        the category, withdraw the listing and renew the link. Anyone who proves that the website is theirs gets a new
        private link.
      </p>
      <h2>Paid places</h2>
      <p>
        Paid rank comes from verified payments and nothing else; clicks do not count. Paid places are labelled as paid.
        Free listings and paid rank are separate. <a href="/how-boards-work">How boards work</a> explains everything.
      </p>
      {sellsPlaces && (
        <ul>
          <li>
            You buy an amount, not a position. Anyone may pay more later, and there is no refund for being overtaken,
            nor for withdrawing the listing.
          </li>
          <li>
            A payment counts once the payment processor confirms it: on the all-time board, and on the board of the UTC
            day of that confirmation. Refunded or disputed money does not count.
          </li>
          <li>
            Only a website’s owner can buy it a place. Prove ownership with the private link of its listing, or on the
            website itself.
          </li>
          <li>
            A website that is not listed yet is reviewed before anything is paid, and listed once it is paid. While
            payments count for a listing, it has no scheduled end.
          </li>
          <li>You cannot buy a place for a listing that has ended or was taken down.</li>
          <li>No API can charge: a person confirms every payment, in a browser.</li>
        </ul>
      )}
      <h2>By lot, and by choice</h2>
      <p>
        Each day, <a href="/draw">ten listings are drawn by lot</a>, each with the same chance. The operator can leave
        listings out, and <a href="/picks">recommends listings</a> by choice. No payment changes either.
      </p>
      <h2>No guarantees</h2>
      <p>We do not guarantee a place on the home page, visitors, sales, search ranking or a mention in AI answers.</p>
      <p class="note">
        See <a href="/privacy">privacy</a> for what is stored and <a href="/limits">limits</a> for current numbers.
        Questions? Ask <a href="/support">support</a>.
      </p>
    </>,
  )
}

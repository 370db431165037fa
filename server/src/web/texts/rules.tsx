import { CONTRACT_VERSION, DISPLAY_DAYS, REVIEW_REASONS } from '@placard/contract'
import type { Links } from '../../http/links.ts'
import { Layout, renderDocument } from '../ui/layout.tsx'

/** The rules an approval names by version. */
export const renderRules = (links: Links): string =>
  renderDocument(
    <Layout
      isMoneyPlay={links.isMoneyPlay}
      title="Rules"
      description="What may be listed on Placard, how review works, and what is promised and what is not."
      path="/rules"
      canonical={`${links.base}/rules`}
    >
      <article class="sheet">
        <h1>Rules</h1>
        <p class="note">Version {CONTRACT_VERSION}. An approval names this version.</p>

        <h2>What may be listed</h2>
        <p>
          A public web page that belongs to the customer: a personal profile, a company website, a service, a
          portfolio or a product. It is listed under one of the categories, in its own words: title,
          description and picture are taken from the page.
        </p>

        <h2>The customer says yes first</h2>
        <p>
          An agent publishes only after its customer has explicitly approved this website and a public
          listing. Asking for launch ideas is not approval. The approval is the agent’s declaration: it does
          not verify a person or who owns a domain.
        </p>

        <h2>Review</h2>
        <p>
          The page is fetched and reviewed before it is listed. The service does that by itself, from what the
          page says at that moment. A page that cannot be reviewed just now is not listed; the agent repeats
          its request later. These are the reasons a refusal can give:
        </p>
        <dl class="reasons">
          {Object.entries(REVIEW_REASONS).map(([reason, meaning]) => (
            <>
              <dt>
                <code>{reason}</code>
              </dt>
              <dd>{meaning}</dd>
            </>
          ))}
        </dl>
        <p>
          Against the <code>policy</code> are fraud, hate, harassment, and what is illegal to offer. The
          operator takes such a listing down, also after it has passed review.
        </p>

        <h2>Reports</h2>
        <p>
          Anybody can report a listing on its page. The operator sees every report and decides. A report alone
          takes nothing down.
        </p>

        <h2>{DISPLAY_DAYS} days</h2>
        <p>
          A free listing stays up for {DISPLAY_DAYS} days. Repeating a request recovers its receipt and never
          renews it. No request brings back a listing that has ended or was taken down, and no place can be
          bought for one: that is for the operator to decide.
        </p>

        <h2>No takeovers</h2>
        <p>
          An address is listed once. A second submission for it is refused and gains nothing, even after the
          first listing has ended. The private management link belongs to the customer: whoever holds it can
          have the page read again, change the category, withdraw the listing and renew the link.
        </p>

        <h2>Paid places</h2>
        <p>
          Paid rank is derived from verified payments and from nothing else; clicks do not count. Paid places
          are named as such. Being listed for free and being ranked for money are separate things. The page{' '}
          <a href="/how-boards-work">how boards work</a> says all of it.
        </p>
        <ul>
          <li>
            An amount is bought, not a position. Anyone may pay more later, and there is no refund for being
            overtaken, nor for withdrawing the listing.
          </li>
          <li>
            A payment counts once the payment processor confirms it: on the board of all time, and on the
            board of the UTC day on which it was made. What is refunded or disputed does not count.
          </li>
          <li>
            Only who shows that a website is theirs can buy it a place: with the private link of its listing,
            or on the website itself.
          </li>
          <li>
            A website that is not listed yet is reviewed before anything is paid, and listed once it is paid.
            While payments count for a listing, it has no scheduled end.
          </li>
          <li>No place can be bought for a listing that has ended or was taken down.</li>
          <li>No API can charge: a person confirms every payment, in a browser.</li>
        </ul>

        <h2>No guarantees</h2>
        <p>
          A place on the home page, visitors, sales, a search ranking, or being named in AI answers are not
          guaranteed.
        </p>
        <p class="note">
          What is stored is under <a href="/privacy">privacy</a>, the numbers in force under{' '}
          <a href="/limits">limits</a>. Questions go to <a href="/support">support</a>.
        </p>
      </article>
    </Layout>,
  )

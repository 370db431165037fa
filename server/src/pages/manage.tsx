import type { ComponentChildren } from 'preact'
import type { Links } from '../http/links.ts'
import { type Listing, statusOf } from '../listings/listing.ts'
import type { ManagedListing } from '../ownership/claims.ts'
import { SESSION_LIFETIME_MS } from '../ownership/session.ts'
import type { ListingStatus } from '../storage/schema.ts'
import { assetPath } from './assets.ts'
import { Layout, renderDocument } from './layout.tsx'
import { LinkMessages } from './link-messages.tsx'
import { Minute } from './time.tsx'

interface Managing {
  managed: ManagedListing
  links: Links
  now: number
  /** The withdraw form came without its confirmation. */
  unconfirmed?: boolean
}

const STATUS_NAMES: Record<ListingStatus, string> = {
  published: 'Published',
  expired: 'Expired',
  unavailable: 'Unavailable',
}

/** The private page of a listing, for the holder of its link. */
export function renderManage({
  managed: { claimId, listing },
  links,
  now,
  unconfirmed = false,
}: Managing): string {
  const status = statusOf(listing, now)
  return renderDocument(
    <PrivateFrame>
      <article class="sheet">
        <LinkMessages links={links} />
        <p class="eyebrow">Private page</p>
        <h1>Manage your listing</h1>
        <p class="listed" dir="auto">
          {listing.title}
        </p>
        <dl class="record">
          <dt>Status</dt>
          <dd>
            <strong class={`status ${status}`}>{STATUS_NAMES[status]}</strong>{' '}
            <StatusNote {...{ listing, status, links }} />
          </dd>
          <dt>{status === 'published' ? 'Ends' : 'End'}</dt>
          <dd>{listing.expires_at === null ? 'No end is scheduled' : <Minute at={listing.expires_at} />}</dd>
          <dt>Public page</dt>
          <dd>
            <a href={links.product(listing.slug)}>{links.product(listing.slug)}</a>
          </dd>
          <dt>Website</dt>
          <dd>{listing.url}</dd>
          <dt>Category</dt>
          <dd>{listing.category}</dd>
          <dt>Published</dt>
          <dd>
            <Minute at={listing.published_at} />
          </dd>
        </dl>
        {status === 'published' && (
          <>
            <Promotion claimId={claimId} />
            <WithdrawForm claimId={claimId} unconfirmed={unconfirmed} />
          </>
        )}
        <p class="note">
          Keep your private link to yourself: whoever has it can open this page. This visit ends by itself
          after {SESSION_LIFETIME_MS / 60_000} minutes.
        </p>
      </article>
    </PrivateFrame>,
  )
}

/** The page before its script has exchanged the link's key: the same for every claim, known or not. */
export const renderShell = (links: Links, { visitEnded = false } = {}): string =>
  renderDocument(
    <PrivateFrame>
      <div class="sheet" data-shell>
        <p class="eyebrow">Private page</p>
        <h1>Manage your listing</h1>
        {visitEnded && (
          <p class="callout" role="alert">
            <strong>Your visit had ended, so nothing was changed.</strong>
          </p>
        )}
        <LinkMessages links={links} />
        <noscript>
          <p class="callout">
            This page needs JavaScript: the key to your listing is in the last part of your private link,
            which browsers never send to a server by themselves. Please turn JavaScript on and open the link
            again.
          </p>
        </noscript>
      </div>
    </PrivateFrame>,
  )

function PrivateFrame({ children }: { children: ComponentChildren }) {
  return (
    <Layout
      title="Manage your listing"
      description="The private page of a listing."
      head={<script type="module" src={assetPath('manage.js')} />}
    >
      {children}
    </Layout>
  )
}

function StatusNote({ listing, status, links }: { listing: Listing; status: ListingStatus; links: Links }) {
  const help = <a href={links.support}>support</a>
  if (status === 'expired') return <span>Its time has ended. To bring it back, ask {help}.</span>
  if (status === 'published') return <span>It is on the board.</span>
  if (listing.hidden_by === 'owner') return <span>You withdrew it. To bring it back, ask {help}.</span>
  return <span>The operator took it down. To learn more, ask {help}.</span>
}

function Promotion({ claimId }: { claimId: string }) {
  return (
    <section aria-labelledby="promotion">
      <h2 id="promotion">Paid place</h2>
      <p>
        Not needed for your listing. It is ranked on a board by what was paid for it; the price is shown
        before you pay anything. From here, nothing more is asked to show that the website is yours.
      </p>
      <form method="post" action={`/manage/${claimId}/promote`}>
        <p>
          <button type="submit">Choose a paid place</button>
        </p>
      </form>
    </section>
  )
}

function WithdrawForm({ claimId, unconfirmed }: { claimId: string; unconfirmed: boolean }) {
  return (
    <section aria-labelledby="withdraw">
      <h2 id="withdraw">Withdraw the listing</h2>
      <p>
        It leaves the board at once. You cannot put it back yourself, and the address cannot be submitted
        again: only the operator can restore it.
      </p>
      {unconfirmed && (
        <p class="callout" role="alert">
          <strong>Nothing was changed.</strong> Please tick the box to confirm.
        </p>
      )}
      <form method="post" action={`/manage/${claimId}/withdraw`}>
        <p>
          <label class="check">
            <input type="checkbox" name="confirm" value="yes" required /> Yes, withdraw this listing for good
          </label>
        </p>
        <p>
          <button class="danger" type="submit">
            Withdraw listing
          </button>
        </p>
      </form>
    </section>
  )
}

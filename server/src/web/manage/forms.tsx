import { CATEGORIES } from '@placard/contract'
import type { Claim } from '../../domain/ownership/claims.ts'
import type { WhyNotReopened } from '../../domain/recheck/reopen.ts'
import type { ListingStatus } from '../../platform/db/tables/publishing.ts'
import type { Links } from '../../platform/http/links.ts'
import { Reopen } from './proof.tsx'

interface ActsProps {
  claim: Claim
  status: ListingStatus
  /** Whether it has a place with verified money. */
  isPaid: boolean
  whyNotReopened: WhyNotReopened | undefined
  links: Links
}

/** What the holder of a private link can do. The link can be renewed in every status. */
export function Acts({ claim: { claimId, listing }, status, isPaid, whyNotReopened, links }: ActsProps) {
  const path = `/manage/${claimId}`
  const isUp = status === 'published'
  return (
    <section class="sec" aria-labelledby="acts">
      <div class="sec-head">
        <h2 id="acts">Change your listing</h2>
      </div>
      <ul class="acts-list">
        {isUp && (
          <>
            {links.site.sellsPlaces && <Promotion action={`${path}/promote`} />}
            <Refresh action={`${path}/refresh`} />
            <ChangeCategory action={`${path}/category`} category={listing.category} />
          </>
        )}
        {!isUp && <Reopen action={`${path}/reopen`} why={whyNotReopened} />}
        <Renew action={`${path}/renew`} />
        {isUp && <Withdraw action={`${path}/withdraw`} isPaid={isPaid} />}
      </ul>
    </section>
  )
}

function Refresh({ action }: { action: string }) {
  return (
    <li>
      <div>
        <h3>Update from your site</h3>
        <p>
          Has your page changed? We read and review it again, and update the listing’s title, description and picture.
          The end date stays the same.
        </p>
      </div>
      <form method="post" action={action}>
        <p>
          <button class="btn" type="submit">
            Update now
          </button>
        </p>
      </form>
    </li>
  )
}

function ChangeCategory({ action, category }: { action: string; category: string }) {
  return (
    <li>
      <div>
        <h3>Change the category</h3>
        <p>Now in {category}.</p>
      </div>
      <form method="post" action={action}>
        <p class="field">
          <label for="category">Category</label>
          <select id="category" name="category" required>
            {CATEGORIES.map(id => (
              <option value={id} key={id} selected={id === category}>
                {id}
              </option>
            ))}
          </select>
        </p>
        <p>
          <button class="btn" type="submit">
            Change category
          </button>
        </p>
      </form>
    </li>
  )
}

function Promotion({ action }: { action: string }) {
  return (
    <li>
      <div>
        <h3>Paid place</h3>
        <p>
          Optional. It ranks your listing on a board by its total paid. You see the price before you pay anything. From
          here, you don’t have to prove again that the website is yours.
        </p>
      </div>
      <form method="post" action={action}>
        <p>
          <button class="btn go" type="submit">
            Buy a place
          </button>
        </p>
      </form>
    </li>
  )
}

function Renew({ action }: { action: string }) {
  return (
    <li>
      <div>
        <h3>Renew the private link</h3>
        <p>
          Has someone else seen your private link? Get a new one. The old link stops working immediately, and so does
          every page opened with it. While the listing is published, your agent’s receipt has the new link.
        </p>
      </div>
      <form method="post" action={action}>
        <p class="field">
          <label for="link">Your current private link</label>
          <input
            type="password"
            id="link"
            name="link"
            autocomplete="off"
            maxLength={600}
            required
            aria-describedby="link-why"
          />
        </p>
        <p class="hint" id="link-why">
          Paste the whole link. We ask again because this page does not keep it.
        </p>
        <p>
          <label class="check">
            <input type="checkbox" name="confirm" value="yes" required /> Yes, disable the old link
          </label>
        </p>
        <p>
          <button class="btn" type="submit">
            Renew private link
          </button>
        </p>
      </form>
    </li>
  )
}

function Withdraw({ action, isPaid }: { action: string; isPaid: boolean }) {
  return (
    <li>
      <div>
        <h3>Withdraw the listing</h3>
        <p>
          It leaves the site immediately, and its address can’t be submitted again. To show it again, you have to prove
          that the website is yours.
        </p>
        {isPaid && (
          <p class="callout">
            <strong>You lose its paid place, too.</strong> It leaves the boards, and withdrawing refunds nothing.
          </p>
        )}
      </div>
      <form method="post" action={action}>
        <p>
          <label class="check">
            <input type="checkbox" name="confirm" value="yes" required /> Yes, withdraw this listing
          </label>
        </p>
        <p>
          <button class="btn danger" type="submit">
            Withdraw listing
          </button>
        </p>
      </form>
    </li>
  )
}

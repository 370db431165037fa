import { CATEGORIES } from '@placard/contract'
import type { Claim } from '../../ownership/claims.ts'
import type { ListingStatus } from '../../storage/schema.ts'

interface ActsProps {
  claim: Claim
  status: ListingStatus
  /** Whether it has a place with verified money. */
  isPaid: boolean
}

/** What the holder of a private link can do. The link can be renewed in every status. */
export function Acts({ claim: { claimId, listing }, status, isPaid }: ActsProps) {
  const path = `/manage/${claimId}`
  if (status !== 'published') return <Renew action={`${path}/renew`} />
  return (
    <>
      <Refresh action={`${path}/refresh`} />
      <ChangeCategory action={`${path}/category`} category={listing.category} />
      <Promotion action={`${path}/promote`} />
      <Renew action={`${path}/renew`} />
      <Withdraw action={`${path}/withdraw`} isPaid={isPaid} />
    </>
  )
}

function Refresh({ action }: { action: string }) {
  return (
    <section aria-labelledby="refresh">
      <h2 id="refresh">Update from your site</h2>
      <p>
        Has your page changed? We read and review it again, and update the listing’s title, description and
        picture. Your time on the board stays the same.
      </p>
      <form method="post" action={action}>
        <p>
          <button type="submit">Update now</button>
        </p>
      </form>
    </section>
  )
}

function ChangeCategory({ action, category }: { action: string; category: string }) {
  return (
    <section aria-labelledby="change-category">
      <h2 id="change-category">Change the category</h2>
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
          <button type="submit">Change category</button>
        </p>
      </form>
    </section>
  )
}

function Promotion({ action }: { action: string }) {
  return (
    <section aria-labelledby="promotion">
      <h2 id="promotion">Paid place</h2>
      <p>
        Optional. It ranks your listing on a board by what was paid for it. You see the price before you pay
        anything. From here, you don’t have to prove again that the website is yours.
      </p>
      <form method="post" action={action}>
        <p>
          <button type="submit">Choose a paid place</button>
        </p>
      </form>
    </section>
  )
}

function Renew({ action }: { action: string }) {
  return (
    <section aria-labelledby="renew">
      <h2 id="renew">Renew the private link</h2>
      <p>
        Did somebody see your private link? Get a new one. The old link stops working at once, and so does
        every page opened with it. While the listing is published, your agent’s receipt gives the new link.
      </p>
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
          <button type="submit">Renew private link</button>
        </p>
      </form>
    </section>
  )
}

function Withdraw({ action, isPaid }: { action: string; isPaid: boolean }) {
  return (
    <section aria-labelledby="withdraw">
      <h2 id="withdraw">Withdraw the listing</h2>
      <p>
        It leaves the board at once. You can’t put it back yourself, and nobody can submit the address again:
        only the operator can restore it.
      </p>
      {isPaid && (
        <p class="callout">
          <strong>You lose its paid place, too.</strong> It leaves the boards, and withdrawing refunds
          nothing.
        </p>
      )}
      <form method="post" action={action}>
        <p>
          <label class="check">
            <input type="checkbox" name="confirm" value="yes" required /> Yes, withdraw this listing
            permanently
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

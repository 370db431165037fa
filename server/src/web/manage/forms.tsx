import type { ComponentChildren } from 'preact'
import type { Claim } from '../../domain/ownership/claims.ts'
import type { WhyNotReopened } from '../../domain/recheck/refresh.ts'
import type { Links } from '../../platform/http/links.ts'
import { Button, CategoryOptions, Field, Form, Section } from '../ui/elements.tsx'

interface ActsProps {
  claim: Claim
  isUp: boolean
  /** Whether it has a place with verified money. */
  isPaid: boolean
  /** Chosen in a form that was refused. */
  category: string | undefined
  whyNotReopened: WhyNotReopened | undefined
  links: Links
}

/** What the holder of a private link can do. The link can be renewed in every status. */
export function Acts({ claim: { claimId, listing }, isUp, isPaid, category, whyNotReopened: why, links }: ActsProps) {
  const path = `/manage/${claimId}`
  return (
    <Section id="acts" title="Change your listing">
      <ul class="acts-list">
        {isUp && links.site.sellsPlaces && (
          <Act title="Paid place" action={`${path}/promote`} button={<Button look="go">Buy a place</Button>}>
            Optional. It ranks your listing on a board by its total paid. You see the price before you pay anything.
            From here, you don’t have to prove again that the website is yours.
          </Act>
        )}
        {isUp && (
          <Act title="Update from your site" action={`${path}/refresh`} button={<Button>Update now</Button>}>
            Has your page changed? We read and review it again, and update the listing’s title, description and picture.
            The end date stays the same.
          </Act>
        )}
        {isUp && (
          <Act
            title="Change the category"
            action={`${path}/category`}
            fields={
              <Field id="category" label="Category">
                <select id="category" name="category" required>
                  <CategoryOptions chosen={category ?? listing.category} />
                </select>
              </Field>
            }
            button={<Button>Change category</Button>}
          >
            Now in {listing.category}.
          </Act>
        )}
        {!isUp && why !== 'not_down' && why !== 'taken_down' && (
          <Act
            title="Show it again"
            action={why === undefined ? `${path}/reopen` : undefined}
            button={<Button look="go">Show it again</Button>}
          >
            We read and review your page, and show the listing again. If its time has ended, it gets a new one, for
            free.
            {why === 'not_proven' && ' Prove below that the website is yours first.'}
          </Act>
        )}
        <Act
          title="Renew the private link"
          action={`${path}/renew`}
          fields={<RenewFields />}
          button={<Button>Renew private link</Button>}
        >
          Has someone else seen your private link? Get a new one. The old link stops working immediately, and so does
          every page opened with it. While the listing is published, your agent’s receipt has the new link.
        </Act>
        {isUp && (
          <Act
            title="Withdraw the listing"
            note={
              isPaid && (
                <p class="callout">
                  <strong>You lose its paid place, too.</strong> It leaves the boards, and withdrawing refunds nothing.
                </p>
              )
            }
            action={`${path}/withdraw`}
            fields={<Confirm>Yes, withdraw this listing</Confirm>}
            button={<Button look="danger">Withdraw listing</Button>}
          >
            It leaves the site immediately, and its address can’t be submitted again. To show it again, you have to
            prove that the website is yours.
          </Act>
        )}
      </ul>
    </Section>
  )
}

interface ActProps {
  title: string
  /** Where the form is sent. Without it, the act is not possible now. */
  action: string | undefined
  fields?: ComponentChildren
  button: ComponentChildren
  /** Below the explanation. */
  note?: ComponentChildren
  children: ComponentChildren
}

/** Something to do, with its explanation. */
const Act = ({ title, action, fields, button, note, children }: ActProps) => (
  <li>
    <div>
      <h3>{title}</h3>
      <p>{children}</p>
      {note}
    </div>
    {action && (
      <Form action={action}>
        {fields}
        <p>{button}</p>
      </Form>
    )}
  </li>
)

const RenewFields = () => (
  <>
    <Field
      label="Your current private link"
      type="password"
      id="link"
      name="link"
      autocomplete="off"
      maxLength={600}
      required
      aria-describedby="link-why"
    />
    <p class="hint" id="link-why">
      Paste the whole link. We ask again because this page does not keep it.
    </p>
    <Confirm>Yes, disable the old link</Confirm>
  </>
)

const Confirm = ({ children }: { children: string }) => (
  <p>
    <label class="check">
      <input type="checkbox" name="confirm" value="yes" required /> {children}
    </label>
  </p>
)

import type { ComponentChildren } from 'preact'
import { MAIL_ADDRESS_MAX_LENGTH } from '../../domain/notifications/owner/mail-address.ts'
import { FIRST_CHOICES } from '../../domain/notifications/owner/plan-mail.ts'
import type { Links } from '../../platform/http/links.ts'
import type { Given } from './claim-listing.ts'
import { CopyButton } from './copy-button.tsx'
import { QrCode } from './qr-code.tsx'

interface PrivateLinkProps {
  heading: string
  given: Given
  links: Links
  /** What happened. */
  children: ComponentChildren
}

/** Shows a private link once, to be kept. */
export const PrivateLink = ({ heading, given: { claimId, privateLink }, links, children }: PrivateLinkProps) => (
  <article class="slip" aria-labelledby="given">
    <div>
      <h2 class="huge" id="given">
        {heading}
      </h2>
      {children}
      <div class="bar">
        <h3>Your private link</h3>
        <CopyButton source="private-link" label="Copy link" />
      </div>
      <pre class="new-link copy" id="private-link" data-private-link>
        {privateLink}
      </pre>
      <p class="hint">
        <strong>We show it once.</strong> Anyone with it can manage the listing, so store it like a password.
      </p>
      <p class="acts">
        <a class="btn go" href={privateLink}>
          I have kept it
        </a>
      </p>
      {links.site.sendsMail && <MailStart claimId={claimId} />}
    </div>
    <div class="stub">
      <h3>On your phone</h3>
      <QrCode text={privateLink} label="QR code of the private link" />
      <p class="small soft">Scan it to open the same link there.</p>
    </div>
  </article>
)

/** Asks for a mail address. The visit that the link started lets this browser send it to the private page. */
const MailStart = ({ claimId }: Pick<Given, 'claimId'>) => (
  <section aria-labelledby="mail">
    <h3 id="mail">Get mail about your listing</h3>
    <p class="hint">
      Before it ends, if it is overtaken or taken down, or if you lose your private link. The first mail confirms the
      address.
    </p>
    <form method="post" action={`/manage/${claimId}/mail`}>
      {FIRST_CHOICES.map(choice => (
        <input type="hidden" name={choice} value="yes" key={choice} />
      ))}
      <p class="field">
        <label for="mail-address">Your mail address</label>
        <input
          type="email"
          id="mail-address"
          name="address"
          autocomplete="email"
          maxLength={MAIL_ADDRESS_MAX_LENGTH}
          required
        />
      </p>
      <p class="acts">
        <button class="btn" type="submit">
          Turn on mail
        </button>
        <span class="small soft">Keep your private link first: this button opens the private page.</span>
      </p>
    </form>
  </section>
)

/** For a listing that is hidden or has ended. */
export const NotShown = () => (
  <p>The listing is not shown at present. Its private page says why, and whether you can show it again.</p>
)

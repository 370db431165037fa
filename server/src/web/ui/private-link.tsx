import type { ComponentChildren } from 'preact'
import { CopyButton } from './copy-button.tsx'
import { QrCode } from './qr-code.tsx'

interface PrivateLinkProps {
  heading: string
  privateLink: string
  /** What happened. */
  children: ComponentChildren
}

/** Shows a private link once, to be kept. */
export const PrivateLink = ({ heading, privateLink, children }: PrivateLinkProps) => (
  <article class="slip" aria-labelledby="given">
    <div>
      <h2 class="huge" id="given">
        {heading}
      </h2>
      {children}
      <h3>Your private link</h3>
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
        <CopyButton source="private-link" label="Copy" />
      </p>
    </div>
    <div class="stub">
      <h3>On your phone</h3>
      <QrCode text={privateLink} label="QR code of the private link" />
      <p class="small soft">Scan it to open the same link there.</p>
    </div>
  </article>
)

/** For a listing that is hidden or has ended. */
export const NotShown = () => (
  <p>The listing is not shown at present. Its private page says why, and whether you can show it again.</p>
)

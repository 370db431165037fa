import type { Links } from '../../http/links.ts'
import { renderDocument } from '../ui/layout.tsx'
import { PrivateFrame } from './frame.tsx'

interface Renewed {
  claimId: string
  privateLink: string
  hasWebhook: boolean
  links: Links
}

/** The reply to a renewal, and the only page that ever shows a private link. It is never stored or shown again. */
export const renderRenewed = ({ claimId, privateLink, hasWebhook, links }: Renewed): string =>
  renderDocument(
    <PrivateFrame links={links}>
      <article class="sheet">
        <p class="eyebrow">Private page</p>
        <h1>Your new private link</h1>
        <p class="callout" role="status">
          <strong>Copy it now: we show it only here, and only once.</strong> The old link no longer works, and
          all other visits to this page have ended.
        </p>
        <pre class="new-link copy" data-private-link>
          {privateLink}
        </pre>
        <p>
          Keep it where you keep passwords: anyone who has it can manage the listing. Lost it? Your agent can{' '}
          <a href="/support">recover the receipt</a>, which has the new link while the listing is published.
        </p>
        {hasWebhook && (
          <p>
            Your webhook has a new signing secret, since the old link showed the old one: copy it to your
            server, and see whether the webhook’s address is still yours. A private feed has ended; get a new
            one.
          </p>
        )}
        <p>
          <a class="button" href={`/manage/${claimId}`}>
            I’ve copied it, continue
          </a>
        </p>
      </article>
    </PrivateFrame>,
  )

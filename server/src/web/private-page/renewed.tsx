import type { Links } from '../../http/links.ts'
import { renderDocument } from '../ui/layout.tsx'
import { PrivateFrame } from './frame.tsx'

/** The answer to a renewal: the only page that ever shows a private link. It is never kept, and not shown again. */
export const renderRenewed = (claimId: string, privateLink: string, links: Links): string =>
  renderDocument(
    <PrivateFrame links={links}>
      <article class="sheet">
        <p class="eyebrow">Private page</p>
        <h1>Your new private link</h1>
        <p class="callout" role="status">
          <strong>Copy it now: it is shown only here, and only once.</strong> The old link opens nothing any
          more, and all other visits to this page have ended.
        </p>
        <pre class="new-link copy" data-private-link>
          {privateLink}
        </pre>
        <p>
          Keep it where you keep passwords: whoever has it can manage the listing. Lost it? Your agent can{' '}
          <a href="/support">recover the receipt</a>, which has the new link while the listing is published.
        </p>
        <p>
          <a class="button" href={`/manage/${claimId}`}>
            I have copied it: go on
          </a>
        </p>
      </article>
    </PrivateFrame>,
  )

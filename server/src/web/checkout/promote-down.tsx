import type { Destination } from '../../destinations/destination.ts'
import type { Links } from '../../http/links.ts'
import { IsItYours } from '../listing/is-it-yours.tsx'
import { renderDocument } from '../ui/layout.tsx'
import { PromoteFrame } from './promote-frame.tsx'

/** Says that a website cannot be shown, and so cannot be promoted. Reveals nothing about its listing. */
export const renderDown = ({ hostname }: Destination, links: Links): string =>
  renderDocument(
    <PromoteFrame links={links} title="This listing is down">
      <div class="sheet">
        <p>
          The listing of {hostname} has ended or was taken down, so it has no place on a board right now. We
          take no money for a listing that isn’t shown.
        </p>
        <p>
          <IsItYours links={links} /> You can also <a href="/promote">choose another website</a>.
        </p>
      </div>
    </PromoteFrame>,
  )

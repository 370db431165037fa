import type { DecisionStatement } from '@placard/contract'
import { type Product, statusOf } from '../../domain/listings/listing.ts'
import type { DayOfTraffic } from '../../domain/listings/traffic.ts'
import type { Claim } from '../../domain/ownership/claims.ts'
import { SESSION_LIFETIME_MS } from '../../domain/ownership/signed-cookies.ts'
import type { Links } from '../../platform/http/links.ts'
import { type CurrentPlaces, Share } from '../listing/share.tsx'
import { knownLanguage } from '../ui/format.ts'
import { renderDocument } from '../ui/layout.tsx'
import { QrCode } from '../ui/private-link.tsx'
import { Minute } from '../ui/time.tsx'
import { Acts } from './forms.tsx'
import { LinkMessages, PrivateFrame } from './frame.tsx'
import type { Notice } from './messages.ts'
import { Hear, type Hearing } from './notifications.tsx'
import { ProofSection, type Proving } from './proof.tsx'
import { Reasons, Status } from './status.tsx'
import { Traffic } from './traffic-chart.tsx'

interface PrivatePageProps {
  claim: Claim
  traffic: readonly DayOfTraffic[]
  /** The listing with its picture. */
  product: Product
  places: CurrentPlaces
  hearing: Hearing
  /** Why it is down, while it is. */
  reasons: DecisionStatement | undefined
  proving: Proving
  links: Links
  now: number
  notice?: Notice | undefined
}

/** The private page of a listing, for the holder of its link. */
export function renderPrivatePage({
  claim,
  traffic,
  product,
  places,
  hearing,
  reasons,
  proving,
  links,
  now,
  notice,
}: PrivatePageProps): string {
  const { listing } = claim
  const { standings } = places
  const status = statusOf(listing, now)
  const isUrgent = proving.waitsUntil !== undefined || Boolean(proving.owner?.missingSince)
  const proof = <ProofSection claim={claim} proving={proving} />
  return renderDocument(
    <PrivateFrame links={links}>
      <article class="private">
        <LinkMessages links={links} />
        <p class="eyebrow">Private page: manage your listing</p>
        {notice && (
          <p class="callout" role={notice.status < 400 ? 'status' : 'alert'}>
            <strong>{notice.headline}</strong> {notice.text}
          </p>
        )}
        <h1 dir="auto" lang={knownLanguage(listing.language)}>
          {listing.title}
        </h1>
        <Status listing={listing} status={status} standings={standings} links={links} now={now} />
        {isUrgent && proof}
        {reasons && <Reasons claimId={claim.claimId} statement={reasons} />}
        <Traffic days={traffic} />
        {status === 'published' && <ShareKit product={product} places={places} links={links} />}
        <Hear claim={claim} isUp={status === 'published'} hearing={hearing} links={links} />
        <Acts
          claim={claim}
          status={status}
          isPaid={Object.keys(standings).length > 0}
          whyNotReopened={proving.whyNotReopened}
          links={links}
        />
        {!isUrgent && proof}
        <dl class="record">
          <dt>Website</dt>
          <dd>{listing.url}</dd>
          <dt>Category</dt>
          <dd>{listing.category}</dd>
          <dt>Published</dt>
          <dd>
            <Minute at={listing.publishedAt} />
          </dd>
        </dl>
        <p class="small soft">
          Keep your private link to yourself: anyone with it can open this page. This visit ends automatically after{' '}
          {SESSION_LIFETIME_MS / 60_000} minutes.
        </p>
      </article>
    </PrivateFrame>,
  )
}

/** What to show elsewhere. All of it is public. */
function ShareKit({ product, places, links }: { product: Product; places: CurrentPlaces; links: Links }) {
  return (
    <section class="sec" aria-labelledby="share">
      <div class="sec-head">
        <h2 id="share">Share it</h2>
        <p class="small soft">A badge shows the listing’s current rank.</p>
      </div>
      <div class="kit">
        <Share product={product} places={places} links={links} showsPicture />
        <QrCode text={links.product(product.slug)} label="QR code of the public page" />
      </div>
    </section>
  )
}

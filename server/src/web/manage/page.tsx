import type { DecisionStatement } from '@placard/contract'
import { encode } from 'uqr'
import type { Standings } from '../../domain/boards/standings.ts'
import { type Listing, statusOf } from '../../domain/listings/listing.ts'
import type { DayOfTraffic } from '../../domain/listings/traffic.ts'
import type { Claim } from '../../domain/ownership/claims.ts'
import { SESSION_LIFETIME_MS } from '../../domain/ownership/signed-cookies.ts'
import type { Links } from '../../platform/http/links.ts'
import { Share } from '../listing/share.tsx'
import { knownLanguage } from '../ui/format.ts'
import { renderDocument } from '../ui/layout.tsx'
import { Minute } from '../ui/time.tsx'
import { Acts } from './forms.tsx'
import { LinkMessages, PrivateFrame } from './frame.tsx'
import type { Notice } from './messages.ts'
import { Hear, type Hearing } from './notifications.tsx'
import { Reasons, Status } from './status.tsx'
import { Traffic } from './traffic-chart.tsx'

interface PrivatePageProps {
  claim: Claim
  traffic: readonly DayOfTraffic[]
  standings: Standings
  hearing: Hearing
  /** Why it is down, while it is. */
  reasons: DecisionStatement | undefined
  links: Links
  now: number
  notice?: Notice | undefined
}

/** The private page of a listing, for the holder of its link. */
export function renderPrivatePage({
  claim,
  traffic,
  standings,
  hearing,
  reasons,
  links,
  now,
  notice,
}: PrivatePageProps): string {
  const { listing } = claim
  const status = statusOf(listing, now)
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
        {reasons && <Reasons claimId={claim.claimId} statement={reasons} />}
        <Traffic days={traffic} />
        {status === 'published' && <ShareKit listing={listing} links={links} />}
        <Hear claim={claim} isUp={status === 'published'} hearing={hearing} links={links} />
        <Acts claim={claim} status={status} isPaid={Object.keys(standings).length > 0} links={links} />
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
function ShareKit({ listing, links }: { listing: Listing; links: Links }) {
  return (
    <section class="sec" aria-labelledby="share">
      <div class="sec-head">
        <h2 id="share">Share it</h2>
        <p class="small soft">A badge shows the listing’s current rank.</p>
      </div>
      <div class="kit">
        <div>
          <Share product={listing} links={links} addressName="Address of the public page" />
        </div>
        <QrCode text={links.product(listing.slug)} label="QR code of the public page" />
      </div>
    </section>
  )
}

/** In modules, as the standard asks for. */
const QUIET_ZONE = 4

/** A QR code as a drawing, dark on white in every theme: not every camera reads it the other way round. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: QUIET_ZONE })
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path d={`M0 0h${size}v${size}H0z`} fill="#fff" />
      <path d={data.map((row, y) => rowPath(row, y)).join('')} fill="#000" />
    </svg>
  )
}

/** The dark modules of a row, each run of them as one box. */
function rowPath(row: readonly boolean[], y: number): string {
  let path = ''
  for (let x = 0; x < row.length; x++) {
    if (!row[x]) continue
    const start = x
    while (row[x + 1]) x++
    const width = x + 1 - start
    path += `M${start} ${y}h${width}v1h-${width}z`
  }
  return path
}

import { BOARDS } from '@placard/contract'
import type { Standings } from '../../boards/standings.ts'
import type { Links } from '../../http/links.ts'
import { type Listing, statusOf } from '../../listings/listing.ts'
import type { DayOfTraffic } from '../../listings/traffic.ts'
import type { Claim } from '../../ownership/claims.ts'
import { SESSION_LIFETIME_MS } from '../../ownership/session.ts'
import type { ListingStatus } from '../../storage/schema.ts'
import { daysMs } from '../../time.ts'
import { BOARD_NAMES } from '../ui/board-names.ts'
import { renderDocument } from '../ui/layout.tsx'
import { LinkMessages } from '../ui/link-messages.tsx'
import { dollars } from '../ui/money.ts'
import { Minute } from '../ui/time.tsx'
import { Acts } from './forms.tsx'
import { PrivateFrame } from './frame.tsx'
import type { Notice } from './notices.ts'
import { Traffic } from './traffic-chart.tsx'

interface PrivatePageProps {
  claim: Claim
  traffic: readonly DayOfTraffic[]
  standings: Standings
  links: Links
  now: number
  notice?: Notice | undefined
}

const STATUS_NAMES: Record<ListingStatus, string> = {
  published: 'Published',
  expired: 'Expired',
  unavailable: 'Unavailable',
}

/** The private page of a listing, for the holder of its link. */
export function renderPrivatePage({
  claim,
  traffic,
  standings,
  links,
  now,
  notice,
}: PrivatePageProps): string {
  const { listing } = claim
  const status = statusOf(listing, now)
  return renderDocument(
    <PrivateFrame links={links}>
      <article class="sheet">
        <LinkMessages links={links} />
        <p class="eyebrow">Private page</p>
        <h1>Manage your listing</h1>
        {notice && (
          <p class="callout" role={notice.status < 400 ? 'status' : 'alert'}>
            <strong>{notice.headline}</strong> {notice.text}
          </p>
        )}
        <p class="listed" dir="auto">
          {listing.title}
        </p>
        <dl class="record">
          <dt>Status</dt>
          <dd>
            <strong class={`status ${status}`}>{STATUS_NAMES[status]}</strong>{' '}
            <StatusNote {...{ listing, status, links }} />
          </dd>
          <dt>{status === 'published' ? 'Ends' : 'End'}</dt>
          <dd>
            <End {...{ listing, status, now }} />
          </dd>
          <Places standings={standings} />
          <dt>Public page</dt>
          <dd>
            <a href={links.product(listing.slug)}>{links.product(listing.slug)}</a>
          </dd>
          <dt>Website</dt>
          <dd>{listing.url}</dd>
          <dt>Category</dt>
          <dd>{listing.category}</dd>
          <dt>Published</dt>
          <dd>
            <Minute at={listing.publishedAt} />
          </dd>
        </dl>
        <Traffic days={traffic} />
        <Acts claim={claim} status={status} isPaid={Object.keys(standings).length > 0} />
        <p class="note">
          Keep your private link to yourself: anyone who has it can open this page. This visit ends by itself
          after {SESSION_LIFETIME_MS / 60_000} minutes.
        </p>
      </article>
    </PrivateFrame>,
  )
}

function StatusNote({ listing, status, links }: { listing: Listing; status: ListingStatus; links: Links }) {
  const help = <a href={links.support}>support</a>
  if (status === 'expired') return <span>Its time has ended. To bring it back, ask {help}.</span>
  if (status === 'published') return <span>It is live.</span>
  if (listing.hiddenBy === 'owner') return <span>You withdrew it. To bring it back, ask {help}.</span>
  return <span>The operator took it down. To learn more, ask {help}.</span>
}

function End({ listing, status, now }: { listing: Listing; status: ListingStatus; now: number }) {
  if (listing.expiresAt === null) return <>No scheduled end while it has a paid place</>
  const days = Math.floor((listing.expiresAt - now) / daysMs(1))
  return (
    <>
      <Minute at={listing.expiresAt} />
      {status === 'published' && `, ${daysLeft(days)}`}
    </>
  )
}

const daysLeft = (days: number): string => {
  if (days < 1) return 'less than a day left'
  return days === 1 ? '1 day left' : `${days} days left`
}

function Places({ standings }: Pick<PrivatePageProps, 'standings'>) {
  const places = BOARDS.flatMap(board => {
    const standing = standings[board]
    return standing ? [{ board, ...standing }] : []
  })
  if (places.length === 0) return null
  return (
    <>
      <dt>Paid place</dt>
      <dd>
        {places.map(({ board, rank, totalCents }) => (
          <div key={board}>
            {BOARD_NAMES[board]}: No. {rank.toLocaleString('en')} with {dollars(totalCents)}
          </div>
        ))}
      </dd>
    </>
  )
}

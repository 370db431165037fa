import { BOARDS, DISPLAY_DAYS } from '@placard/contract'
import type { Standings } from '../../boards/standings.ts'
import type { Links } from '../../http/links.ts'
import type { Listing } from '../../listings/listing.ts'
import type { ListingStatus } from '../../storage/schema.ts'
import { daysMs } from '../../time.ts'
import { BOARD_NAMES } from '../ui/board-names.ts'
import { dollars } from '../ui/money.ts'
import { Minute } from '../ui/time.tsx'

const STATUS_NAMES: Record<ListingStatus, string> = {
  published: 'Published',
  expired: 'Expired',
  unavailable: 'Unavailable',
}

interface StatusProps {
  listing: Listing
  status: ListingStatus
  standings: Standings
  links: Links
  now: number
}

/** What an owner looks for first: whether the listing is up, for how long, and where it stands. */
export function Status({ listing, status, standings, links, now }: StatusProps) {
  return (
    <section class="state" aria-label="Status">
      <div>
        <p class="label">Status</p>
        <strong class={`big ${status}`}>{STATUS_NAMES[status]}</strong>
        <p>
          <StatusNote {...{ listing, status, links }} />
        </p>
        <p class="small">
          <a href={links.product(listing.slug)}>{links.product(listing.slug)}</a>
        </p>
      </div>
      <div>
        <p class="label">{status === 'published' ? 'Ends' : 'End'}</p>
        <End {...{ listing, status, now }} />
      </div>
      <div>
        <p class="label">
          Paid place <span class="paid">Paid placement</span>
        </p>
        <Places standings={standings} />
      </div>
    </section>
  )
}

function StatusNote({ listing, status, links }: { listing: Listing; status: ListingStatus; links: Links }) {
  const help = <a href={links.support}>support</a>
  if (status === 'expired') return <span>Its time has ended. To bring it back, ask {help}.</span>
  if (status === 'published') return <span>It is live.</span>
  if (listing.hiddenBy === 'owner') return <span>You withdrew it. To bring it back, ask {help}.</span>
  const who = listing.hiddenBy === 'automatic' ? 'The service' : 'The operator'
  return <span>{who} took it down. The reasons are below.</span>
}

function End({ listing, status, now }: { listing: Listing; status: ListingStatus; now: number }) {
  if (listing.expiresAt === null) {
    return (
      <>
        <strong class="big">No end</strong>
        <p>No scheduled end while it has a paid place</p>
      </>
    )
  }
  const days = Math.floor((listing.expiresAt - now) / daysMs(1))
  return (
    <>
      {status === 'published' && (
        <>
          <strong class="big">{daysLeft(days)}</strong>
          <DaysLeft days={days} />
        </>
      )}
      <p class={status === 'published' ? 'small soft' : undefined}>
        <Minute at={listing.expiresAt} />
      </p>
    </>
  )
}

const daysLeft = (days: number): string => {
  if (days < 1) return 'less than a day left'
  return days === 1 ? '1 day left' : `${days} days left`
}

/** A stroke for each day of a free listing, those that are left in ink. */
function DaysLeft({ days }: { days: number }) {
  return (
    <svg
      class="days"
      viewBox={`0 0 ${DISPLAY_DAYS * 10 - 3} 32`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={strokes(days, DISPLAY_DAYS)} />
      <path class="on" d={strokes(0, Math.min(days, DISPLAY_DAYS))} />
    </svg>
  )
}

function strokes(from: number, until: number): string {
  let path = ''
  for (let day = from; day < until; day++) path += `M${day * 10} 0h7v32h-7z`
  return path
}

function Places({ standings }: { standings: Standings }) {
  const [first, ...others] = BOARDS.flatMap(board => {
    const standing = standings[board]
    return standing ? [{ board, ...standing }] : []
  })
  if (!first) {
    return (
      <>
        <strong class="big">None</strong>
        <p>No payment counts on a board now.</p>
      </>
    )
  }
  return (
    <>
      <strong class="big">No. {first.rank.toLocaleString('en')}</strong>
      {[first, ...others].map(({ board, rank, totalCents }) => (
        <p key={board}>
          {BOARD_NAMES[board]}: No. {rank.toLocaleString('en')} with {dollars(totalCents)}
        </p>
      ))}
    </>
  )
}

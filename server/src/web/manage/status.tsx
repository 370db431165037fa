import { BOARDS, type DecisionStatement, DISPLAY_DAYS } from '@placard/contract'
import type { Standings } from '../../domain/boards/standings.ts'
import { type Decision, hidingDecision } from '../../domain/decisions/record.ts'
import { type Listing, statusOf } from '../../domain/listings/listing.ts'
import { findDecision, statementOf, textIn } from '../../domain/moderation/appeals/statement.ts'
import type { WhyNotReopened } from '../../domain/recheck/refresh.ts'
import type { Store } from '../../platform/db/store.ts'
import type { ListingStatus } from '../../platform/db/tables/publishing.ts'
import type { Links } from '../../platform/http/links.ts'
import { counted, dollars } from '../../platform/lib/text.ts'
import { daysMs } from '../../platform/lib/time.ts'
import { Section } from '../ui/elements.tsx'
import { BOARD_NAMES } from '../ui/format.ts'
import { AppealForm, Statement } from '../ui/statement.tsx'
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
  /** The decision that restored it because of an appeal, while it is up. */
  granted: Decision | undefined
  whyNotReopened: WhyNotReopened | undefined
  links: Links
  now: number
}

/** What an owner looks for first: whether the listing is up, for how long, and its ranks. */
export function Status({ listing, status, standings, granted, whyNotReopened, links, now }: StatusProps) {
  return (
    <section class="state" aria-label="Status">
      <div>
        <p class="label">Status</p>
        <strong class={`big ${status}`}>{STATUS_NAMES[status]}</strong>
        <p>
          <StatusNote listing={listing} status={status} isOperators={whyNotReopened === 'taken_down'} />
        </p>
        {granted && (
          <p>
            Your appeal was granted <Minute at={granted.at} />: <q dir="auto">{textIn(granted, 'explanation')}</q>
          </p>
        )}
        <p class="small">
          <a href={links.product(listing.slug)}>{links.product(listing.slug)}</a>
        </p>
      </div>
      <div>
        <p class="label">{status === 'published' ? 'Ends' : 'End'}</p>
        <End listing={listing} status={status} now={now} />
      </div>
      {(links.site.sellsPlaces || standings.all) && (
        <div>
          <p class="label">
            On the boards <span class="paid">Paid placement</span>
          </p>
          <Places standings={standings} isDown={listing.hiddenAt !== null} />
        </div>
      )}
    </section>
  )
}

interface StatusNoteProps {
  listing: Listing
  status: ListingStatus
  /** Whether the operator decided it, so that its owner can't show it again. */
  isOperators: boolean
}

function StatusNote({ listing, status, isOperators }: StatusNoteProps) {
  if (status === 'published') return <span>It is live.</span>
  const again = isOperators ? '' : ' You can show it again below.'
  if (listing.hiddenBy === 'owner') return <span>You withdrew it.{again}</span>
  if (again) return <span>Its time has ended.{again}</span>
  const who = listing.hiddenBy === 'automatic' ? 'An automatic check' : 'The operator'
  return (
    <span>
      {who} {status === 'expired' ? 'ended it early' : 'took it down'}. The reasons are below.
    </span>
  )
}

function End({ listing, status, now }: { listing: Listing; status: ListingStatus; now: number }) {
  if (listing.expiresAt === null) {
    return (
      <>
        <strong class="big">{status === 'published' ? 'No end' : 'Down now'}</strong>
        <p>
          {status === 'published'
            ? 'No scheduled end while it has a paid place'
            : `Its payments still count. It has a place again ${listing.hiddenBy === 'owner' ? 'once it is shown again' : 'if the operator restores it'}.`}
        </p>
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

const daysLeft = (days: number): string => `${days < 1 ? 'less than a day' : counted(days, 'day')} left`

/** A stroke for each day of a free listing. The days left are dark. */
function DaysLeft({ days }: { days: number }) {
  return (
    <svg class="days" viewBox={`0 0 ${DISPLAY_DAYS * 10 - 3} 32`} preserveAspectRatio="none" aria-hidden="true">
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

function Places({ standings, isDown }: { standings: Standings; isDown: boolean }) {
  const [first, ...others] = BOARDS.flatMap(board => {
    const standing = standings[board]
    return standing ? [{ board, ...standing }] : []
  })
  if (!first) {
    return (
      <>
        <strong class="big">None</strong>
        <p>{isDown ? 'A listing that is down has no place.' : 'No payment counts on a board now.'}</p>
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

/** Why a listing is down, while it is. */
export async function readReasons(
  { store, links }: { store: Store; links: Links },
  listing: Listing,
  now: number,
): Promise<DecisionStatement | undefined> {
  const isDown = statusOf(listing, now) !== 'published'
  const id = isDown ? await hidingDecision(store.db, listing.slug) : undefined
  const decision = id === undefined ? undefined : await findDecision(store.db, id)
  return decision && statementOf(decision, links, now)
}

/** Why the listing is down, and the form to appeal. `typed`: a refused appeal, to correct. */
export function Reasons(props: { claimId: string; statement: DecisionStatement; typed?: string | undefined }) {
  const { claimId, statement, typed } = props
  return (
    <Section id="reasons" title="Why it is down">
      <div class="sheet">
        <Statement statement={statement} />
        <p class="hint">
          <a href={`/manage/${claimId}/decision`}>These reasons as JSON</a>, and the{' '}
          <a href={`/manage/${claimId}/decision.tlog-proof`}>proof that they are in the open log</a>
        </p>
        {statement.contest.isPossible && <AppealForm action={`/manage/${claimId}/appeal`} typed={typed} />}
      </div>
    </Section>
  )
}

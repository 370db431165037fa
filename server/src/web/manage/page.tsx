import { CATEGORIES, type DecisionStatement } from '@placard/contract'
import { readStandings } from '../../domain/boards/standings.ts'
import { appealGranted, type Decision } from '../../domain/decisions/record.ts'
import { type Product, productAt, statusOf } from '../../domain/listings/listing.ts'
import { type DayOfTraffic, readTraffic } from '../../domain/listings/traffic.ts'
import type { Claim } from '../../domain/ownership/claims.ts'
import { SESSION_LIFETIME_MS } from '../../domain/ownership/signed-cookies.ts'
import type { Links } from '../../platform/http/links.ts'
import { sendHtml } from '../../platform/http/send.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'
import { type CurrentPlaces, readCurrentPlaces, Share } from '../listing/share.tsx'
import { Fact, Message, Section } from '../ui/elements.tsx'
import { knownLanguage } from '../ui/format.ts'
import { renderDocument } from '../ui/layout.tsx'
import { QrCode } from '../ui/private-link.tsx'
import { COPY_IT, typedStatement, Unsent } from '../ui/statement.tsx'
import { Minute } from '../ui/time.tsx'
import type { PrivatePageDependencies, Visit } from './acts.ts'
import { Acts } from './forms.tsx'
import { LinkMessages, PrivateFrame } from './frame.tsx'
import type { Notice } from './messages.ts'
import { Notifications, type OwnerNotifications, readNotifications } from './notifications.tsx'
import { ProofSection, type Proving, readProving } from './proof.tsx'
import { Reasons, readReasons, Status } from './status.tsx'
import { Traffic } from './traffic-chart.tsx'

const TRAFFIC_DAYS = 30

/** Sends the private page of a listing to the holder of its link. @param notice the result of an action */
export async function sendPrivatePage(deps: PrivatePageDependencies, visit: Visit, notice?: Notice) {
  const { store, links } = deps
  const { claim, now, request, reply } = visit
  const { listing } = claim
  const isUp = statusOf(listing, now) === 'published'
  const [traffic, standings, notifications, reasons, granted, proving, { product, status }] = await Promise.all([
    readTraffic(store, listing.id, { days: TRAFFIC_DAYS, now }),
    readStandings(store, listing.destinationKey, now),
    readNotifications(deps, visit),
    readReasons(deps, listing, now),
    isUp ? appealGranted(store.db, listing.slug) : undefined,
    readProving(deps, claim, request, notice?.findings ?? {}, now),
    productAt(store, listing.slug, now),
  ])
  if (status === 'published') deps.drawListing(product.slug)
  const places = await readCurrentPlaces(store, standings, now)
  const form = { typed: typedStatement(visit.form), category: CATEGORIES.find(id => id === visit.form.category) }
  const page = { claim, traffic, product, places, notifications, reasons, granted, form, proving, links, now, notice }
  const html = renderPrivatePage(page)
  return sendHtml(reply, notice?.status ?? 200, html)
}

interface PrivatePage {
  claim: Claim
  traffic: readonly DayOfTraffic[]
  /** The listing with its picture. */
  product: Product
  places: CurrentPlaces
  notifications: OwnerNotifications
  /** Why it is down, while it is. */
  reasons: DecisionStatement | undefined
  granted?: Decision | undefined
  /** What a refused form had: an appeal, to correct, and a category. */
  form: { typed: string; category: string | undefined }
  proving: Proving
  links: Links
  now: number
  notice?: Notice | undefined
}

export function renderPrivatePage(page: PrivatePage) {
  const { claim, product, places, notifications, reasons, granted, form, proving, links, now } = page
  const { claimId, listing } = claim
  const { standings } = places
  const { notice } = page
  const status = statusOf(listing, now)
  const isUp = status === 'published'
  const isPaid = Object.keys(standings).length > 0
  const isUrgent = proving.waitsUntil !== undefined || Boolean(proving.owner?.missingSince)
  const proof = <ProofSection claim={claim} proving={proving} now={now} />
  return renderDocument(
    <PrivateFrame links={links}>
      <article class="private">
        <LinkMessages links={links} />
        <p class="eyebrow">Private page: manage your listing</p>
        {notice && (
          <Message isGood={notice.status < 400}>
            <strong>{notice.headline}</strong> {notice.text}
          </Message>
        )}
        {form.typed && !reasons?.contest.isPossible && <Unsent typed={form.typed} next={COPY_IT} />}
        <h1 dir="auto" lang={knownLanguage(listing.language)}>
          {listing.title}
        </h1>
        <Status
          listing={listing}
          status={status}
          standings={standings}
          granted={granted}
          whyNotReopened={proving.whyNotReopened}
          links={links}
          now={now}
        />
        {isUrgent && proof}
        {reasons && <Reasons claimId={claimId} statement={reasons} typed={form.typed} />}
        <Traffic days={page.traffic} />
        {isUp && (
          <Section
            id="share"
            title="Share it"
            note={isPaid && <p class="small soft">A badge shows the listing’s current rank.</p>}
          >
            <div class="kit">
              <Share product={product} places={places} links={links} showsPicture />
              <QrCode text={links.product(product.slug)} label="QR code of the public page" />
            </div>
          </Section>
        )}
        <Notifications claim={claim} isUp={isUp} notifications={notifications} links={links} />
        <Acts
          claim={claim}
          isUp={isUp}
          isPaid={isPaid}
          category={form.category}
          whyNotReopened={proving.whyNotReopened}
          links={links}
        />
        {!isUrgent && proof}
        <dl class="record">
          <Fact name="Website">{listing.url}</Fact>
          <Fact name="Category">{listing.category}</Fact>
          <Fact name="Published">
            <Minute at={listing.publishedAt} />
          </Fact>
        </dl>
        <p class="small soft">
          Keep your private link to yourself: anyone with it can open this page. This visit ends automatically after{' '}
          {SESSION_LIFETIME_MS / MINUTE_MS} minutes.
        </p>
      </article>
    </PrivateFrame>,
  )
}

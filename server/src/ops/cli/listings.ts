import { readStandings } from '../../domain/boards/standings.ts'
import type { Listing } from '../../domain/listings/listing.ts'
import { textIn } from '../../domain/moderation/appeals/statement.ts'
import { findListings, historyOf } from '../../domain/moderation/console/history.ts'
import { readCase } from '../../domain/moderation/console/queue.ts'
import { findingText } from '../../domain/moderation/findings.ts'
import { listListings } from '../../domain/moderation/moderate.ts'
import { blockOf } from '../../domain/review/reviewers/blocked-hosts.ts'
import type { Store } from '../../platform/db/store.ts'
import { OWNER_PROOF } from '../../platform/db/tables/ownership.ts'
import type { ListingStatus } from '../../platform/db/tables/publishing.ts'
import type { Links } from '../../platform/http/links.ts'
import { counted, dollars } from '../../platform/lib/text.ts'
import { utcDay, utcMinute } from '../../platform/lib/time.ts'
import { listCommand, needHost, needSlug, noListing, type OptionValues, storeCommand, UsageError } from './command.ts'
import { linksOf } from './with-store.ts'

const STATUSES: readonly ListingStatus[] = ['published', 'expired', 'unavailable']

export const list = listCommand({
  name: 'list',
  usage: '[--host HOST] [--status STATUS] [--limit N]',
  does: `list the newest listings; --status: only those with this status: ${STATUSES.join(', ')}`,
  options: ['host', 'status'],
  wanted: values => ({
    status: readStatus(values),
    host: values.host === undefined ? undefined : needHost('--host', values.host),
  }),
  none: ({ status, host }) => ((status ?? host) ? 'No listing matches.' : 'There are no listings yet.'),
  read: (store, count, wanted) => listListings(store, Date.now(), count, wanted),
  print({ publishedAt, status, slug, url, hiddenBy, hiddenReason }) {
    const why = hiddenReason === null ? '' : `  (${hiddenBy}: ${hiddenReason})`
    console.log(`${utcDay(publishedAt)}  ${status.padEnd(11)}  ${slug}  ${url}${why}`)
  },
  toJson: factsOf,
})

function readStatus({ status }: OptionValues): ListingStatus | undefined {
  const found = STATUSES.find(each => each === status)
  if (status === undefined || found) return found
  throw new UsageError(`--status must be one of ${STATUSES.join(', ')}`)
}

export function factsOf(listing: Listing & { status: ListingStatus }) {
  const { slug, url, category, title, status, publishedAt, expiresAt, hiddenBy, hiddenReason } = listing
  return { slug, url, category, title, status, publishedAt, expiresAt, hiddenBy, hiddenReason }
}

const REPORTS_SHOWN = 50

export const show = storeCommand({
  name: 'show',
  usage: 'SLUG',
  does: 'show one listing: status, dates, money, ranks, picture, owner, open items, decisions',
  argumentsMax: 1,
  read: (_, word) => needSlug('show', word),
  async act(store, slug, config) {
    const known = await readAll(store, linksOf(config), slug, Date.now())
    return [known, linesOf(known).join('\n')]
  },
})

type Known = Awaited<ReturnType<typeof readAll>>

/**
 * Returns what an operator needs to know of a listing, which is named by its slug or one of its addresses. It contains
 * nothing that opens the private page.
 *
 * @throws Error in one line if there is no such listing
 */
async function readAll(store: Store, links: Links, word: string, now: number) {
  const { db } = store
  const [listing] = await findListings(store, word, now)
  const found = listing && (await readCase(store, listing.id, REPORTS_SHOWN))
  if (!found) return noListing(word)
  const { id, destinationKey, updatedAt, hiddenAt, hostname, language, description } = listing
  const paid = await db
    .selectFrom('payment')
    .select(({ fn }) => [fn.countAll().as('count'), fn.sum('paidCents').as('paid'), fn.sum('netCents').as('counts')])
    .where('destinationKey', '=', destinationKey)
    .executeTakeFirst()
  const proofs = (table: 'site_owner' | 'waiting_owner') =>
    db.selectFrom(table).select(['place', 'provenAt']).where('listingId', '=', id).executeTakeFirst()
  return {
    ...factsOf(listing),
    productUrl: links.product(listing.slug),
    host: hostname,
    blockedHost: (await blockOf(store, hostname))?.host ?? null,
    language,
    description,
    updatedAt,
    hiddenAt,
    payments: Number(paid?.count ?? 0),
    paidCents: Number(paid?.paid ?? 0),
    countsCents: Number(paid?.counts ?? 0),
    places: await readStandings(store, destinationKey, now),
    picture: await db
      .selectFrom('picture')
      .select(['state', 'sourceUrl', 'width', 'height', 'attempts', 'storedAt'])
      .where('listingId', '=', id)
      .executeTakeFirst(),
    approval: await db
      .selectFrom('claim')
      .select(['requestId', 'approvedAt', 'approval', 'approvalScope'])
      .where('listingId', '=', id)
      .executeTakeFirst(),
    owner: await proofs('site_owner'),
    waitingOwner: await proofs('waiting_owner'),
    openReports: found.reports,
    reportsByReason: found.reasons,
    openFindings: found.findings,
    openAppeals: found.appeals.map(({ id, kind, reason, at, appeal }) => ({
      ...{ id, kind, reason, at, appealedAt: appeal?.at },
      statement: appeal && textIn(appeal, 'statement'),
    })),
    unmatchedPayments: found.payments,
    decisions: (await historyOf(db, id)).map(({ id, at, kind, ground, reason, actor, reports, ...rest }) => ({
      ...{ id, at, kind, ground, reason, actor, ...(reports > 1 && { reports }) },
      explanation: textIn({ id, at, kind, ground, reason, actor, ...rest }, 'explanation'),
    })),
  }
}

function linesOf(known: Known): string[] {
  const { picture, owner, waitingOwner, approval, places } = known
  const ranks = Object.entries(places).map(([board, { rank }]) => `no. ${rank} of "${board}"`)
  const ends = known.expiresAt === null ? 'no end date' : `ends ${utcMinute(known.expiresAt)}`
  const why = known.hiddenReason === null ? '' : ` (${known.hiddenBy}: ${known.hiddenReason})`
  const size = picture?.width ? `, ${picture.width} × ${picture.height}` : ''
  const poster = approval?.approvalScope === OWNER_PROOF ? 'its owner without an agent' : 'an agent'
  const by = approval?.requestId ? `${poster}, submission ${approval.requestId}` : 'a payment'
  return [
    ...Object.entries({
      listing: `${known.slug}, ${known.status}${why}`,
      title: known.title,
      website: `${known.url}${known.blockedHost ? `, and its host is blocked (${known.blockedHost})` : ''}`,
      page: known.productUrl,
      kept: `listed ${utcMinute(known.publishedAt)} by ${by}, ${ends}, changed ${utcMinute(known.updatedAt)}`,
      approved: approval ? `${utcMinute(approval.approvedAt)}${approval.approval ? ' in a browser' : ''}` : 'no',
      category: `${known.category}, language ${known.language || 'unknown'}`,
      paid: `${dollars(known.paidCents)} in ${counted(known.payments, 'payment')}, of which ${dollars(known.countsCents)} count`,
      rank: ranks.join(', ') || 'none',
      picture: picture ? `${picture.state}${size}${picture.sourceUrl ? `, from ${picture.sourceUrl}` : ''}` : 'none',
      owner: owner ? `proved by ${owner.place} at ${utcMinute(owner.provenAt)}` : 'not proved',
      ...(waitingOwner && { waiting: `another owner, proved by ${waitingOwner.place}` }),
    }).map(([name, value]) => `${name.padEnd(11)} ${value}`),
    ...known.openReports.map(each => `report      ${each.id}  ${utcMinute(each.createdAt)}  ${each.reason}`),
    ...known.openFindings.map(each => `finding     ${each.id}  ${each.kind}: ${findingText(each.kind)}.`),
    ...known.openAppeals.map(each => `appeal      ${each.id}  ${each.kind}: ${each.reason}`),
    ...known.unmatchedPayments.map(each => `unmatched   ${each.paymentId}  ${each.amounts}  ${each.why}`),
    ...known.decisions.map(({ at, kind, reason, actor, reports = 1, explanation = '' }) =>
      `decision    ${utcMinute(at)}  ${kind}: ${reason}${reports > 1 ? `, ${reports} reports` : ''}, by ${actor}  ${explanation}`.trimEnd(),
    ),
  ]
}

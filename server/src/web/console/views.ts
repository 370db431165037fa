import { findListings, historyOf, newestByPeople } from '../../console/history.ts'
import { type QueueFilter, readCase, readQueue, WAITING } from '../../console/queue.ts'
import { Problem } from '../../http/problem.ts'
import { sendHtml } from '../../http/send.ts'
import { findListing } from '../../listings/listing.ts'
import { REPORT_REASONS } from '../../moderation/reports.ts'
import { unplacedPayments } from '../../payments/unplaced.ts'
import { renderListing } from './listing-page.tsx'
import { renderListings, renderLog, renderPayments } from './lists.tsx'
import { renderQueue } from './queue-page.tsx'
import type { ConsoleDependencies, Visit } from './routes.ts'

const REPORTS_SHOWN = 50
const PAYMENTS_SHOWN = 100

type Fields = Record<string, unknown>

/** A filter from a form or a query. What is no filter is left out. */
export function filterFrom({ waiting, reason }: Fields): QueueFilter {
  const kind = WAITING.find(each => each === waiting)
  const isReason =
    typeof reason === 'string' && (Object.hasOwn(REPORT_REASONS, reason) || reason === 'failed_review')
  return {
    ...(kind && kind !== 'payments' && { waiting: kind }),
    ...(isReason && { reason }),
  }
}

export async function queue({ store }: ConsoleDependencies, { view, request, reply }: Visit) {
  const query = request.query as Fields
  const filter = filterFrom(query)
  const found = await readQueue(store, filter)
  return sendHtml(
    reply,
    200,
    renderQueue({ view, queue: found, filter, areAllSelected: query.select === 'all' }),
  )
}

export async function listing({ store }: ConsoleDependencies, { view, request, reply }: Visit) {
  const { slug } = request.params as { slug: string }
  const known = await findListing(store.db, slug)
  const found = known && (await readCase(store, Number(known.id), REPORTS_SHOWN))
  if (!found) throw new Problem('not_found')
  const decisions = await historyOf(store.db, found.listing.id)
  return sendHtml(reply, 200, renderListing({ view, found, decisions }))
}

export async function listings({ store, clock }: ConsoleDependencies, { view, request, reply }: Visit) {
  const { q } = request.query as Fields
  const query = typeof q === 'string' ? q.trim() : ''
  return sendHtml(reply, 200, renderListings(view, await findListings(store, query, clock()), query))
}

export async function payments({ store }: ConsoleDependencies, { view, reply }: Visit) {
  return sendHtml(reply, 200, renderPayments(view, await unplacedPayments(store, PAYMENTS_SHOWN)))
}

export async function log({ store }: ConsoleDependencies, { view, reply }: Visit) {
  return sendHtml(reply, 200, renderLog(view, await newestByPeople(store.db)))
}

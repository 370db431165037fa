import { findListings, historyOf, newestByPeople } from '../../console/history.ts'
import { CASES_SHOWN, readCase, readQueue } from '../../console/queue.ts'
import { readHost } from '../../destinations/read-host.ts'
import { Problem } from '../../http/problem.ts'
import { sendHtml } from '../../http/send.ts'
import { findListing } from '../../listings/listing.ts'
import { listingsOfHost } from '../../moderation/listings-of-host.ts'
import { findLink } from '../../ownership/reissue-link.ts'
import { unplacedPayments } from '../../payments/unplaced.ts'
import { blockOf, listBlocks } from '../../review/blocked-hosts.ts'
import { renderBlocks } from './blocks-page.tsx'
import { renderListing } from './listing-page.tsx'
import { renderListings, renderLog, renderPayments } from './lists.tsx'
import { filterFrom } from './paths.ts'
import { renderQueue } from './queue-page.tsx'
import type { ConsoleDependencies, Visit } from './visit.ts'

const REPORTS_SHOWN = 50
const PAYMENTS_SHOWN = 100
const BLOCKS_SHOWN = 100

type Fields = Record<string, unknown>

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
  const { id, hostname } = found.listing
  const [decisions, link, block] = await Promise.all([
    historyOf(store.db, id),
    findLink(store.db, id),
    blockOf(store, hostname),
  ])
  return sendHtml(reply, 200, renderListing({ view, found, decisions, link, block }))
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

/** The blocked hosts. With a host, what is listed of it, and the form that blocks it. */
export async function blocks({ store, links, clock }: ConsoleDependencies, { view, request, reply }: Visit) {
  const { host: typed, below } = request.query as Fields
  const known = await listBlocks(store, BLOCKS_SHOWN, true)
  if (typeof typed !== 'string') return sendHtml(reply, 200, renderBlocks({ view, known }))
  const read = readHost(typed, links.hostname)
  if ('problem' in read)
    return sendHtml(reply, 400, renderBlocks({ view, known, typed, problem: read.problem }))
  const range = { host: read.host, subdomains: below === 'yes' }
  const [block, listed] = await Promise.all([
    blockOf(store, read.host),
    listingsOfHost(store.db, range, clock(), CASES_SHOWN + 1),
  ])
  const cases = await Promise.all(
    listed.slice(0, CASES_SHOWN).map(({ id }) => readCase(store, Number(id), 1)),
  )
  const wanted = { range, block, cases: cases.filter(each => each !== undefined) }
  return sendHtml(
    reply,
    200,
    renderBlocks({ view, known, typed, wanted: { ...wanted, areMore: listed.length > CASES_SHOWN } }),
  )
}

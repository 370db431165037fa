import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isPublished } from '../../domain/listings/listed-row.ts'
import { isSlug } from '../../domain/listings/listing.ts'
import { PROOF_MEDIA_TYPE, proofOfRow } from '../../domain/log/proofs.ts'
import { readLogNow, readRow, rowsOfListing } from '../../domain/log/read-log.ts'
import type { Store } from '../../platform/db/store.ts'
import { boardCache, CACHE, LIVE_HEADERS } from '../../platform/http/headers.ts'
import type { Links } from '../../platform/http/links.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { sendPublic } from '../../platform/http/send.ts'
import { echoedAddress, typedDestination } from '../list/address-field.tsx'
import { PROOF_PATH } from '../ui/log-rows.ts'
import type { Needs } from '../ui/page-parts.ts'
import { renderProof } from './page.tsx'
import type { RowLookup, ShownListing } from './row.tsx'

type ProofRequest = FastifyRequest<{ Querystring: { row?: unknown } }>
type FileRequest = FastifyRequest<{ Params: { index: string } }>

/** The page of the open log, and the proof of each row as a file. */
export function proofRoutes(
  app: FastifyInstance,
  deps: Needs<'store' | 'links' | 'config' | 'serviceKeys' | 'clock'>,
): void {
  const { store, links, clock, config, serviceKeys } = deps
  const render = renderProof(links)

  app.get(PROOF_PATH, async (request: ProofRequest, reply) => {
    const { row } = request.query
    const now = clock()
    const log = await readLogNow({ store, config, serviceKeys: serviceKeys.all.map(({ secret }) => secret) })
    reply.headers(LIVE_HEADERS)
    if (typeof row !== 'string' || row.trim() === '') {
      return sendPublic(request, reply, render({ log, asked: undefined, now }), {
        cache: boardCache('all', now),
        tags: [],
      })
    }
    const asked = await findRow(row.trim(), { store, links, now, size: log?.size ?? 0 })
    if (!asked.row && !asked.listing) reply.code(404)
    // It may name a listing, which can be taken down at any time.
    return sendPublic(request, reply, render({ log, asked, now }), { cache: CACHE.listing })
  })

  app.get(`${PROOF_PATH}/:index(^\\d{1,15}$).tlog-proof`, OPEN, async (request: FileRequest, reply) => {
    const { index } = request.params
    const proof = await proofOfRow(store, Number(index))
    reply.header('content-disposition', `attachment; filename="${index}.tlog-proof"`)
    return sendPublic(request, reply, proof, { cache: boardCache('all', clock()), mediaType: PROOF_MEDIA_TYPE })
  })
}

const ROWS_MAX = 20

interface Finding {
  store: Store
  links: Links
  now: number
  /** Rows that the latest checkpoint covers. */
  size: number
}

/** Finds a row by its number, or the rows of a listing by its address. Only published listings are named. */
async function findRow(typed: string, { store, links, now, size }: Finding): Promise<RowLookup> {
  const digits = typed.replaceAll(/[\s,]/g, '')
  if (/^\d{1,15}$/.test(digits)) {
    const row = await readRow(store, Number(digits))
    if (!row || row.index >= size) return { typed, isUnsigned: row !== undefined }
    const { listing } = row.entry
    return { typed, row: { ...row, listing: listing === undefined ? undefined : await shown('id', listing) } }
  }
  const slug = slugIn(typed, links)
  const destination = slug === undefined ? typedDestination(typed, links) : undefined
  if (destination && 'fault' in destination) return { typed: echoedAddress(typed) ?? '', fault: destination.fault }
  const listing = destination ? await shown('destinationKey', destination.key) : await shown('slug', slug ?? '')
  if (!listing) return { typed }
  return {
    typed,
    listing: { ...listing, rows: await rowsOfListing(store, { listingId: listing.id, size, limit: ROWS_MAX }) },
  }

  function shown(column: 'id' | 'slug' | 'destinationKey', value: string | number): Promise<ShownListing | undefined> {
    return store.db
      .selectFrom('listing')
      .select(['id', 'slug', 'hostname'])
      .where(column, '=', value as never)
      .where(isPublished(now) as never)
      .executeTakeFirst()
  }
}

/** Returns the slug in the address of a listing's page, with or without this site's origin. */
function slugIn(typed: string, { base }: Links): string | undefined {
  const [before, slug = ''] = typed.split('/product/')
  return (before === '' || before === base) && isSlug(slug) ? slug : undefined
}

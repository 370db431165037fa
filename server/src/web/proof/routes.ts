import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readLogNow } from '../../domain/log/log-now.ts'
import { PROOF_MEDIA_TYPE, proofOfRow } from '../../domain/log/proofs.ts'
import { boardCache, CACHE, LIVE_HEADERS } from '../../platform/http/headers.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { sendPublic } from '../../platform/http/send.ts'
import { PROOF_PATH } from '../ui/log-rows.ts'
import type { Needs } from '../ui/page-parts.ts'
import { findRow } from './find-row.ts'
import { renderProof } from './page.tsx'

type ProofRequest = FastifyRequest<{ Querystring: { row?: unknown } }>
type FileRequest = FastifyRequest<{ Params: { index: string } }>

/** The page of the open log, and the proof of each row as a file. */
export async function proofRoutes(
  app: FastifyInstance,
  deps: Needs<'store' | 'links' | 'config' | 'serviceKeys' | 'clock'>,
): Promise<void> {
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

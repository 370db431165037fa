import type { FastifyInstance, FastifyRequest } from 'fastify'
import { answerApproval, findApproval, previewOf, statusOfApproval } from '../../domain/publishing/approvals.ts'
import { PRIVATE_HEADERS, withHeaders } from '../../platform/http/headers.ts'
import { approvePath } from '../../platform/http/links.ts'
import { rateLimit } from '../../platform/http/rate-limits/rate-limit.ts'
import { requireSameOrigin } from '../../platform/http/request-checks.ts'
import { sendHtml } from '../../platform/http/send.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'
import type { Needs } from '../ui/page-parts.ts'
import { renderApprove } from './page.tsx'

const VIEWS_PER_MINUTE = 60

/** The page where a customer answers an agent. Opening it changes nothing, because programs open links, too. */
export async function approveRoutes(
  app: FastifyInstance,
  deps: Needs<'links' | 'store' | 'allowances' | 'clock'>,
): Promise<void> {
  const { links, store, clock } = deps
  const limit = rateLimit(deps.allowances, {
    name: 'approvalViewsPerMinutePerIp',
    max: VIEWS_PER_MINUTE,
    windowMs: MINUTE_MS,
  })
  type ApproveRequest = FastifyRequest<{ Params: { code: string } }>
  const url = approvePath(':code')

  app.addHook('onRequest', withHeaders(PRIVATE_HEADERS))

  app.get(url, { onRequest: limit }, async (request: ApproveRequest, reply) => {
    const asked = await findApproval(store, request.params.code)
    const now = clock()
    const status = asked ? statusOfApproval(asked, now) : 'expired'
    const code = asked ? (status === 'expired' ? 410 : 200) : 404
    return sendHtml(reply, code, renderApprove({ links, asked, status, listing: asked && previewOf(asked), now }))
  })

  app.post(url, { onRequest: [requireSameOrigin(links), limit] }, async (request: ApproveRequest, reply) => {
    const { code } = request.params
    const { answer } = (request.body ?? {}) as { answer?: unknown }
    const asked = await findApproval(store, code)
    if (asked && (answer === 'approved' || answer === 'declined')) await answerApproval(store, asked, answer, clock())
    // The page shows what it has come to: the answer may have been too late.
    return reply.redirect(approvePath(asked ? code : 'unknown'), 303)
  })
}

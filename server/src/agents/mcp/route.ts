import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { logProblem, problemFrom, problemHeaders } from '../../platform/http/error-reply.ts'
import type { Links } from '../../platform/http/links.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { Problem } from '../../platform/http/problem.ts'
import { rateLimit } from '../../platform/http/rate-limits/rate-limit.ts'
import { rejectRebinding, requireJsonUpTo } from '../../platform/http/request-checks.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'
import { MCP_PATH } from '../discovery/facts.ts'
import type { ToolDependencies } from './tool.ts'

/** A message may contain more than the arguments of a tool, which are as short as a body of the API. */
export const MESSAGE_MAX_BYTES = 16 * 1024
/** Per client address, which many people may share. */
export const MESSAGES_PER_MINUTE = 600

/**
 * Adds POST /mcp: the tools over MCP's streamable HTTP, without sessions. They only read what is public, so pages of
 * any origin may call them.
 */
export async function mcpRoute(app: FastifyInstance, deps: ToolDependencies): Promise<void> {
  // Loaded by the first message, because loading it takes a fifth of the service's start time.
  let loading: Promise<typeof import('./server.ts')> | undefined

  app.setErrorHandler((error: FastifyError | Problem, request, reply) => sendError(error, request, reply, deps.links))
  app.post(
    MCP_PATH,
    {
      bodyLimit: MESSAGE_MAX_BYTES,
      ...OPEN,
      onRequest: [
        rejectRebinding(deps.links),
        rateLimit(deps.allowances, {
          name: 'mcpMessagesPerMinutePerIp',
          max: MESSAGES_PER_MINUTE,
          windowMs: MINUTE_MS,
        }),
        requireJsonUpTo(MESSAGE_MAX_BYTES),
      ],
    },
    async (request, reply) => {
      // Only the revision 2025-03-26 has batches.
      if (Array.isArray(request.body)) {
        throw new Problem('invalid_body', { detail: 'Send one JSON-RPC message, not a batch.' })
      }
      loading ??= import('./server.ts')
      const { answer } = await loading
      return reply.header('cache-control', 'no-store').send(await answer(deps, request, reply))
    },
  )
}

/**
 * The reply to a request that is refused before it is read as a message: a JSON-RPC error that contains the API's error.
 * It has no id: MCP allows that, and its SDK's schema of messages refuses the null that JSON-RPC 2.0 prescribes.
 */
function sendError(
  error: FastifyError | Problem,
  request: FastifyRequest,
  reply: FastifyReply,
  links: Links,
): FastifyReply {
  const problem = problemFrom(error, request)
  logProblem(request, problem)
  const code = RPC_CODES[problem.code] ?? SERVER_ERROR
  return problemHeaders(problem, request, reply)
    .type('application/json; charset=utf-8')
    .send({ jsonrpc: '2.0', error: { code, message: problem.message, data: problem.toBody(links) } })
}

const SERVER_ERROR = -32_000
const RPC_CODES: Partial<Record<Problem['code'], number>> = {
  invalid_json: -32_700,
  invalid_body: -32_600,
  internal_error: -32_603,
}

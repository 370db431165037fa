import { createMcpHandler } from '@modelcontextprotocol/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { MCP_PATH } from '../discovery/facts.ts'
import { mcpServer } from './server.ts'
import type { ToolDependencies } from './tool.ts'

/** Answers one message. The handler and its server exist only for it. */
export function answer(deps: ToolDependencies, request: FastifyRequest, reply: FastifyReply): Promise<Response> {
  const { fetch } = createMcpHandler(() => mcpServer(deps, request), {
    // Tools do not change while the service runs, so there is nothing to subscribe to.
    maxSubscriptions: 0,
    onerror: err => request.log.debug({ err }, 'mcp'),
  })
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  const asked = new Request(deps.links.base + MCP_PATH, {
    method: 'POST',
    headers: headersOf(request),
    signal: gone.signal,
  })
  return fetch(asked, { parsedBody: request.body })
}

/** Returns the headers that a web-standard request may have, without those that describe a body it does not have. */
function headersOf({ headers }: FastifyRequest): Headers {
  const kept = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string') kept.set(name, value)
  }
  return kept
}

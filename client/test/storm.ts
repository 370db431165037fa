import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { refuse } from './peer.ts'

/** What goes wrong in the first requests or processes of a run, besides processes that are killed. */
export const FAULTS = [
  'lost response',
  'timeout',
  'restart in the middle',
  'full disk before sending',
  'two processes at once',
  '429 with a long wait',
  '503 for an hour',
] as const
export type Fault = (typeof FAULTS)[number]

/** The outcome of one run. */
export interface Run {
  host: string
  fault: Fault
  /** Processes started, and killed. */
  started: number
  killed: number
  receipt: { productUrl: string; requestId: string } | undefined
  printed: string
}

/** A bad network before a service: does to each host's next requests what `trouble` says, and passes on the rest. */
export async function startBadNetwork(service: string) {
  const trouble = new Map<string, Fault[]>()
  const keys = new Map<string, Set<string>>()
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request)
    const { hostname } = new URL(JSON.parse(body).destination)
    const key = String(request.headers['idempotency-key'])
    keys.set(hostname, (keys.get(hostname) ?? new Set()).add(key))
    await pass(trouble.get(hostname)?.shift(), { service, body, request, response })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    trouble,
    /** The keys that arrived, by host. */
    keys,
    async stop() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

interface Passing {
  service: string
  body: string
  request: IncomingMessage
  response: ServerResponse
}

async function pass(fault: Fault | undefined, { service, body, request, response }: Passing): Promise<void> {
  const later = { 'retry-after': '3600' }
  const arrival = { method: 'POST', path: request.url ?? '', headers: request.headers, body }
  if (fault === '429 with a long wait') return refuse(429, 'quota_host', {}, later)(response, arrival)
  const headers = { ...request.headers } as Record<string, string>
  for (const name of ['host', 'connection', 'content-length', 'transfer-encoding']) delete headers[name]
  const answer = await fetch(service + request.url, { method: 'POST', headers, body })
  const text = await answer.text()
  if (fault === 'lost response') response.socket?.destroy()
  else if (fault === '503 for an hour') refuse(503, 'publication_unconfirmed', {}, later)(response, arrival)
  // Silence: the client gives up, or its process ends.
  else if (fault !== 'timeout') response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(text)
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

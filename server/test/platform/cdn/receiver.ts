import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface Purge {
  method: string
  headers: IncomingHttpHeaders
  body: string
}

/** A fake purge API of a shared cache. */
export async function startReceiver() {
  const heard: Purge[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    heard.push({ method: request.method ?? '', headers: request.headers, body })
    response.writeHead(receiver.status).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/purge`,
    /** What it answers. */
    status: 200,
    heard: heard as readonly Purge[],
    /** Every tag of requests in Cloudflare's form since the last call. */
    tags(): string[] {
      const told = heard.splice(0).flatMap(({ body }) => (JSON.parse(body) as { tags: string[] }).tags)
      return [...new Set(told)].sort()
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return receiver
}

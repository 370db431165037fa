import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach } from 'vitest'

/** One request as it arrived. */
export interface Arrival {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** What the peer does with one request. */
export type Step = (response: ServerResponse, arrival: Arrival) => void | Promise<void>

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(stops.splice(0).map(stop => stop()))
})

/** A service, and the unreliable network before it: the first request meets the first step; the last step repeats. */
export async function startPeer(...steps: Step[]) {
  const arrivals: Arrival[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url = '', headers } = request
    const arrival = { method, path: url, headers, body: Buffer.concat(chunks).toString() }
    arrivals.push(arrival)
    await steps[Math.min(arrivals.length, steps.length) - 1]?.(response, arrival)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = async () => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
  stops.push(stop)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrivals, stop }
}

/** Answers with JSON. */
export const reply =
  (status: number, body: unknown, headers: Record<string, string> = {}): Step =>
  response => {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
    response.end(JSON.stringify(body))
  }

/** Answers with an error in the contract's shape. */
export const refuse = (status: number, code: string, more: object = {}, headers: Record<string, string> = {}) =>
  reply(status, { code, error: `Refused with ${code}.`, chargeCreated: false, ...more }, headers)

/** Answers with any text of any type, as a proxy might. */
export const answer =
  (status: number, type: string, text: string): Step =>
  response => {
    response.writeHead(status, { 'content-type': type })
    response.end(text)
  }

/** Closes the connection without a word. */
export const hangUp: Step = response => {
  response.socket?.destroy()
}

/** Begins a good answer and closes the connection in the middle. */
export const hangUpHalfway: Step = response => {
  response.writeHead(201, { 'content-type': 'application/json', 'content-length': '4000' })
  response.write('{"requestId":', () => response.socket?.destroy())
}

/** Never answers. */
export const stayMute: Step = () => {}

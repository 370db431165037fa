import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Sites {
  /** A FETCH_CONNECT_TO that directs every host on port 80 to these sites. */
  connectTo: string
  /** Sets what a host answers; without it, every host shows a plain good page. */
  set(host: string, answer: RequestListener): void
  /** Requests so far, by host. */
  visits(host: string): number
  close(): Promise<void>
}

/** Small websites on loopback, one server for any number of host names. */
export async function startSites(): Promise<Sites> {
  const answers = new Map<string, RequestListener>()
  const visits = new Map<string, number>()
  const server = createServer((request, response) => {
    const host = request.headers.host ?? ''
    visits.set(host, (visits.get(host) ?? 0) + 1)
    const answer = answers.get(host) ?? goodPage
    answer(request, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    connectTo: `:80:127.0.0.1:${(server.address() as AddressInfo).port}`,
    set: (host, answer) => void answers.set(host, answer),
    visits: host => visits.get(host) ?? 0,
    close() {
      server.closeAllConnections()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
}

/** A page that passes review, titled with its host. */
export function goodPage(request: IncomingMessage, response: ServerResponse): void {
  sendHtml(
    response,
    `<!doctype html><html lang="en"><title>Welcome to ${request.headers.host}</title>
     <meta name="description" content="A small site with something to say."><h1>Hello</h1><p>Come in and look around.</p>`,
  )
}

export function sendHtml(response: ServerResponse, html: string): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html)
}

import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'

/** What a client sent, up to its headers. */
interface Heard {
  method: string
  /** Path and query as sent. */
  target: string
  headers: Readonly<Record<string, string>>
}

/** Answers one request, or does anything else to the connection. */
export type Reply = (socket: Socket, heard: Heard) => void

export interface WebServer {
  port: number
  /** Every request so far. */
  heard: readonly Heard[]
  /** Connections accepted so far, and those still open. */
  accepted: () => number
  open: () => number
  close(): Promise<void>
}

export interface WebServerOptions {
  /** Key and certificate in PEM: the server speaks TLS. */
  tls?: TlsOptions & { key: string; cert: string }
  /** Called as soon as somebody connects, before any request. */
  onConnection?: (socket: Socket) => void
}

/** A web server on loopback that sends exactly the bytes it is told to, however wrong. */
export async function startWebServer(reply: Reply, { tls, onConnection }: WebServerOptions = {}): Promise<WebServer> {
  const heard: Heard[] = []
  const sockets = new Set<Socket>()
  let accepted = 0

  const serve = (socket: Socket) => {
    let text = ''
    socket.on('error', () => {})
    onConnection?.(socket)
    socket.on('data', chunk => {
      text += chunk.toString('latin1')
      const end = text.indexOf('\r\n\r\n')
      if (end < 0) return
      const request = readHead(text.slice(0, end))
      text = text.slice(end + 4)
      heard.push(request)
      reply(socket, request)
    })
  }
  const server: Server = tls ? createTlsServer(tls, serve) : createServer(serve)
  server.on('connection', (socket: Socket) => {
    accepted++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))

  return {
    port: (server.address() as { port: number }).port,
    heard,
    accepted: () => accepted,
    open: () => sockets.size,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

export interface Response {
  status?: number
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
}

/** Sends a well-formed response (200, HTML, its length) with the differences given, and ends the connection. */
export function respond(socket: Socket, { status = 200, headers = {}, body = '' }: Response = {}): void {
  const bytes = Buffer.from(body)
  const all = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': String(bytes.length),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`HTTP/1.1 ${status} Status\r\n${lines.join('')}Connection: close\r\n\r\n`, 'latin1')
  socket.end(bytes)
}

function readHead(text: string): Heard {
  const [first = '', ...lines] = text.split('\r\n')
  const [method = '', target = ''] = first.split(' ')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const [, name, value = ''] = /^([^:]*):\s*(.*)$/.exec(line) ?? []
    if (name !== undefined) headers[name.toLowerCase()] = value
  }
  return { method, target, headers }
}

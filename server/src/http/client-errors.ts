import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { type Connections, UNREAD_MAX_MS } from './connections.ts'
import { Problem } from './problem.ts'

/**
 * Answers, in the usual error shape, what never becomes a request: bytes that are not HTTP, headers that are too large
 * or too slow, CONNECT.
 */
export function replyToClientErrors(
  server: Server,
  connections: Connections,
  nextRequestId: () => string,
): void {
  server.on('connect', (_request, socket: Socket) => {
    refuse(socket, '405 Method Not Allowed', new Problem('method_not_allowed'))
  })
  // An unknown expectation may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET') return void socket.destroy()
    const detail = CLIENT_ERRORS[error.code ?? '']
    const problem = new Problem('invalid_request', detail === undefined ? {} : { detail })
    refuse(socket, '400 Bad Request', problem)
  })

  function refuse(socket: Socket, statusLine: string, problem: Problem): void {
    // The client would take it for the reply to its previous request.
    if (!socket.writable || connections.isAnswering(socket)) return void socket.destroy()
    sendRaw(socket, statusLine, problem, nextRequestId())
  }
}

const CLIENT_ERRORS: Record<string, string> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
  HPE_HEADER_OVERFLOW: 'The request line and headers are larger than 16 KiB.',
}

function sendRaw(socket: Socket, statusLine: string, problem: Problem, requestId: string): void {
  const body = JSON.stringify(problem.toBody())
  const headers = {
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  // No other listener is left: without this one, a client that resets the connection would end the process.
  socket.on('error', () => {})
  socket.setTimeout(UNREAD_MAX_MS, () => socket.destroy())
  socket.write(`HTTP/1.1 ${statusLine}\r\n${lines.join('')}\r\n${body}`)
  // Even if the client keeps its side open.
  socket.destroySoon()
}

import type { Socket } from 'node:net'
import type { buildConnector, Dispatcher } from 'undici'
import request from 'undici/lib/api/api-request.js'
import Client from 'undici/lib/dispatcher/client.js'
import { reject } from '../destinations/verdict.ts'
import { FetchEnded } from './fetch-ended.ts'
import type { FetchLimits } from './limits.ts'

export interface ExchangeOptions {
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: string
  /** The most that is wanted of the body of the response. */
  bodyMaxBytes: number
  limits: FetchLimits
  signal: AbortSignal
}

/**
 * Sends one request over an open socket, hands the response to `read` within the limits, and closes the socket.
 * @throws whatever `read` throws, or any error of the socket or the parser
 */
export async function httpExchange<T>(
  url: URL,
  socket: Socket,
  { method, headers, body, bodyMaxBytes, limits, signal }: ExchangeOptions,
  read: (response: Dispatcher.ResponseData) => T | Promise<T>,
): Promise<T> {
  const client = new Client(url.origin, {
    connect: handOver(socket, bodyMaxBytes),
    allowH2: false,
    useMilo: false,
    pipelining: 1,
    maxHeaderSize: limits.headersMaxBytes,
    // undici's own timers restart with every 1xx response and every byte; ours below do not.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const stop = () => socket.destroy(signal.reason)
  const headersTimer = setTimeout(() => socket.destroy(new Error('no headers in time')), limits.headersMs)
  signal.addEventListener('abort', stop, { once: true })
  let informational = 0
  try {
    signal.throwIfAborted()
    const response = await request.call(client, {
      method,
      path: url.pathname + url.search,
      headers,
      ...(body !== undefined && { body }),
      reset: true,
      onInfo: () => {
        if (++informational > limits.informationalMax) socket.destroy(new Error('too many 1xx responses'))
      },
    })
    // Closing the socket also breaks the body, which would end the process without a listener.
    response.body.on('error', () => {})
    clearTimeout(headersTimer)
    return await read(response)
  } finally {
    clearTimeout(headersTimer)
    signal.removeEventListener('abort', stop)
    socket.destroy()
    await client.destroy()
    if (!socket.closed) await new Promise(resolve => socket.once('close', resolve))
  }
}

/** For headers and certificates, however small the document. */
const WIRE_LEAST_BYTES = 64 * 1024

/**
 * Gives undici the open socket, once: if a server closes it before the request is written, undici would keep
 * reconnecting. Also closes a socket that receives far more than body and headers need, since endless 1xx, chunk
 * extensions or padding never show up as a body.
 */
function handOver(socket: Socket, bodyMaxBytes: number): NonNullable<Client.Options['connect']> {
  const wireMaxBytes = Math.max(2 * bodyMaxBytes, WIRE_LEAST_BYTES)
  let isTaken = false
  const take: buildConnector.connector = (_options, callback) => {
    if (isTaken) return callback(new Error('the server closed the connection before the request'), null)
    isTaken = true
    callback(null, socket)
    socket.on('readable', () => {
      if (socket.bytesRead > wireMaxBytes) socket.destroy(new FetchEnded(reject('too_large')))
    })
  }
  // The client does not accept a socket while it is still asking for one.
  return (connectOptions, callback) => queueMicrotask(() => take(connectOptions, callback))
}

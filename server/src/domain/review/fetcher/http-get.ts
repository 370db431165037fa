import type { Socket } from 'node:net'
import type { buildConnector, Dispatcher } from 'undici'
import request from 'undici/lib/api/api-request.js'
import Client from 'undici/lib/dispatcher/client.js'
import { readContentType } from '../page-parser/decode-text.ts'
import { cannotTell, reject } from '../verdict.ts'
import { FetchEnded, type FetchLimits, type LargeBodyPermit, TimedOut } from './limits.ts'
import { ACCEPT_ENCODING, decodeBody, readBody } from './read-body.ts'

/** The kind of document to accept from a website. Any other is refused. */
export interface DocumentKind {
  /** Media types in lower case, without parameters. */
  accepts: readonly string[]
  /** Limit of the body as sent, and again of the decoded body. */
  bodyMaxBytes: number
}

/** What stores of files send for an image that was uploaded without a type. Browsers show it by its first bytes. */
export const UNTYPED = ['application/octet-stream', 'binary/octet-stream']

export interface HttpGetOptions {
  kind: DocumentKind
  userAgent: string
  limits: FetchLimits
  signal: AbortSignal
  permit: Pick<LargeBodyPermit, 'obtain'>
}

/** The result of one request: a decoded document, or a redirect. */
export type Answer = { location: string } | { headers: Readonly<Record<string, string>>; body: Buffer }

/**
 * Sends one GET over an open socket, reads the reply within the limits, and closes the socket.
 * @throws FetchEnded with the verdict, or any error of the socket or the parser
 */
export function httpGet(url: URL, socket: Socket, options: HttpGetOptions): Promise<Answer> {
  const { kind, limits, permit, signal, userAgent } = options
  const headers = {
    'user-agent': userAgent,
    accept: kind.accepts.join(', '),
    'accept-encoding': ACCEPT_ENCODING,
    'accept-language': 'en, *;q=0.5',
  }
  const { bodyMaxBytes } = kind
  return httpExchange(url, socket, { method: 'GET', headers, bodyMaxBytes, limits, signal }, async response => {
    const headers = Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
    )
    if (isRedirect(response.statusCode)) return { location: oneLocation(response.headers.location) }
    checkStatus(response.statusCode)
    checkKind(headers, kind)
    const within = { maxBytes: bodyMaxBytes, permit }
    const body = await readBody(response.body, within)
    return { headers, body: await decodeBody(body, headers['content-encoding'] ?? '', within) }
  })
}

/** What the owner can do about a status. */
const ADVICE: Readonly<Record<number, string>> = {
  401: ' It asks for a password.',
  403: ' If browsers are shown the page, let its firewall admit the User-Agent that starts with Placard.',
}

const isRedirect = (status: number) => [301, 302, 303, 307, 308].includes(status)

function oneLocation(location: string | string[] | undefined): string {
  if (typeof location === 'string' && location !== '') return location
  throw new FetchEnded(reject('not_a_web_page', 'The website redirects without saying where.'))
}

/** Statuses under 500 are final, except those that ask the client to retry. */
function checkStatus(status: number): void {
  if (status >= 200 && status < 300) return
  // Some large websites send 999 for 429.
  if (status >= 500 || [408, 425, 429].includes(status))
    throw new FetchEnded(
      cannotTell(`HTTP status ${status}`, 'site_unreachable', `The website answered with status ${status}.`),
      status,
    )
  const reason = status >= 400 ? 'not_found' : 'not_a_web_page'
  throw new FetchEnded(reject(reason, `The website returned status ${status}.${ADVICE[status] ?? ''}`), status)
}

function checkKind(headers: Readonly<Record<string, string>>, { accepts, bodyMaxBytes }: DocumentKind): void {
  const { mediaType } = readContentType(headers['content-type'])
  if (mediaType === '') {
    throw new FetchEnded(
      reject('not_a_web_page', `The website’s response has no Content-Type: it must be ${accepts[0]}.`),
    )
  }
  if (!accepts.includes(mediaType)) throw new FetchEnded(reject('not_a_web_page'))
  if (Number(headers['content-length'] ?? 0) > bodyMaxBytes) throw new FetchEnded(reject('too_large'))
}

export interface ExchangeOptions {
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: string
  /** The maximum number of bytes to read from the body. */
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
  const headersTimer = setTimeout(
    () => socket.destroy(new TimedOut('no headers in time', 'sent no headers', limits.headersMs)),
    limits.headersMs,
  )
  signal.addEventListener('abort', stop, { once: true })
  // With TLS 1.3, a server refuses a client without a certificate after the handshake. undici only reports that the
  // connection ended.
  let refusal: Error | undefined
  socket.once('error', error => {
    refusal = error
  })
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
  } catch (error) {
    throw isTlsError(refusal) ? refusal : error
  } finally {
    clearTimeout(headersTimer)
    signal.removeEventListener('abort', stop)
    socket.destroy()
    await client.destroy()
    if (!socket.closed) await new Promise(resolve => socket.once('close', resolve))
  }
}

const isTlsError = (error: NodeJS.ErrnoException | undefined): boolean => error?.code?.startsWith('ERR_SSL') === true

/** Allows for headers and certificates, even if the document is small. */
const WIRE_LEAST_BYTES = 64 * 1024

/**
 * Gives undici the open socket, once: if a server closes it before the request is written, undici would keep
 * reconnecting. Closes a socket that receives far more than body and headers need, because endless 1xx, chunk
 * extensions or padding never appear as a body.
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

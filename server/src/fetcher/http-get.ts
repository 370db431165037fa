import type { Socket } from 'node:net'
import { type buildConnector, Client } from 'undici'
import { cannotTell, reject } from '../destinations/verdict.ts'
import { readContentType } from '../http/content-type.ts'
import { FetchEnded } from './fetch-ended.ts'
import type { FetchLimits } from './limits.ts'
import { ACCEPT_ENCODING, decodeBody, readBody } from './read-body.ts'

/** The kind of document to accept from a website. Anything else is refused. */
export interface DocumentKind {
  /** Media types in lower case, without parameters. */
  accepts: readonly string[]
  /** For the body on the wire, and again for the decoded body. */
  bodyMaxBytes: number
}

export interface HttpGetOptions {
  kind: DocumentKind
  userAgent: string
  limits: FetchLimits
  signal: AbortSignal
}

/** The result of one request: a decoded document, or a redirect. */
export type Answer = { location: string } | { headers: Readonly<Record<string, string>>; body: Buffer }

/**
 * Sends one GET over an open socket, reads the reply within the limits, and closes the socket.
 * @throws FetchEnded with the verdict, or any error of the socket or the parser
 */
export async function httpGet(url: URL, socket: Socket, options: HttpGetOptions): Promise<Answer> {
  const { kind, limits, signal, userAgent } = options
  const client = new Client(url.origin, {
    connect: handOver(socket, kind.bodyMaxBytes),
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
    const response = await client.request({
      method: 'GET',
      path: url.pathname + url.search,
      headers: {
        'user-agent': userAgent,
        accept: kind.accepts.join(', '),
        'accept-encoding': ACCEPT_ENCODING,
        'accept-language': 'en, *;q=0.5',
      },
      reset: true,
      onInfo: () => {
        if (++informational > limits.informationalMax) socket.destroy(new Error('too many 1xx responses'))
      },
    })
    // Closing the socket also breaks the body, which would end the process without a listener.
    response.body.on('error', () => {})
    clearTimeout(headersTimer)
    const headers = Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
    )
    if (isRedirect(response.statusCode)) return { location: oneLocation(response.headers.location) }
    checkStatus(response.statusCode)
    checkKind(headers, kind)
    const body = await readBody(response.body, kind.bodyMaxBytes)
    return { headers, body: await decodeBody(body, headers['content-encoding'] ?? '', kind.bodyMaxBytes) }
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

const isRedirect = (status: number) => [301, 302, 303, 307, 308].includes(status)

function oneLocation(location: string | string[] | undefined): string {
  if (typeof location === 'string' && location !== '') return location
  throw new FetchEnded(reject('not_a_web_page', 'It redirects without saying where.'))
}

/** Statuses under 500 are final, except those that ask for patience. */
function checkStatus(status: number): void {
  if (status >= 200 && status < 300) return
  // Some large websites send 999 for 429.
  if (status >= 500 || [408, 425, 429].includes(status))
    throw new FetchEnded(cannotTell(`HTTP status ${status}`), status)
  const reason = status >= 400 ? 'not_found' : 'not_a_web_page'
  throw new FetchEnded(reject(reason, `The website returned status ${status}.`), status)
}

function checkKind(headers: Readonly<Record<string, string>>, { accepts, bodyMaxBytes }: DocumentKind): void {
  const { mediaType } = readContentType(headers['content-type'])
  if (!accepts.includes(mediaType)) throw new FetchEnded(reject('not_a_web_page'))
  if (Number(headers['content-length'] ?? 0) > bodyMaxBytes) throw new FetchEnded(reject('too_large'))
}

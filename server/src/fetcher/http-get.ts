import type { Socket } from 'node:net'
import { cannotTell, reject } from '../destinations/verdict.ts'
import { readContentType } from '../http/content-type.ts'
import { FetchEnded } from './fetch-ended.ts'
import { httpExchange } from './http-exchange.ts'
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
export function httpGet(url: URL, socket: Socket, options: HttpGetOptions): Promise<Answer> {
  const { kind, limits, signal, userAgent } = options
  const headers = {
    'user-agent': userAgent,
    accept: kind.accepts.join(', '),
    'accept-encoding': ACCEPT_ENCODING,
    'accept-language': 'en, *;q=0.5',
  }
  const { bodyMaxBytes } = kind
  return httpExchange(
    url,
    socket,
    { method: 'GET', headers, bodyMaxBytes, limits, signal },
    async response => {
      const headers = Object.fromEntries(
        Object.entries(response.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
      )
      if (isRedirect(response.statusCode)) return { location: oneLocation(response.headers.location) }
      checkStatus(response.statusCode)
      checkKind(headers, kind)
      const body = await readBody(response.body, bodyMaxBytes)
      return { headers, body: await decodeBody(body, headers['content-encoding'] ?? '', bodyMaxBytes) }
    },
  )
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

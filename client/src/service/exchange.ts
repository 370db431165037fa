import {
  APPROVALS_PATH,
  CAPABILITIES_PATH,
  CHECK_PATH,
  DECISION_HEADER,
  PAYMENTS_OFF,
  PUBLISH_PATH,
  QUOTE_PATH,
} from '@placard/contract/plain'
import { aborted, MESSAGE_MAX_LENGTH, PlacardError } from '../error.ts'
import { VERSION } from '../version.ts'
import type { Fetch, FetchResponse, Signal } from './fetch.ts'
import { networkError, timedOut } from './network-error.ts'
import { errorShape } from './replies.ts'
import { type RetryOptions, withRetries } from './retry.ts'
import { retryAfterSeconds, shortened } from './retry-after.ts'
import { misfit, type Of, type Shape } from './shape.ts'
import { isDecisionId, plain, withoutSecrets } from './text.ts'

const REPLY_MAX_BYTES = 1024 * 1024

const ACCEPTED = { text: 'text/plain', bytes: '*/*' }

/** One HTTP request. Its body is JSON, already in its final bytes. */
export interface Outgoing {
  method: 'GET' | 'POST'
  /** Appended to the address of the service. */
  path: string
  headers?: Record<string, string>
  body?: string
  /** The form of a successful reply's body, if not JSON. */
  as?: 'text' | 'bytes'
}

/** How to connect to a service, from the checked options. */
export interface Connection {
  service: string
  fetch: Fetch
  requestTimeoutMs: number
  signal?: Signal | undefined
}

/** A successful reply. */
export interface Answer<T> {
  status: number
  body: T
  /** The id of the recorded decision, if the reply names one. */
  decisionId?: string | undefined
}

/**
 * Sends one request, once. Returns the reply if it is 200 or 201 and fits the shape; otherwise throws a
 * `PlacardError`. A reply without the contract's shape is `unknown`, whatever its status: a proxy may have written it
 * while the service did the work.
 */
export async function exchange<T>(outgoing: Outgoing, shape: Shape<T>, reach: Connection): Promise<Answer<T>> {
  const timeout = AbortSignal.timeout(reach.requestTimeoutMs)
  const { response, bytes } = await send(outgoing, reach, timeout).catch((error: unknown) => {
    if (error instanceof PlacardError) throw error
    if (reach.signal?.aborted) throw aborted('unknown')
    throw timeout.aborted ? timedOut(reach.requestTimeoutMs) : networkError(error)
  })
  const body = outgoing.as && response.ok ? asIs(response, bytes, outgoing.as) : parseJson(response, bytes)
  if (response.ok) {
    const wrong = response.status > 201 ? `the status ${response.status}` : misfit(shape, body)
    if (wrong) throw invalidResponse(response, `it does not follow the contract at ${wrong}`)
    return { status: response.status, body: body as T, decisionId: replyFacts(response).decisionId }
  }
  throw explained(serviceError(response, body), outgoing, reach)
}

/** Sends one request, and retries. Returns the body of the reply. */
export const fetchBody = async <T>(
  outgoing: Outgoing,
  shape: Shape<T>,
  options: Connection & RetryOptions,
): Promise<T> => (await withRetries(() => exchange(outgoing, shape, options), options)).body

const typeOf = (response: FetchResponse) => response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()

function asIs(response: FetchResponse, bytes: Uint8Array, as: 'text' | 'bytes'): string | Uint8Array {
  if (typeOf(response) === 'text/html') throw invalidResponse(response, 'it is a page')
  return as === 'text' ? new TextDecoder().decode(bytes) : bytes
}

async function send(outgoing: Outgoing, { service, fetch, signal }: Connection, timeout: AbortSignal) {
  const url = service + outgoing.path
  const response = await fetch(url, {
    method: outgoing.method,
    headers: {
      accept: outgoing.as ? ACCEPTED[outgoing.as] : 'application/json',
      'user-agent': `placard-agent/${VERSION}`,
      ...(outgoing.body !== undefined && { 'content-type': 'application/json' }),
      ...outgoing.headers,
    },
    body: outgoing.body ?? null,
    // Following a redirect would send the secret to an unchecked address.
    redirect: 'manual',
    signal: signal ? AbortSignal.any([signal as AbortSignal, timeout]) : timeout,
  })
  if ((response.status >= 300 && response.status < 400) || response.type === 'opaqueredirect') {
    await response.body?.cancel()
    throw redirected(response, url)
  }
  return { response, bytes: await readBytes(response) }
}

/** Returns the body of a reply. Throws `invalid_response` if it is larger than any reply of a service. */
export async function readBytes(response: FetchResponse): Promise<Uint8Array> {
  const reader = response.body?.getReader()
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for (;;) {
    const { value } = (await reader?.read()) ?? {}
    if (!value) break
    sizeBytes += value.byteLength
    if (sizeBytes > REPLY_MAX_BYTES) {
      await reader?.cancel()
      throw invalidResponse(response, 'it is too large')
    }
    chunks.push(value)
  }
  const bytes = new Uint8Array(sizeBytes)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}

function parseJson(response: FetchResponse, bytes: Uint8Array): unknown {
  const type = typeOf(response)
  if (type !== 'application/json') throw invalidResponse(response, `it is ${type ? shown(type) : 'untyped'}, not JSON`)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    // The parser's own message quotes the text, which may contain a private link.
    throw invalidResponse(response, 'it is not valid JSON')
  }
}

const CODE = /^[\w.:-]{1,64}$/

function serviceError(response: FetchResponse, body: unknown): PlacardError {
  const wrong = misfit(errorShape, body)
  if (wrong) return invalidResponse(response, `it does not follow the contract at ${wrong}`)
  const { code, error, field, reason } = body as Of<typeof errorShape>
  if (!CODE.test(code)) return invalidResponse(response, 'it does not follow the contract at code')
  if (!shown(error).trim()) return invalidResponse(response, 'it does not say what is wrong')
  const arePaymentsOn = reason !== PAYMENTS_OFF
  const kind = response.status >= 500 && arePaymentsOn ? 'unknown' : response.status === 429 ? 'postponed' : 'refused'
  return new PlacardError({
    kind,
    code,
    error: shown(error),
    whatNext: arePaymentsOn ? WHAT_NEXT[kind] : 'Tell the customer that no place is for sale here.',
    field: field === undefined ? undefined : shown(field),
    reason: reason === undefined ? undefined : shown(reason),
    ...replyFacts(response),
    ...bodyFacts(body as Record<string, unknown>),
  })
}

/** Operations whose address names no resource: if one is missing, the service itself is. */
const OPERATIONS = [CAPABILITIES_PATH, CHECK_PATH, PUBLISH_PATH, QUOTE_PATH, APPROVALS_PATH, '/log/checkpoint']

/** Returns the error for a missing operation with its cause: something is wrong with the service address. */
function explained(error: PlacardError, { path }: Outgoing, { service }: Connection): PlacardError {
  const isMissing = error.code === 'not_found' && OPERATIONS.some(one => one === path)
  if (!isMissing) return error
  const { origin } = new URL(service)
  return origin === service
    ? error.with({
        error: `${service} has no such operation: it is not a Placard site, or runs an older version.`,
        whatNext: 'Check the service address.',
      })
    : error.with({
        error: `${service} is not the address of a Placard site, which ends after the host.`,
        whatNext: `Use ${origin} as the service address.`,
      })
}

/** Returns facts of the headers that the body repeats, because a proxy may drop headers. Ignores invalid fields. */
function bodyFacts({ retryAfterSeconds: seconds, decisionId: id }: Record<string, unknown>) {
  return {
    ...(Number.isInteger(seconds) && Number(seconds) >= 0 && { retryAfterSeconds: shortened(Number(seconds)) }),
    ...(typeof id === 'string' && isDecisionId(id) && { decisionId: id }),
  }
}

const WHAT_NEXT = {
  refused: 'Change what the message names, then try again.',
  postponed: 'Try again later.',
  unknown: 'Try again later.',
}

/** Text from a service, of limited length. */
const shown = (text: string) => withoutSecrets(plain(text)).slice(0, MESSAGE_MAX_LENGTH)

const WHO_SENT_IT = 'Something other than the service may have sent it: check the service address.'
const PROXY_SENT_IT = 'A proxy that cannot reach the service may have sent it.'

const invalidResponse = (response: FetchResponse, why: string) =>
  new PlacardError({
    kind: 'unknown',
    code: 'invalid_response',
    error: `The answer cannot be used: ${why}. ${response.status < 500 ? WHO_SENT_IT : PROXY_SENT_IT}`,
    whatNext: 'Try again.',
    ...replyFacts(response),
  })

function replyFacts({ status, headers }: FetchResponse) {
  const requestId = headers.get('x-request-id') ?? ''
  const decisionId = headers.get(DECISION_HEADER) ?? ''
  return {
    status,
    retryAfterSeconds: retryAfterSeconds(headers),
    requestId: CODE.test(requestId) ? requestId : undefined,
    decisionId: isDecisionId(decisionId) ? decisionId : undefined,
  }
}

function redirected(response: FetchResponse, url: string): PlacardError {
  const location = response.headers.get('location') ?? ''
  const target = URL.canParse(location, url) ? new URL(location, url).origin : 'nowhere'
  return new PlacardError({
    kind: 'refused',
    code: 'redirected',
    error: `The service address redirects to ${target}, and a secret is not sent after a redirect.`,
    whatNext: 'If you trust that address, use it as the service address.',
    status: response.status,
  })
}

import Type, { type Static, type TSchema } from 'typebox'
import { aborted, MESSAGE_MAX_LENGTH, PlacardError } from './error.ts'
import { misfit } from './misfit.ts'
import { retryAfterSeconds } from './retry-after.ts'
import { plain } from './text.ts'
import { VERSION } from './version.ts'

const REPLY_MAX_BYTES = 1024 * 1024

/** One HTTP request, with the body already in its final bytes. */
export interface Outgoing {
  method: 'GET' | 'POST'
  url: string
  headers?: Record<string, string>
  body?: string
  timeoutMs: number
  signal?: AbortSignal | undefined
}

/** A successful reply; `body` has been checked against the schema. */
export interface Answer {
  status: number
  body: unknown
}

/**
 * Sends one request, once. Returns the reply if it is 200 or 201 and fits the schema; otherwise throws a
 * `PlacardError`. A reply without the contract's shape is `unknown`, whatever its status: a proxy may have written it
 * while the service did the work.
 */
export async function exchange(outgoing: Outgoing, schema: TSchema): Promise<Answer> {
  const timeout = AbortSignal.timeout(outgoing.timeoutMs)
  const { response, bytes } = await send(outgoing, timeout).catch((error: unknown) => {
    if (error instanceof PlacardError) throw error
    if (outgoing.signal?.aborted) throw aborted('unknown')
    throw timeout.aborted ? timedOut(outgoing.timeoutMs) : networkError(error)
  })
  const body = parseJson(response, bytes)
  if (response.ok) {
    const wrong = response.status > 201 ? `the status ${response.status}` : misfit(schema, body)
    if (wrong) throw invalidResponse(response, `it does not follow the contract at ${wrong}`)
    return { status: response.status, body }
  }
  throw serviceError(response, body)
}

async function send(outgoing: Outgoing, timeout: AbortSignal) {
  const response = await fetch(outgoing.url, {
    method: outgoing.method,
    headers: { accept: 'application/json', 'user-agent': `placard-agent/${VERSION}`, ...outgoing.headers },
    body: outgoing.body ?? null,
    // Following a redirect would send the secret to an unchecked address.
    redirect: 'manual',
    signal: outgoing.signal ? AbortSignal.any([outgoing.signal, timeout]) : timeout,
  })
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel()
    throw redirected(response)
  }
  return { response, bytes: await readBytes(response) }
}

async function readBytes(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.byteLength
    if (sizeBytes > REPLY_MAX_BYTES) throw invalidResponse(response, 'it is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function parseJson(response: Response, bytes: Buffer): unknown {
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') throw invalidResponse(response, `it is ${type || 'untyped'}, not JSON`)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    // The parser's own message quotes the text, which may contain a private link.
    throw invalidResponse(response, 'it is not valid JSON')
  }
}

// Unlike the contract's schema, this accepts any reason, so that a reason added later is still a clear answer.
const ServiceError = Type.Object({
  code: Type.String({ pattern: '^[\\w.:-]{1,64}$' }),
  error: Type.String(),
  chargeCreated: Type.Optional(Type.Literal(false)),
  field: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
})

function serviceError(response: Response, body: unknown): PlacardError {
  const wrong = misfit(ServiceError, body)
  if (wrong) return invalidResponse(response, `it does not follow the contract at ${wrong}`)
  const { code, error, field, reason } = body as Static<typeof ServiceError>
  if (!shown(error).trim()) return invalidResponse(response, 'it does not say what is wrong')
  const kind = response.status >= 500 ? 'unknown' : response.status === 429 ? 'postponed' : 'refused'
  return new PlacardError({
    kind,
    code,
    error: shown(error),
    field: field === undefined ? undefined : shown(field),
    reason: reason === undefined ? undefined : shown(reason),
    ...replyFacts(response),
  })
}

/** Length of a submission secret in hex. */
const SECRET_DIGITS = 64

/** Text from a service, safe to repeat in an error: one line of limited length, without anything like a secret. */
const shown = (text: string) =>
  plain(text)
    .replace(/#owner=[\w-]+/gi, '[secret]')
    .replace(/[0-9a-f]+/gi, digits => (digits.length < SECRET_DIGITS ? digits : '[secret]'))
    .slice(0, MESSAGE_MAX_LENGTH)

const invalidResponse = (response: Response, why: string) =>
  new PlacardError({
    kind: 'unknown',
    code: 'invalid_response',
    error: `The answer cannot be used: ${why}. Something other than the service may have sent it.`,
    ...replyFacts(response),
  })

const replyFacts = (response: Response) => ({
  status: response.status,
  retryAfterSeconds: retryAfterSeconds(response.headers),
})

function redirected(response: Response): PlacardError {
  const location = response.headers.get('location') ?? ''
  const target = URL.canParse(location, response.url) ? new URL(location, response.url).origin : 'nowhere'
  return new PlacardError({
    kind: 'refused',
    code: 'redirected',
    error: `The service address redirects to ${target}, and a secret is not sent after a redirect.`,
    advice: 'If you trust that address, use it as the service address.',
    status: response.status,
  })
}

const timedOut = (timeoutMs: number) =>
  new PlacardError({
    kind: 'unknown',
    code: 'timeout',
    error: `The service did not answer within ${timeoutMs / 1000} seconds.`,
  })

/** Causes that occur before the first byte of a request is sent. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'bad port'])

// Drop the cause itself: some of undici's errors contain the raw reply.
function networkError(error: unknown): PlacardError {
  const { code, message } = ((error instanceof Error && error.cause) || {}) as {
    code?: unknown
    message?: unknown
  }
  // For some ports, fetch refuses with only a message.
  const reason = String(code ?? (message === 'bad port' ? message : 'connection lost'))
  return NEVER_SENT.has(reason)
    ? new PlacardError({
        kind: 'postponed',
        code: 'network_error',
        error: `The service could not be reached (${reason}). Is its address right, and is it running?`,
      })
    : new PlacardError({
        kind: 'unknown',
        code: 'network_error',
        error: `The connection to the service was lost before its answer was there (${reason}).`,
      })
}

import { ERRORS, ErrorBody, type ErrorCode } from './errors.ts'
import type { Components, Schema } from './openapi-components.ts'
import { exampleOfError } from './openapi-examples.ts'

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })

/** Every header of a reply that a client may rely on. */
export const HEADERS = {
  'X-Request-Id': text('Names the request in the service’s log. Quote it when you ask for help.', 'mI2GQPz0sYh1-4f'),
  'Retry-After': text('Whole seconds to wait before repeating the request.', '600'),
  'Idempotent-Replayed': text('"true" if an earlier identical request had this outcome.', 'true'),
  'Placard-Decision': text(
    'The recorded decision behind this reply: of a refusal, or of a listing that is hidden.',
    '01991f3e-5c00-7a3b-9d51-3f2f8c6c2b10',
  ),
  RateLimit: text(
    'What is left of each limit: r requests, and t seconds until it resets (draft-ietf-httpapi-ratelimit-headers-11).',
    '"requestsPerTenMinutesPerIp";r=29;t=600',
  ),
  'RateLimit-Policy': text(
    'The limits that count this request: q requests in w seconds, per client unless its name says otherwise.',
    '"requestsPerTenMinutesPerIp";q=30;w=600',
  ),
  ETag: text('Names this body. Send it in If-None-Match to get 304 while it is unchanged.', '"4QyHbYx7"'),
  'Cache-Control': text('How long the reply may be kept.', 'public, max-age=60'),
}
type Header = keyof typeof HEADERS

/** Statuses whose replies contain the time to retry. */
const RETRIED = [429, 503]

interface RouteSchema {
  operationId: string
  summary: string
  description: string
  tags: readonly string[]
  body?: object
  response: Record<string, unknown>
}

interface Described {
  schema: RouteSchema
  parameters?: unknown[]
  security?: Record<string, string[]>[]
  /** Of the request body. */
  body?: unknown
  /** Of every reply that is not an error, or one per status. */
  example?: unknown
  examples?: Partial<Record<number, unknown>>
  /** Of every reply that is not an error. Default: JSON. */
  mediaType?: string
  /** Whether replies have an ETag, and may be cached. */
  isCached?: boolean
  /** Whether the rate of requests is limited. */
  isLimited?: boolean
  /** Whether a reply may be the outcome of an earlier request. */
  isReplayed?: boolean
}

/** Returns an operation of the document. Named schemas are added to the components. */
export function operation(components: Components, described: Described) {
  const { schema, parameters = [], security = [], body, isCached } = described
  const { operationId, summary, description, tags } = schema
  const all = isCached ? [...parameters, IF_NONE_MATCH] : parameters
  return {
    operationId,
    summary,
    description,
    tags,
    security,
    ...(all.length > 0 && { parameters: all }),
    ...(schema.body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: components.refer(schema.body), example: body } },
      },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(schema.response).map(([status, reply]) => [
          status,
          response(components, described, Number(status), reply as Schema),
        ]),
      ),
      default: {
        description: 'Any other error, in the same shape.',
        headers: headersOf(['X-Request-Id']),
        content: errorContent(components, ['internal_error']),
      },
    },
  }
}

function response(components: Components, described: Described, status: number, reply: Schema) {
  const { description, ...schema } = reply
  const head = { description, headers: headersOf(headerNames(described, status)) }
  if (status === 304) return head
  if (status >= 400) {
    return { ...head, content: errorContent(components, String(description).split(', ') as ErrorCode[]) }
  }
  const example = described.examples?.[status] ?? described.example
  const { mediaType = 'application/json' } = described
  return { ...head, content: { [mediaType]: { schema: components.refer(schema), example } } }
}

/** Named, because the inferred type would repeat every error at every operation. */
export interface ErrorContent {
  'application/json': { schema: Schema; examples: Record<string, { summary: string; value: object }> }
}

const errorContent = (components: Components, codes: readonly ErrorCode[]): ErrorContent => ({
  'application/json': {
    schema: components.refer(ErrorBody),
    examples: Object.fromEntries(
      codes.map(code => [code, { summary: ERRORS[code].error, value: exampleOfError(code) }]),
    ),
  },
})

function headerNames({ isCached, isLimited, isReplayed }: Described, status: number): Header[] {
  return [
    'X-Request-Id',
    ...(RETRIED.includes(status) ? (['Retry-After'] as const) : []),
    // A browser of another origin is refused before the request is counted.
    ...(isLimited && status !== 403 ? (['RateLimit', 'RateLimit-Policy'] as const) : []),
    ...(isReplayed && [200, 409, 422].includes(status) ? (['Idempotent-Replayed', 'Placard-Decision'] as const) : []),
    ...(isCached && status < 400 ? (['ETag', 'Cache-Control'] as const) : []),
  ]
}

const headersOf = (names: readonly Header[]) =>
  Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))

interface Parameters {
  properties: Record<string, object>
  required?: string[] | undefined
}

/** The parameters that an object schema describes. */
export const parametersOf = (
  where: 'path' | 'query' | 'header',
  { properties, required = [] }: Parameters,
  examples: Record<string, string> = {},
) =>
  Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = property as Schema
    const example = examples[name]
    return {
      name,
      in: where,
      required: required.includes(name),
      description,
      schema,
      ...(example !== undefined && { example }),
    }
  })

const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag of an earlier reply.',
  schema: { type: 'string' },
}

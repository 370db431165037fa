import { createRequire } from 'node:module'
import { expect } from 'vitest'

interface Operation {
  operationId: string
  summary: string
  tags: string[]
  security?: Record<string, string[]>[]
  parameters?: { name: string; in: string; required: boolean; schema: { pattern: string; enum?: string[] } }[]
  requestBody?: { required: boolean; content: Record<string, Body> }
  responses: Record<
    string,
    { description: string; headers: Record<string, { $ref: string }>; content?: Record<string, Body> }
  >
}
interface Body {
  schema: Schema
  example?: unknown
  examples?: Record<string, { value: unknown }>
}
export type Schema = {
  additionalProperties?: boolean
  required?: string[]
  properties?: Record<string, Schema>
} & Record<string, unknown>
interface Document {
  openapi: string
  info: Record<string, string>
  servers: { url: string }[]
  tags: { name: string }[]
  components: {
    schemas: Record<string, Schema>
    headers: Record<string, { description: string }>
    securitySchemes: Record<string, Record<string, string>>
  }
  paths: Record<string, Record<string, Operation>>
}
interface Validate {
  (value: unknown): boolean
  errors?: unknown
}

// Fastify's validator reads the document as any agent would, and shares no code with our schemas.
const fastify = createRequire(createRequire(import.meta.url).resolve('fastify'))
const fromCompiler = createRequire(fastify.resolve('@fastify/ajv-compiler'))
const { Ajv2020 } = fromCompiler('ajv/dist/2020.js')
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true })
fromCompiler('ajv-formats')(ajv)
ajv.addVocabulary(['components'])
export const PUBLISH = '/api/v1/agent/listings'
export const CAPABILITIES = '/api/v1/agent/capabilities'
export const QUOTE = '/api/v1/agent/quote'
export const CHECK = '/api/v1/agent/check'
export const APPROVALS = '/api/v1/agent/approvals'
export const APPROVAL = '/api/v1/agent/approvals/{code}'
export const SUBMISSION = '/api/v1/agent/submissions/{key}'
export const SUBMISSION_EVENTS = '/api/v1/agent/submissions/{key}/events'
export const SUBMISSION_PROOF = '/api/v1/agent/submissions/{key}/proof'
export const SUBMISSION_WEBHOOK = '/api/v1/agent/submissions/{key}/webhook'
export const DECISION = '/api/v1/agent/decisions/{id}'
export const DECISION_PROOF = '/api/v1/agent/decisions/{id}/proof'
export const APPEAL = '/api/v1/agent/decisions/{id}/appeal'
export const BOARD = '/api/v1/boards/{board}'
export const DAY_BOARD = '/api/v1/boards/days/{day}'
export const CATEGORY_BOARD = '/api/v1/boards/categories/{category}'
export const LISTINGS = '/api/v1/listings'
export const LISTING = '/api/v1/listings/{slug}'
export const LISTING_STREAM = '/api/v1/listings.ndjson'
export const SEARCH = '/api/v1/search'
export const DRAW = '/api/v1/draws/{day}'

export type ReadDocument = Awaited<ReturnType<typeof readDocument>>

/** Reads the document of a service as any agent would. */
export async function readDocument(service: { url: string }) {
  const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as Document
  const operation = (path: string): Operation => {
    const [found] = Object.values(document.paths[path] ?? {})
    return found ?? expect.fail(`${path} is not documented`)
  }
  /** A schema, or the named one that it refers to. */
  const resolved = ({ $ref, ...own }: Schema): Schema =>
    typeof $ref === 'string' ? (document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? expect.fail($ref)) : own
  const requestSchema = (path: string): Schema =>
    resolved(operation(path).requestBody?.content['application/json']?.schema ?? expect.fail(`${path} takes no body`))
  const replySchema = (path: string, status: number | 'default'): Schema =>
    resolved(
      operation(path).responses[status]?.content?.['application/json']?.schema ??
        expect.fail(`${status} of ${path} is not documented`),
    )
  const documentedCodes = (path: string, status: number) =>
    operation(path).responses[status]?.description.split(', ') ?? []
  /** With the named schemas, to which others refer. */
  const compile = (schema: Schema): Validate => ajv.compile({ ...schema, components: document.components })
  return { document, operation, resolved, requestSchema, replySchema, documentedCodes, compile }
}

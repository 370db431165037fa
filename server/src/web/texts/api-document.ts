/** What the API reference reads of an OpenAPI 3.1 document. Keywords that are not here are left alone. */
export interface ApiDocument {
  info: { title: string; version: string; description?: string }
  tags?: { name: string; description?: string }[]
  paths: Record<string, Record<string, Operation>>
  components?: {
    schemas?: Record<string, Schema>
    securitySchemes?: Record<string, { name?: string; in?: string; description?: string }>
  }
}

interface Operation {
  operationId: string
  summary?: string
  description?: string
  tags?: string[]
  parameters?: Parameter[]
  security?: Record<string, string[]>[]
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> }
  responses: Record<string, ApiResponse>
}

interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Schema
}

interface ApiResponse {
  description: string
  headers?: Record<string, { description?: string; schema?: Schema }>
  content?: Record<string, { schema: Schema }>
}

export interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  description?: string
  enum?: unknown[]
  const?: unknown
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
}

/** An operation with its address. */
export interface Call {
  method: string
  path: string
  operation: Operation
  /** What it must be called with, by header, query or path. */
  parameters: Parameter[]
  /** Schema of the body it takes. */
  body: Schema | undefined
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options']

/** Every operation of a document, in its order. A proof that goes into a header counts among the parameters. */
export function callsOf(document: ApiDocument): Call[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        operation,
        parameters: [...(operation.parameters ?? []), ...proofsOf(document, operation)],
        body: schemaOf(operation.requestBody?.content),
      })),
  )
}

function proofsOf({ components }: ApiDocument, { security = [] }: Operation): Parameter[] {
  const names = security.flatMap(each => Object.keys(each))
  return names.flatMap(name => {
    const scheme = components?.securitySchemes?.[name]
    if (!scheme?.name) return []
    const { name: header, in: where = 'header', description = '' } = scheme
    return [{ name: header, in: where, required: true, description, schema: { type: 'string' } }]
  })
}

/** The one schema of a body; JSON is all this API speaks. */
export const schemaOf = (content: Record<string, { schema: Schema }> | undefined): Schema | undefined =>
  content && Object.values(content)[0]?.schema

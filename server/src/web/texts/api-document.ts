/** The parts of an OpenAPI 3.1 document that the API reference reads. It ignores other keywords. */
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

/** An operation with its path and method. */
export interface Call {
  method: string
  path: string
  operation: Operation
  /** Parameters in headers, query and path. */
  parameters: Parameter[]
  /** Schema of the request body. */
  body: Schema | undefined
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options']

/** All operations of a document, in order. A security header counts as a parameter. */
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

/** The schema of a body. This API speaks only JSON. */
export const schemaOf = (content: Record<string, { schema: Schema }> | undefined): Schema | undefined =>
  content && Object.values(content)[0]?.schema

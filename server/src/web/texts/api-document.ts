/** The parts of an OpenAPI 3.1 document that the API reference reads. It ignores other keywords. */
export interface ApiDocument {
  info: { title: string; version: string; description?: string }
  paths: Record<string, Record<string, Operation>>
  components?: {
    schemas?: Record<string, Schema>
    headers?: Record<string, { description?: string }>
  }
}

interface Operation {
  operationId: string
  summary?: string
  description?: string
  tags?: string[]
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema; example?: unknown }> }
  responses: Record<string, ApiResponse>
}

interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Schema
  example?: unknown
}

interface ApiResponse {
  description: string
  headers?: Record<string, { $ref: string }>
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

export interface Call {
  method: string
  path: string
  operation: Operation
  /** Parameters in headers, query and path. */
  parameters: Parameter[]
  body: Schema | undefined
  /** Example of the request body. */
  example: unknown
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options']

/** All operations of a document, in order. */
export function callsOf({ paths, components }: ApiDocument): Call[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        operation,
        parameters: operation.parameters ?? [],
        body: resolved(schemaOf(operation.requestBody?.content), components?.schemas),
        example: operation.requestBody?.content['application/json']?.example,
      })),
  )
}

type Definitions = Record<string, Schema> | undefined

/** A schema, or the named one that it refers to. */
const resolved = (schema: Schema | undefined, definitions: Definitions): Schema | undefined =>
  schema?.$ref ? definitions?.[nameOf(schema.$ref)] : schema

/** The name of the schema that a reference points to. */
export const nameOf = (reference: string): string => reference.split('/').at(-1) ?? ''

/** The schema of a body. This API speaks only JSON. */
export const schemaOf = (content: Record<string, { schema: Schema }> | undefined): Schema | undefined =>
  content && Object.values(content)[0]?.schema

/** A shell command that calls the running service. Secrets are variables, so that they do not appear in the command. */
export function curlExample({ method, path, parameters, example }: Call, base: string): string {
  const exampleOf = ({ name, example, schema }: Parameter) =>
    encodeURIComponent(String(example ?? schema.enum?.[0] ?? name))
  const way = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find(each => each.in === 'path' && each.name === name)
    return parameter ? exampleOf(parameter) : name
  })
  const query = parameters
    .filter(({ in: where, required }) => where === 'query' && required)
    .map(parameter => `${parameter.name}=${exampleOf(parameter)}`)
    .join('&')
  const address = query === '' ? base + way : `'${base}${way}?${query}'`
  const lines = [`curl -sS ${method === 'GET' ? '' : `-X ${method} `}${address}`]
  if (example !== undefined) lines.push(`-H 'Content-Type: application/json'`)
  for (const { name, in: where, required } of parameters) {
    if (where === 'header' && required) lines.push(`-H "${name}: $${shellName(name)}"`)
  }
  if (example !== undefined) lines.push(`--data '${JSON.stringify(example, null, 2).replaceAll("'", `'\\''`)}'`)
  return lines.join(' \\\n  ')
}

const shellName = (header: string) => header.toUpperCase().replace(/\W/g, '_')

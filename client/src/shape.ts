/** The part of JSON Schema that the contract uses for replies. */
export interface Schema {
  type?: string | readonly string[]
  const?: unknown
  enum?: readonly unknown[]
  format?: string
  minimum?: number
  required?: readonly string[]
  /** Each a schema again; the contract's types are too rich to say so here. */
  properties?: Record<string, unknown>
  items?: Schema
}

/**
 * Where a value first departs from a schema, as a path such as `ownership.sensitive`, or undefined where it fits.
 * Unknown fields are allowed. It gives a path and never the value, which may be private.
 */
export function misfit(schema: Schema, value: unknown, path = ''): string | undefined {
  const here = path || 'the body'
  if (schema.enum && !schema.enum.includes(value)) return here
  if (schema.const !== undefined && schema.const !== value) return here
  if (schema.type && ![schema.type].flat().some(type => hasType(type, value))) return here
  if (schema.minimum !== undefined && Number(value) < schema.minimum) return here
  if (schema.format === 'uri' && !isAddress(value)) return here
  if (schema.items && Array.isArray(value)) return misfitInItems(schema.items, value, path)
  return schema.properties ? misfitInFields(schema, value as Record<string, unknown>, path) : undefined
}

function misfitInItems(schema: Schema, items: unknown[], path: string): string | undefined {
  for (const [index, item] of items.entries()) {
    const found = misfit(schema, item, `${path}[${index}]`)
    if (found) return found
  }
  return undefined
}

function misfitInFields(schema: Schema, object: Record<string, unknown>, path: string): string | undefined {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const fieldPath = path ? `${path}.${name}` : name
    const present = Object.hasOwn(object, name)
    if (!present && schema.required?.includes(name)) return fieldPath
    const found = present ? misfit(field as Schema, object[name], fieldPath) : undefined
    if (found) return found
  }
  return undefined
}

function hasType(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isSafeInteger(value)
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  // The remaining schema types are named as JavaScript names them.
  return typeof value === type
}

/** A page or a mailbox: nothing that a click could run. */
const isAddress = (value: unknown) =>
  typeof value === 'string' && URL.canParse(value) && /^(https?|mailto):$/.test(new URL(value).protocol)

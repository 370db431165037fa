import type { Schema } from './api-document.ts'

/** One line of a field table. */
export interface Field {
  /** With the way to it: `approval.scope`, `entries[].rank`. */
  name: string
  type: string
  required: boolean
  description: string
  /** What it is held to, in words. */
  limits: string[]
  /** The only values it takes, as JSON. */
  values: string[]
}

type Definitions = Record<string, Schema>

/** A schema may refer to itself. */
const DEPTH_MAX = 8

/** Every field of a body, nested ones after the one they are in. */
export function fieldsOf(schema: Schema, definitions: Definitions = {}, way = '', depth = 0): Field[] {
  const { properties = {}, required = [], items, ...whole } = resolved(schema, definitions)
  if (depth > DEPTH_MAX) return []
  const own = Object.entries(properties).flatMap(([name, property]) => {
    const field = fieldOf(way + name, property, required.includes(name), definitions)
    return [field, ...fieldsOf(property, definitions, `${way}${name}.`, depth + 1)]
  })
  const ofItems = items ? fieldsOf(items, definitions, `${way.replace(/\.$/, '')}[].`, depth + 1) : []
  // Fields of alternative forms follow each other; none of them is required in all.
  const ofForms = formsOf(whole).flatMap(form => fieldsOf(form, definitions, way, depth + 1))
  return [...own, ...ofItems, ...ofForms.map(field => ({ ...field, required: false }))]
}

/** One value by itself, such as a parameter. */
export function fieldOf(
  name: string,
  given: Schema,
  required: boolean,
  definitions: Definitions = {},
): Field {
  const schema = resolved(given, definitions)
  return {
    name,
    type: typeOf(schema, definitions),
    required,
    description: schema.description ?? '',
    limits: limitsOf(schema),
    values: (schema.enum ?? (schema.const === undefined ? [] : [schema.const])).map(value =>
      JSON.stringify(value),
    ),
  }
}

/** What a schema says by itself: a reference followed, parts of `allOf` put together. */
function resolved(schema: Schema, definitions: Definitions, depth = 0): Schema {
  const target = definitions[schema.$ref?.split('/').at(-1) ?? '']
  const parts = [...(target ? [target] : []), ...(schema.allOf ?? [])]
  if (parts.length === 0 || depth > DEPTH_MAX) return schema
  const all = [...parts.map(part => resolved(part, definitions, depth + 1)), schema]
  return {
    ...Object.assign({}, ...all),
    properties: Object.assign({}, ...all.map(part => part.properties)),
    required: all.flatMap(part => part.required ?? []),
  }
}

const formsOf = ({ anyOf = [], oneOf = [] }: Pick<Schema, 'anyOf' | 'oneOf'>) => [...anyOf, ...oneOf]

/** In words: `string (uri)`, `integer or null`, `list of objects`. */
function typeOf(schema: Schema, definitions: Definitions): string {
  const forms = formsOf(schema)
  if (forms.length > 0) {
    return [...new Set(forms.map(form => typeOf(resolved(form, definitions), definitions)))].join(' or ')
  }
  const { type = schema.properties ? 'object' : 'any value', format, items } = schema
  if (type === 'array')
    return items ? `list of ${plural(typeOf(resolved(items, definitions), definitions))}` : 'list'
  const text = Array.isArray(type) ? type.join(' or ') : type
  return format ? `${text} (${format})` : text
}

const plural = (type: string) => (/^\w+$/.test(type) ? `${type}s` : type)

function limitsOf(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern, additionalProperties } = schema
  return [
    range(minimum, maximum, ''),
    range(minLength, maxLength, ' characters'),
    range(minItems, maxItems, ' entries'),
    pattern === undefined ? '' : `matches ${pattern}`,
    additionalProperties === false ? 'no other fields' : '',
  ].filter(limit => limit !== '')
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`
  if (least !== undefined) return `at least ${least}${unit}`
  return most === undefined ? '' : `at most ${most}${unit}`
}

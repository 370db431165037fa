import type { ComponentChild } from 'preact'
import type { Schema } from './api-document.ts'
import { Marked } from './error-codes.tsx'

/** A row of a field table. */
export interface Field {
  /** Its full path, such as `approval.scope` or `entries[].rank`. */
  name: string
  type: string
  required: boolean
  description: string
  /** Its constraints, as text. */
  limits: string[]
  /** The only allowed values, as JSON. */
  values: string[]
}

type Definitions = Record<string, Schema>

/** A schema may be recursive. */
const DEPTH_MAX = 8

/** All fields of a body. Nested fields follow their parent. */
export function fieldsOf(schema: Schema, definitions: Definitions = {}, way = '', depth = 0): Field[] {
  const { properties = {}, required = [], items, ...whole } = resolved(schema, definitions)
  if (depth > DEPTH_MAX) return []
  const own = Object.entries(properties).flatMap(([name, property]) => {
    const field = fieldOf(way + name, property, required.includes(name), definitions)
    return [field, ...fieldsOf(property, definitions, `${way}${name}.`, depth + 1)]
  })
  const ofItems = items ? fieldsOf(items, definitions, `${way.replace(/\.$/, '')}[].`, depth + 1) : []
  // The fields of all alternatives, none required, since no field is in every alternative.
  const ofForms = formsOf(whole).flatMap(form => fieldsOf(form, definitions, way, depth + 1))
  return [...own, ...ofItems, ...ofForms.map(field => ({ ...field, required: false }))]
}

/** A single value, such as a parameter. */
export function fieldOf(name: string, given: Schema, required: boolean, definitions: Definitions = {}): Field {
  const schema = resolved(given, definitions)
  return {
    name,
    type: typeOf(schema, definitions),
    required,
    // Generated clients show the Markdown that follows. This page explains each code under "Errors".
    description: schema.description?.split('\n\n', 1)[0] ?? '',
    limits: limitsOf(schema),
    values: valuesOf(schema).map(value => JSON.stringify(value)),
  }
}

/** The only allowed values, or those known of an open list. */
const valuesOf = (schema: Schema): unknown[] =>
  schema.enum ?? (schema.const === undefined ? formsOf(schema).flatMap(valuesOf) : [schema.const])

/** A schema with its reference followed and its `allOf` parts merged. */
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

/** As text: `string (uri)`, `integer or null`, `list of objects`. */
function typeOf(schema: Schema, definitions: Definitions): string {
  const forms = formsOf(schema)
  if (forms.length > 0) {
    return [...new Set(forms.map(form => typeOf(resolved(form, definitions), definitions)))].join(' or ')
  }
  const { type = schema.properties ? 'object' : 'any value', format, items } = schema
  if (type === 'array') return items ? `list of ${plural(typeOf(resolved(items, definitions), definitions))}` : 'list'
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

/** The name, type and meaning of each field of a request or a reply. */
export function Fields({ fields }: { fields: Field[] }) {
  return (
    <dl class="fields">
      {fields.map(({ name, type, required, description, limits, values }) => (
        <div key={name}>
          <dt>
            <code>{name}</code> <span>{type}</span> {required ? <strong>required</strong> : <span>optional</span>}
          </dt>
          <dd>
            {description && (
              <p>
                <Marked text={description} />
              </p>
            )}
            {limits.length > 0 && <p class="limits">{limits.join('; ')}</p>}
            {values.length > 0 && <Values name={name} values={values} />}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Separates elements of a sentence by commas. */
export const withCommas = (elements: ComponentChild[]): ComponentChild[] =>
  elements.flatMap((element, place) => (place > 0 ? [', ', element] : [element]))

const VALUES_SHOWN = 12

function Values({ name, values }: { name: string; values: string[] }) {
  const [only] = values
  if (values.length === 1) {
    return (
      <p>
        Always <code>{only}</code>
      </p>
    )
  }
  const list = <p>{withCommas(values.map(value => <code>{value}</code>))}</p>
  if (values.length <= VALUES_SHOWN) return list
  return (
    <details>
      <summary>
        The {values.length} values of {name}
      </summary>
      {list}
    </details>
  )
}

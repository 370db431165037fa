import { ERROR_HELP } from './error-help.ts'
import { ERRORS, type ErrorCode, UNAVAILABLE_REASONS } from './errors.ts'
import { REVIEW_REASONS } from './review-reasons.ts'
import { PAYMENTS_OFF } from './wire.ts'

/** A JSON schema, as plain data. */
export type Schema = Record<string, unknown>

const CODES = Object.keys(ERRORS) as ErrorCode[]

/** A list that may grow. Generators offer its values and take any other string. */
const openList = (description: string, values: readonly string[]): Schema => ({
  description,
  anyOf: [{ type: 'string', enum: values }, { type: 'string' }],
})

/** The named schemas of the API document. A schema with a title becomes one of them, wherever it is used. */
export class Components {
  readonly schemas: Record<string, Schema> = {
    ErrorCode: openList(
      `Machine-readable code. The list may grow.\n\n${CODES.map(code => `- \`${code}\`: ${ERROR_HELP[code].means}`).join('\n')}`,
      CODES,
    ),
    ErrorReason: openList(
      'On 422: why review refused. On 503: why the request cannot be answered now; `payments_off` if this site sells no places. The list may grow.',
      [...Object.keys(REVIEW_REASONS), ...Object.keys(UNAVAILABLE_REASONS), PAYMENTS_OFF],
    ),
  }

  /** Returns a schema whose named parts are references. */
  refer(schema: object): Schema {
    const { title, ...own } = schema as Schema
    if (typeof title !== 'string') return this.#parts(own)
    this.schemas[title] ??= this.#parts(own)
    return { $ref: `#/components/schemas/${title}` }
  }

  #parts(schema: Schema): Schema {
    return Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => {
        if (keyword === 'properties') return [keyword, mapValues(value as Schema, each => this.refer(each as Schema))]
        if (keyword === 'items') return [keyword, this.refer(value as Schema)]
        if (keyword === 'anyOf') return [keyword, (value as Schema[]).map(each => this.refer(each))]
        return [keyword, value]
      }),
    )
  }
}

const mapValues = (values: Schema, change: (value: unknown) => unknown): Schema =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
